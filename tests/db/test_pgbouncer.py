"""Behind pgbouncer in transaction mode: everything works with clients taking turns on two connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pytest

from service.db.connectivity import ConnectionMode, detect_pooler
from service.db.migrate import migrate
from service.db.pool import APP_ROLE, Database
from service.db.queries import query
from service.domain.ids import DEFAULT_WORKSPACE
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from tests import pgbouncer
from tests.live_api import serving
from tests.pgbouncer import Bouncer
from tests.processes import WorkerProcess
from tests.rendered import refused_statements
from tests.tuning import tuning
from tests.worker.dreaming import contents, dream, say
from worker.schedule import run_claimed

WAYS = {None: ConnectionMode.POOLER_NO_PREPARED, 0: ConnectionMode.POOLER_NO_PREPARED, 200: ConnectionMode.POOLER}
"""By how many prepared statements it keeps; None for a pgbouncer that does not know how to."""
WHOSE = "SELECT current_setting('reverie.workspace', true) AS workspace, current_user::text AS login"


@pytest.fixture(params=WAYS)
def statements(request: pytest.FixtureRequest) -> int | None:
    if pgbouncer.program() is None:
        pytest.skip("NOTHING IS TRIED BEHIND A POOLER: there is no pgbouncer here (install it, or set PGBOUNCER)")
    keeps_some = pgbouncer.version() >= (1, 21)
    if (request.param is None) == keeps_some:
        pytest.skip(f"pgbouncer {'has' if keeps_some else 'has no'} max_prepared_statements")
    kept: int | None = request.param
    return kept


@pytest.fixture
def through(
    statements: int | None, server_url: str, settings: Settings, database_url: str, tmp_path: Path
) -> Iterator[Settings]:
    running = Bouncer(server_url, tmp_path / "two", server_connections=2, statements=statements)
    running.start()
    yield settings.model_copy(update={"database_url": running.url(database_url), "embedding_model": "static"})
    running.stop()


@pytest.fixture
async def database(through: Settings) -> AsyncIterator[Database]:
    opened = await Database.open(str(through.database_url), wait_s=60, statement_timeout_s=120)
    yield opened
    await opened.close()


async def test_a_pooler_is_noticed(through: Settings, statements: int | None, database_url: str) -> None:
    assert await detect_pooler(str(through.database_url)) is WAYS[statements]
    assert await detect_pooler(str(through.database_url)) is WAYS[statements]
    assert await detect_pooler(database_url) is ConnectionMode.DIRECT


async def test_two_processes_worth_of_clients_share_two_connections(through: Settings) -> None:
    async with serving(through) as one, serving(through) as other:
        saved = await asyncio.gather(
            *((one if n % 2 else other).save(f"Note {n} about the harbour") for n in range(40))
        )
        assert len({memory["id"] for memory in saved}) == 40
        found = await asyncio.gather(*((one if n % 2 else other).search("harbour", limit=40) for n in range(20)))
        assert all(len(memories) == 40 for memories in found)
        await say(one, "I live in Oslo.")
        assert (await dream(other.runtime))["status"] == "succeeded"
        assert any("Oslo" in content for content in await contents(one))
        exports = await asyncio.gather(*(api.call("GET", "/v1/export") for api in (one, other) * 4))
        assert {json.loads(answer.text.splitlines()[-1])["counts"]["memory"] for answer in exports} == {41}
        assert (await one.post("/v1/verify"))["working"] is True
        assert (await other.get("/v1/engine"))["database"]["status"] == "ok"


async def test_of_two_workers_one_runs_a_scheduled_job(through: Settings) -> None:
    runs: list[Runtime] = []

    async def job(runtime: Runtime) -> None:
        runs.append(runtime)

    async with open_runtime(through, "one") as one, open_runtime(through, "other") as other:
        assert sum(await asyncio.gather(*(run_claimed(each, "job", job) for each in (one, other) * 3))) == 1
    assert len(runs) == 1


async def test_no_transaction_sees_the_workspace_or_role_of_another(database: Database) -> None:
    async def look(workspace: UUID) -> None:
        async with database.transaction(workspace) as connection:
            await asyncio.sleep(0)
            assert tuple(await connection.raw.fetchrow(WHOSE)) == (str(workspace), APP_ROLE)
        async with database.unscoped() as connection:
            row = await connection.raw.fetchrow(WHOSE)
            assert not row["workspace"]
            assert row["login"] != APP_ROLE

    await asyncio.gather(*(look(UUID(int=number)) for number in range(1, 101)))


async def test_every_statement_goes_through_it(database: Database, database_url: str) -> None:
    assert await refused_statements(database, database_url) == {}


async def test_migrations_go_through_it(through: Settings, database_url: str) -> None:
    await asyncio.to_thread(migrate, str(through.database_url))
    opened = await Database.open(database_url)
    await opened.close()


async def test_what_is_prepared_stays_so_where_the_pooler_keeps_it(database: Database, statements: int | None) -> None:
    sql = query("login_role").sql
    for _ in range(3):
        async with database.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.row("login_role", app_role=APP_ROLE)
            kept = await connection.raw.fetchval(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1", sql
            )
            assert bool(kept) is (WAYS[statements] is ConnectionMode.POOLER)


async def test_a_worker_that_hears_nothing_looks_for_work(through: Settings, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    worker = WorkerProcess(str(through.database_url), log, EMBEDDING_MODEL="static", REVERIE_TUNING=tuning(poll_s=0.2))
    worker.start()
    try:
        async with serving(through) as api:
            await say(api, "I live in Oslo.")
            done = await api.post("/v1/agents/a/dream", {"wait": True})
            assert done["status"] == "succeeded"
            assert any("Oslo" in content for content in await contents(api))
    finally:
        await worker.kill()
    assert "a pooler in between" in log.read_text(encoding="utf-8")
