"""What the ends of a process leave of Reverie within it, through real processes on one folder."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from service.db import embedded
from service.first_start import first_start
from service.settings import Settings
from tests.processes import ROOT, gone, postmaster_pid
from tests.waiting import WAIT_S, wait_until

PROGRAM = """
import json, os, sys
from reverie import Reverie
reverie = Reverie.local(sys.argv[1], agent="ada", embedding_model="none")

def known():
    return sorted(one.content for one in reverie.list_memories())

print(json.dumps(known()), flush=True)
for line in sys.stdin:
    match line.strip():
        case "wait":
            print("waiting", flush=True)
            for event in reverie.stream_events(after=10**9, reconnect=False):
                pass
        case "fork":
            child = os.fork()
            if child == 0:
                reverie.save_memory("fact", "said by a child")
                os._exit(0)
            os.waitpid(child, 0)
            print(json.dumps(known()), flush=True)
        case words:
            reverie.save_memory("fact", words)
            print(json.dumps(known()), flush=True)
"""


class User:
    """A process that has Reverie in it."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, folder], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.known = self.answer()

    def answer(self) -> str:
        """Read what it says next."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def say(self, line: str) -> str:
        """Tell it what to do; what it says then."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self) -> int:
        """Let it come to the end of its program, which closes nothing; its exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(WAIT_S)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="reverie-local-"))
    made.chmod(0o777)
    yield made
    embedded.stop(made / "postgres")
    shutil.rmtree(made)


@pytest.fixture
def users(folder: Path) -> Iterator[Callable[[], User]]:
    made: list[User] = []

    def start() -> User:
        made.append(User(folder))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.wait()


@pytest.mark.first_tier
def test_two_processes_share_a_folder_and_a_kill_costs_nothing(folder: Path, users: Callable[[], User]) -> None:
    first, second = users(), users()
    pid = postmaster_pid(folder / "postgres")
    assert first.say("the first") == '["the first"]'
    assert second.say("the second") == '["the first", "the second"]'
    first.process.kill()
    assert second.say("the third") == '["the first", "the second", "the third"]'
    second.process.kill()
    wait_until(lambda: gone(pid), "Postgres outlives its users")
    again = users()
    assert again.known == '["the first", "the second", "the third"]'
    pid = postmaster_pid(folder / "postgres")
    assert again.end() == 0
    assert gone(pid)
    assert not embedded.is_running(folder / "postgres")


def test_ctrl_c_ends_a_call_and_leaves_nothing_behind(folder: Path, users: Callable[[], User]) -> None:
    user = users()
    pid = postmaster_pid(folder / "postgres")
    assert user.say("wait") == "waiting"
    for _ in range(5):  # Python may drop an interrupt that comes in a callback: people press again
        os.kill(user.process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            user.process.wait(WAIT_S / 5)
            break
    assert user.process.returncode not in (None, 0)
    assert gone(pid)


def test_a_forked_child_has_its_own_and_the_parent_goes_on(folder: Path, users: Callable[[], User]) -> None:
    user = users()
    assert "said by a child" in user.say("fork")
    assert "said after it" in user.say("said after it")
    assert user.end() == 0


def test_a_server_may_follow_on_the_folder(folder: Path, users: Callable[[], User]) -> None:
    assert users().end() == 0
    with embedded.use(folder / "postgres") as server:
        settings = Settings(_env_file=None).model_copy(update={"database_url": server.url, "data_dir": folder})
        assert asyncio.run(first_start(settings)).made is not None
