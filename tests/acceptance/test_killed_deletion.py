"""``kill -9`` of the API while it deletes: all of it is there or none, and what is gone for good has its receipt."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from service.db.workspace_rows import TABLES, WRITTEN_BEHIND
from tests.processes import ServerProcess
from tests.waiting import WAIT_S, until

Json = dict[str, Any]
MEMORIES = 40


@pytest.fixture
async def server(service_url: str, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """The API in a process of its own."""
    process = ServerProcess(service_url, tmp_path / "server.log")
    try:
        await process.start()
        yield process
    finally:
        await process.close()


@pytest.fixture
async def database(service_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that sees every workspace."""
    connection = await asyncpg.connect(service_url, statement_cache_size=0)
    try:
        yield connection
    finally:
        await connection.close()


async def _ok(server: ServerProcess, method: str, path: str, **options: Any) -> Json:
    answer = await server.call(method, path, **options)
    assert answer.is_success, answer.text
    return dict(answer.json())


async def _workspace(server: ServerProcess) -> tuple[str, dict[str, str]]:
    """A suspended workspace with something of most kinds, and limits; its id, and how its admin is let in."""
    made = await _ok(server, "POST", "/v1/workspaces", json={"name": "doomed"})
    headers = {"Authorization": f"Bearer {made['key']}"}
    limits = {"rows_max": 1_000, "requests_per_day": 10_000}
    await _ok(server, "PATCH", f"/v1/workspaces/{made['id']}", json={"limits": limits})
    items = [
        {"agent": "a", "type": "fact", "content": f"Fact {n} of Apollo", "user": "uma", "tags": ["x"]}
        for n in range(MEMORIES)
    ]
    await _ok(server, "POST", "/v1/memories/batch", json={"items": items}, headers=headers)
    turns = {"agent": "a", "messages": [{"role": "user", "content": "Ich heiße Uma"}]}
    await _ok(server, "POST", "/v1/sessions/s/messages", json=turns, headers=headers)
    await _ok(server, "POST", "/v1/agents/a/dream", headers=headers)
    await _ok(server, "PATCH", f"/v1/workspaces/{made['id']}", json={"suspended": True})
    return made["id"], headers


async def _rows(database: asyncpg.Connection, workspace: str) -> dict[str, int]:
    counts = {
        table: await database.fetchval(f"SELECT count(*) FROM {table} WHERE workspace_id = $1", workspace)  # noqa: S608
        for table in TABLES
    }
    return {table: rows for table, rows in counts.items() if rows}


def _records(counts: dict[str, int]) -> dict[str, int]:
    return {table: rows for table, rows in counts.items() if table not in WRITTEN_BEHIND}


async def _waits_for(database: asyncpg.Connection, table: str) -> None:
    """Wait until somebody waits for a lock on the table."""
    waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = $1::text::regclass)"
    await until(lambda: database.fetchval(waiting, table), "nobody waits")


async def _delete(server: ServerProcess, workspace: str) -> httpx.Response:
    counted = await _ok(server, "DELETE", f"/v1/workspaces/{workspace}?dry_run=true")
    return await server.call("DELETE", f"/v1/workspaces/{workspace}", params={"token": counted["token"]})


async def _receipts(server: ServerProcess, workspace: str) -> list[Json]:
    lines = (await _ok(server, "GET", "/v1/audit"))["items"]
    return [one["details"] for one in lines if (one["action"], one["target"]) == ("workspace.deleted", workspace)]


async def _is_gone(server: ServerProcess, database: asyncpg.Connection, workspace: str, before: dict[str, int]) -> None:
    assert await _rows(database, workspace) == {}
    assert await database.fetchval("SELECT count(*) FROM stored_changes") == 0
    (receipt,) = await _receipts(server, workspace)
    assert _records(receipt["counts"]) == _records(before)
    assert (await server.call("GET", f"/v1/workspaces/{workspace}/export")).status_code == 404


@pytest.mark.parametrize("table", ["search_terms", "memories", "sessions", "agents", "api_keys", "workspaces"])
async def test_killed_before_the_end_nothing_is_gone_and_the_second_deletion_finishes(
    server: ServerProcess, service_url: str, database: asyncpg.Connection, table: str
) -> None:
    workspace, headers = await _workspace(server)
    before = await _rows(database, workspace)
    holder = await asyncpg.connect(service_url)
    try:
        async with holder.transaction():
            await holder.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
            deletion = asyncio.create_task(_delete(server, workspace))
            await _waits_for(database, table)
            server.signal(signal.SIGKILL)
            assert isinstance((await asyncio.gather(deletion, return_exceptions=True))[0], httpx.TransportError)
    finally:
        await holder.close()
    await server.wait()
    await server.restart()
    assert _records(await _rows(database, workspace)) == _records(before)
    assert await _receipts(server, workspace) == []
    assert (await server.call("GET", "/v1/whoami", headers=headers)).status_code == 403, "it does not answer by halves"
    await _ok(server, "PATCH", f"/v1/workspaces/{workspace}", json={"suspended": False})
    assert len((await _ok(server, "GET", "/v1/memories", headers=headers))["items"]) == MEMORIES
    await _ok(server, "PATCH", f"/v1/workspaces/{workspace}", json={"suspended": True})
    before = await _rows(database, workspace)
    answer = await _delete(server, workspace)
    assert answer.status_code == 200, answer.text
    assert _records(answer.json()["receipt"]["counts"]) == _records(before)
    await _is_gone(server, database, workspace, before)
    assert (await server.call("GET", "/v1/whoami", headers=headers)).status_code == 401


async def test_killed_once_it_is_gone_the_receipt_is_there(server: ServerProcess, database: asyncpg.Connection) -> None:
    workspace, headers = await _workspace(server)
    before = await _rows(database, workspace)
    deletion = asyncio.create_task(_delete(server, workspace))
    async with asyncio.timeout(WAIT_S):
        while await database.fetchval("SELECT EXISTS (SELECT FROM workspaces WHERE workspace_id = $1)", workspace):
            pass
    server.signal(signal.SIGKILL)
    await asyncio.gather(deletion, return_exceptions=True)
    await server.wait()
    await server.restart()
    await _is_gone(server, database, workspace, before)
    assert (await server.call("GET", "/v1/whoami", headers=headers)).status_code == 401


async def _talked(server: ServerProcess) -> None:
    turns = {
        "agent": "a",
        "user": "uma",
        "messages": [{"role": "user", "content": f"Turn {n}"} for n in range(MEMORIES)],
    }
    await _ok(server, "POST", "/v1/sessions/s/messages", json=turns)
    items = [{"agent": "a", "type": "fact", "content": f"Fact {n}", "session": "s"} for n in range(MEMORIES)]
    await _ok(server, "POST", "/v1/memories/batch", json={"items": items})


async def _held(database: asyncpg.Connection) -> dict[str, str]:
    """All rows of the tables that move, whatever workspace they are in, but for that."""
    row = "(to_jsonb(t) - 'workspace_id')::text"
    return {
        table: await database.fetchval(f"SELECT string_agg({row}, '|' ORDER BY {row}) FROM {table} t")  # noqa: S608
        for table in ("messages", "memories", "search_index", "search_terms")
    }


@pytest.mark.parametrize("table", ["search_terms", "memories", "sessions", "workspaces", "deletions"])
@pytest.mark.parametrize("step", ["deletion", "undo"])
async def test_killed_while_a_session_is_deleted_or_brought_back_it_is_there_or_gone_as_a_whole(
    server: ServerProcess, service_url: str, database: asyncpg.Connection, table: str, step: str
) -> None:
    await _talked(server)
    before = await _held(database)
    query = {"agent": "a"}
    counted = await _ok(server, "DELETE", "/v1/sessions/s", params=query | {"dry_run": True})
    call = {"method": "DELETE", "path": "/v1/sessions/s", "params": query | {"token": counted["token"]}}
    if step == "undo":
        done = await _ok(server, **call)
        call = {"method": "POST", "path": f"/v1/deletions/{done['deletion_id']}/undo"}
    holder = await asyncpg.connect(service_url)
    try:
        async with holder.transaction():
            await holder.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
            task = asyncio.create_task(server.call(**call))
            await _waits_for(database, table)
            server.signal(signal.SIGKILL)
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], httpx.TransportError)
    finally:
        await holder.close()
    await server.wait()
    await server.restart()
    there = (await server.call("GET", "/v1/sessions/s/messages", params=query)).status_code
    assert there == (404 if step == "undo" else 200)
    assert await _held(database) == before
    done = await _ok(server, **call)
    assert await _held(database) == before
    if step == "deletion":
        await _ok(server, "POST", f"/v1/deletions/{done['deletion_id']}/undo")
    assert len((await _ok(server, "GET", "/v1/sessions/s/messages", params=query))["items"]) == MEMORIES
    assert len((await _ok(server, "GET", "/v1/memories", params=query))["items"]) == MEMORIES
