"""Searches on a streaming standby: used while it keeps up, never older than what its reader wrote."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from reverie_client import AsyncReverie
from service.db import embedded
from service.db.pool import Database
from service.db.queries import Query
from service.settings import Settings
from tests.citus_cluster import Cluster, execute
from tests.databases import migrate_and_seed
from tests.live_api import ADMIN_KEY, Api, serving
from tests.rendered import refused_statements
from tests.replication import PrimaryAndStandby
from tests.tuning import tuning
from tests.waiting import until

LAG_MAX_S = 600.0
"""Longer than any test stands still that is to find what a standby holds back."""
SHORT_LAG_S = 3.0
POSITION = "X-Reverie-Position"
_LOCKS_OR_CALLS = re.compile(r"\bFOR (NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)\b|pg_advisory|reverie_settle")


@pytest.fixture(scope="module")
def pair() -> Iterator[PrimaryAndStandby]:
    folder = Path(tempfile.mkdtemp(prefix="reverie-pair-"))
    folder.chmod(0o755)  # as root, the standby runs as another user
    made = PrimaryAndStandby(folder)
    asyncio.run(execute(made.primary, "CREATE DATABASE template"))
    migrate_and_seed(embedded.database_url(made.primary, "template"))
    yield made
    made.close()
    shutil.rmtree(folder)


@pytest.fixture
async def processes(
    pair: PrimaryAndStandby, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[Api, Api]]:
    """Two APIs on one database, which both search its standby."""
    name = f"db{abs(hash(request.node.name))}"
    await execute(pair.primary, f"CREATE DATABASE {name} TEMPLATE template STRATEGY wal_log")
    settings = Settings(
        DATABASE_URL=embedded.database_url(pair.primary, name),
        REVERIE_TUNING=tuning(replica_lag_max_s=getattr(request, "param", LAG_MAX_S)),
        DATABASE_REPLICA_URL=embedded.database_url(pair.standby, name), REVERIE_DATA_DIR=tmp_path,
        EMBEDDING_MODEL="static", _env_file=None,
    )  # fmt: skip
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(serving(settings)) for _ in range(2)]
        await one.save("The first note is about the lighthouse.")
        await shown(one, "ok")
        await shown(other, "ok")
        yield one, other
        await replay(pair, "resume")


async def shown(api: Api, status: str) -> dict[str, object]:
    """Wait until the replica is in this condition, and (ok) has everything; what the engine says of it."""

    async def says() -> dict[str, object] | None:
        state = await api.get("/v1/engine")
        if state["replica"]["status"] != status or (status == "ok" and state["replica"]["lag_s"] != 0):
            return None
        return {"engine": state["status"], "problems": state["problems"]} | state["replica"]

    return await until(says, f"the replica is not {status}")


async def replay(pair: PrimaryAndStandby, what: str) -> None:
    """Pause or resume the standby."""
    await execute(pair.standby, f"SELECT pg_wal_replay_{what}()")


async def test_a_search_goes_to_the_replica_and_sees_what_its_reader_wrote(
    pair: PrimaryAndStandby, processes: tuple[Api, Api]
) -> None:
    one, other = processes
    await replay(pair, "pause")
    body = {"agent": "a", "type": "fact", "content": "The second note is about the harbour."}
    saved = await one.call("POST", "/v1/memories", json=body)
    asking = {"agent": "a", "query": "harbour", "strategy": "keyword"}

    async def found(api: Api, **headers: str) -> int:
        answer = await api.call("POST", "/v1/memories/search", json=asking, headers=headers)
        assert POSITION not in answer.headers
        return len(answer.json()["results"])

    assert await found(one) == 1, "a process knows what it wrote"
    assert await found(other) == 0, "the standby, which stands still, was not asked"
    assert await found(other, **{POSITION: saved.headers[POSITION]}) == 1
    assert await found(other, **{POSITION: "of no meaning"}) == 1
    assert await found(other, **{"Idempotency-Key": "k"}) == 1
    await replay(pair, "resume")
    await shown(other, "ok")
    assert await found(other) == 1


@pytest.mark.exhaustive
async def test_the_client_says_what_it_has_written(pair: PrimaryAndStandby, processes: tuple[Api, Api]) -> None:
    one, other = processes
    await replay(pair, "pause")
    async with AsyncReverie("", ADMIN_KEY, agent="a", http=one.http) as client:
        await client.save_memory("fact", "The second note is about the harbour.")
        client.http = other.http
        assert len((await client.search_memories("harbour", strategy="keyword")).results) == 1
        assert await other.search("harbour", strategy="keyword") == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("processes", [SHORT_LAG_S], indirect=True)
async def test_one_that_falls_behind_is_left_alone_until_it_has_caught_up(
    pair: PrimaryAndStandby, processes: tuple[Api, Api]
) -> None:
    one, other = processes
    assert (await shown(one, "ok"))["engine"] == "degraded"  # for want of a worker
    await replay(pair, "pause")
    await one.save("The second note is about the harbour.")
    told = await shown(other, "failing")
    assert told["engine"] == "degraded"
    assert any("replica" in problem and "behind" in problem for problem in told["problems"])
    assert float(str(told["lag_s"])) > SHORT_LAG_S
    assert "replica" in (await other.get("/readyz"))["degraded"]
    assert len(await other.search("harbour", strategy="keyword")) == 1
    await replay(pair, "resume")
    told = await shown(other, "ok")
    assert not any("replica" in problem for problem in told["problems"])


@pytest.mark.exhaustive
async def test_one_that_dies_is_missed_by_nobody(pair: PrimaryAndStandby, processes: tuple[Api, Api]) -> None:
    one, _ = processes
    assert len(await one.search("lighthouse")) == 1
    pair.kill()
    try:
        for _ in range(20):
            assert len(await one.search("lighthouse")) == 1
        assert (await shown(one, "failing"))["error"]
        assert len(await one.search("lighthouse")) == 1
    finally:
        pair.start()
    await shown(one, "ok")
    assert len(await one.search("lighthouse")) == 1


@pytest.mark.exhaustive
async def test_what_is_no_standby_of_it_is_not_searched(
    settings: Settings, pair: PrimaryAndStandby, citus: Cluster | None
) -> None:
    if citus:
        pytest.skip("in front of Citus no replica is taken at all")
    wrong = [str(settings.database_url), embedded.database_url(pair.standby, "template")]
    for url in wrong:
        async with serving(settings.model_copy(update={"database_replica_url": url})) as api:
            assert "not a standby" in str((await shown(api, "failing"))["error"])
            await api.save("The first note is about the lighthouse.")
            assert len(await api.search("lighthouse")) == 1


@pytest.mark.exhaustive
@pytest.mark.exhaustive
async def test_every_statement_that_only_reads_runs_on_a_standby(pair: PrimaryAndStandby) -> None:
    standby = await Database.open(embedded.database_url(pair.standby, "template"))
    try:
        primary = embedded.database_url(pair.primary, "template")
        assert await refused_statements(standby, primary, takes=_only_reads) == {}
    finally:
        await standby.close()


def _only_reads(query: Query) -> bool:
    return "workspace" in query.parameters and not query.writes and not _LOCKS_OR_CALLS.search(query.sql)


async def test_without_one_nothing_is_said_of_it(api: Api) -> None:
    assert (await api.get("/v1/engine"))["replica"]["status"] == "off"
    saved = await api.call("POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": "x"})
    assert POSITION not in saved.headers
