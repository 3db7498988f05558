"""Connections that only search or only save: set up once, and each statement sees the rows of its own workspace."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg
import pytest

from service.db.connectivity import ConnectionMode, detect_pooler
from service.db.pool import Database, WorkspaceConnection
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.errors import Unavailable
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from tests.citus_cluster import Cluster
from tests.tuning import tuned

COUNT = "SELECT count(*) FROM memories"
WAYS = pytest.mark.parametrize("way", ["search_connection", "autocommit"])


@pytest.fixture
async def one_connection(settings: Settings, citus: Cluster | None) -> Settings:
    if citus or await detect_pooler(str(settings.database_url)) is not ConnectionMode.DIRECT:
        pytest.skip("searches and saves have connections of their own only where this process has them to itself")
    return tuned(settings, pool_size=1).model_copy(update={"embedding_model": "static"})


async def _save(runtime: Runtime, workspace: UUID, text: str) -> Principal:
    async with runtime.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=workspace, name=f"{workspace}")
    admin = Principal(workspace, uuid4(), "admin", None)
    await remember(runtime, admin, [MemoryDraft(agent="a", type="fact", content=text)])
    return admin


async def test_one_connection_shows_each_search_its_own_workspace(one_connection: Settings) -> None:
    async with open_runtime(one_connection, "test") as runtime:
        here = await _save(runtime, DEFAULT_WORKSPACE, "The kettle is on the shelf")
        there = await _save(runtime, new_id(), "The kettle is in the shed")
        found = []
        for caller in (here, there, there, here):
            answer = await recall(runtime, caller, SearchRequest(agent="a", query="kettle"))
            found.append([one.record.content for one in answer.results])
    shelf, shed = ["The kettle is on the shelf"], ["The kettle is in the shed"]
    assert found == [shelf, shed, shed, shelf]


@WAYS
async def test_row_level_security_holds_for_what_names_no_workspace(one_connection: Settings, way: str) -> None:
    other = new_id()
    async with open_runtime(one_connection, "test") as runtime:
        await _save(runtime, DEFAULT_WORKSPACE, "Mine")
        await _save(runtime, other, "Theirs")
        await _save(runtime, other, "Theirs too")
        counted = []
        for workspace in (DEFAULT_WORKSPACE, other, new_id()):
            counted.append(await _count(runtime.db, way, workspace))
    assert counted == [1, 2, 0]


@WAYS
@pytest.mark.parametrize("switched", [False, True])
async def test_a_switch_of_workspace_that_fails_is_made_again(
    one_connection: Settings, way: str, switched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_id()
    execute = WorkspaceConnection.execute

    async def cut_off(self: WorkspaceConnection, statement: str, *_: object, **__: object) -> None:
        if switched:
            await execute(self, statement)
        raise asyncpg.QueryCanceledError

    async with open_runtime(one_connection, "test") as runtime:
        await _save(runtime, DEFAULT_WORKSPACE, "Mine")
        for wanted, count in ((DEFAULT_WORKSPACE, 1), (other, 0)):
            assert await _count(runtime.db, way, DEFAULT_WORKSPACE) == 1
            with monkeypatch.context() as patched:
                patched.setattr(WorkspaceConnection, "execute", cut_off)
                with pytest.raises(Unavailable):
                    await _count(runtime.db, way, other)
            assert await _count(runtime.db, way, wanted) == count


async def _count(db: Database, way: str, workspace: UUID) -> int:
    async with getattr(db, way)(workspace) as connection:
        return int(await connection.raw.fetchval(COUNT))


@WAYS
async def test_a_connection_that_was_lost_is_set_up_again(
    one_connection: Settings, way: str, database_url: str
) -> None:
    async with open_runtime(one_connection, "test") as runtime:
        await _save(runtime, DEFAULT_WORKSPACE, "Mine")
        async with getattr(runtime.db, way)(DEFAULT_WORKSPACE) as connection:
            pid = await connection.raw.fetchval("SELECT pg_backend_pid()")
        killer = await asyncpg.connect(database_url)
        try:
            await killer.fetchval("SELECT pg_terminate_backend($1, 5000)", pid)
        finally:
            await killer.close()
        for _ in range(2):
            try:
                assert await _count(runtime.db, way, DEFAULT_WORKSPACE) == 1
                break
            except Unavailable:
                continue
        else:
            pytest.fail("nothing got through after the connection was lost")


@WAYS
async def test_a_statement_is_bounded_in_time(one_connection: Settings, way: str) -> None:
    async with open_runtime(tuned(one_connection, statement_timeout_s=2), "test") as runtime:
        with pytest.raises(Unavailable):
            async with getattr(runtime.db, way)(DEFAULT_WORKSPACE) as connection:
                await connection.raw.fetchval("SELECT pg_sleep(600)")


async def test_a_search_cannot_write(one_connection: Settings) -> None:
    async with (
        open_runtime(one_connection, "test") as runtime,
        runtime.db.search_connection(DEFAULT_WORKSPACE) as connection,
    ):
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await connection.raw.execute("DELETE FROM memories")
        assert await connection.raw.fetchval("SHOW hnsw.iterative_scan") == "relaxed_order"


async def test_a_save_writes_for_its_own_workspace_alone(one_connection: Settings) -> None:
    async with open_runtime(one_connection, "test") as runtime, runtime.db.autocommit(DEFAULT_WORKSPACE) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.raw.execute(
                "INSERT INTO audience_languages (workspace_id, audience, language) VALUES ($1, $1, 'german')", new_id()
            )
