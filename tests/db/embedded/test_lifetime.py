"""Who stops the embedded Postgres, and what it survives, through real processes."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import psutil
import pytest

from service.db import embedded
from tests.embedded_user import (
    PROGRAM,
    PROGRAMS,
    SELF,
    USERS,
    User,
    answers,
    as_user,
    run,
    socket_dir,
)
from tests.processes import ROOT, gone, kill_postgres, postmaster_pid
from tests.waiting import wait_until

# Who stops it


@pytest.mark.first_tier
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
    wait_until(lambda: gone(pid), "the server outlives its users")
    assert answers(users(data_dir).url)


# What it survives


def test_a_dead_postmaster_is_started_again_with_backoff(open_folder: Path, users: Callable[..., User]) -> None:
    """At once the first time; a server that never comes up is tried at growing intervals, and each try is one line."""
    data_dir = open_folder / "postgres"
    user = users(data_dir)
    run(user.url, "CREATE TABLE mark ()")
    pid = postmaster_pid(data_dir)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: answers(user.url), "it is not started again")
    assert run(user.url, "SELECT count(*) FROM pg_tables WHERE tablename = 'mark'") == 1
    with (data_dir / "reverie.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    os.kill(postmaster_pid(data_dir), signal.SIGKILL)

    def said(what: str) -> list[str]:
        return [line for line in (data_dir / "log").read_text().splitlines() if what in line]

    wait_until(lambda: len(said("watchdog: postgres ended")) >= 5, "it is not tried again")
    waits = [line.partition("starting it again in ")[2] for line in said("watchdog: postgres ended")]
    assert waits[:5] == ["0 s", "0.5 s", "1 s", "2 s", "4 s"]
    first, second, third = (datetime.fromisoformat(line[:23]) for line in said("contains errors")[:3])
    assert second - first >= timedelta(seconds=1), "the pauses are only said"
    assert third - second >= timedelta(seconds=2), "the pauses are only said"


def test_a_busy_backend_that_outlives_its_postmaster_does_not_stand_in_the_way(
    open_folder: Path, users: Callable[..., User]
) -> None:
    data_dir = open_folder / "postgres"
    user = users(data_dir)
    spin = "DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$"
    busy = subprocess.Popen([str(PROGRAMS / "psql"), str(user.url), "-c", spin], stderr=subprocess.DEVNULL)
    wait_until(
        lambda: run(user.url, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO%'") == 1, "nothing is busy"
    )
    os.kill(postmaster_pid(data_dir), signal.SIGKILL)
    wait_until(lambda: answers(user.url), "it is not started again")
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
        wait_until(lambda: gone(pid), "it outlives its watchdog")
        wait_until(server.revive, "no watchdog is started")
        wait_until(lambda: answers(server.url), "it does not come back")
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
    wait_until(lambda: (data_dir / "initialising" / "PG_VERSION").exists(), "initdb does not begin")
    doomed = [*psutil.Process(cut_off.pid).children(recursive=True), psutil.Process(cut_off.pid)]
    for process in doomed:
        with suppress(psutil.NoSuchProcess):
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
