"""The Dockerfile's steps in a clean Debian root, for where there is no container engine.

``python scripts/image.py FOLDER``, as root: makes the base with debootstrap (kept for the next time as FOLDER.base) and
carries out RUN, COPY, WORKDIR and USER in a copy of it. Then proves as that user that both command lines start and
that it may write to its data alone. Prints how many MB the image has, and of them the base.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"
BASE = "ca-certificates,python3,python3-pip,python3-venv"
"""Stands for the image that the Dockerfile begins FROM."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "PIP_BREAK_SYSTEM_PACKAGES": "1", "LANG": "C.UTF-8",
}  # fmt: skip
OF_THE_HOST = ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt", "etc/pip.conf")
"""How this machine reaches the package index."""


def main(root: Path) -> None:
    """Make the image in ``root``, and prove it."""
    base = root.with_name(f"{root.name}.base")
    if not base.exists():
        run("debootstrap", "--variant=minbase", f"--include={BASE}", SUITE, str(base))
        (base / "usr/bin/python").symlink_to("python3")
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", str(base), str(root))
    for file in OF_THE_HOST:
        if (Path("/") / file).exists():
            shutil.copy(Path("/") / file, root / file)
    here, user = "/", "root"
    within(root, here, user, "pip install --quiet --upgrade pip")  # Debian's is years older than the image's
    for instruction, rest in instructions():
        if instruction == "RUN":
            within(root, here, user, rest)
        elif instruction == "COPY":
            copy(root / here.lstrip("/"), *rest.split())
        elif instruction == "WORKDIR":
            here = rest
            (root / here.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif instruction == "USER":
            user = rest
    assert user != "root"
    within(root, here, user, 'test "$(id -u)" != 0 && ! touch /app/x 2> /dev/null && touch /data/x && rm /data/x')
    within(root, here, user, "python -m service --help > /dev/null && python -m worker --help > /dev/null")
    for file in OF_THE_HOST[2:]:
        (root / file).unlink(missing_ok=True)
    print(f"{megabytes(root)} MB, of them {megabytes(base)} the base")


def instructions() -> list[tuple[str, str]]:
    """Of the Dockerfile, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip().partition(" ") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in lines]


def copy(here: Path, *names: str) -> None:
    """Copy from the project, as COPY does: folders by what is in them."""
    for name in names[:-1]:
        source, target = ROOT / name, here / names[-1]
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def within(root: Path, here: str, user: str, command: str) -> None:
    """Run a command line in the root as this user."""
    variables = [f"{name}={value}" for name, value in ENVIRONMENT.items()]
    inside = f"cd {shlex.quote(here)} && {command}"
    run("chroot", f"--userspec={user}", str(root), "env", "-i", *variables, "sh", "-ec", inside)


def run(*command: str) -> None:
    """Run it, or end."""
    subprocess.run(command, check=True)


def megabytes(root: Path) -> int:
    """What du says."""
    said = subprocess.run(["du", "-smx", str(root)], capture_output=True, text=True, check=True).stdout
    return int(said.split()[0])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
