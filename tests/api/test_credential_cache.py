"""A key seen before is looked up by the statement that does the work, which does nothing for one that has changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.types import MemoryType
from tests.captured_queries import CapturedQuery, queries_sent_by
from tests.citus_cluster import Cluster
from tests.live_api import Api

Call = Callable[[Api], Awaitable[int]]
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


async def _save(api: Api, content: str = "Ada drinks tea", **fields: Any) -> int:
    body = {"agent": "a", "type": "fact", "content": content} | fields
    return await api.status("POST", "/v1/memories", json=body)


async def _search(api: Api, query: str = "tea", **fields: Any) -> int:
    return await api.status("POST", "/v1/memories/search", json={"agent": "a", "query": query} | fields)


@pytest.fixture
async def known(api: Api) -> Api:
    """An agent's key that has saved and searched."""
    key = await api.as_role("agent", "a")
    assert await _save(key) == 201
    assert await _search(key) == 200
    return key


@pytest.fixture
async def looked_up(known: Api) -> list[CapturedQuery]:
    """The statements that have looked up a key by itself since."""
    return queries_sent_by(known.runtime.db, ("authenticate",))


def _of(key: Api) -> bytes:
    """What is stored of a key, by which it is looked up."""
    return hashlib.sha256(key.key.encode()).digest()


def _keys(looked_up: list[CapturedQuery]) -> list[bytes]:
    return [query.values["hash"] for query in looked_up]


async def _in_database(api: Api, statement: str, *values: Any) -> None:
    """Run a statement as another process would."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute(statement, *values)


async def _contents(api: Api) -> set[str]:
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch("SELECT content FROM memories")
    return {row["content"] for row in rows}


async def test_a_key_seen_before_is_not_looked_up_by_itself(
    known: Api, looked_up: list[CapturedQuery], citus: Cluster | None
) -> None:
    assert await _save(known, "Ada drinks coffee") == 201
    assert await _save(known, "Ada drinks coffee") == 200
    assert await _search(known) == 200
    assert await _search(known, "nothing like it") == 200
    assert _keys(looked_up) == ([_of(known)] * 4 if citus else [])


async def test_a_refused_save_is_tried_once(api: Api, known: Api, looked_up: list[CapturedQuery]) -> None:
    """Each try to save a text counts the secret in it."""
    await api.put("/v1/settings", {"secrets": {"mode": "reject"}})
    assert await _save(known, "Ada drinks coffee") == 201
    looked_up.clear()
    assert await _save(known, f"The key is {SECRET}") == 422
    assert _keys(looked_up) == [_of(known)]
    metrics = (await api.call("GET", "/metrics")).text
    assert 'reverie_secrets_found_total{kind="github_token",mode="reject"} 1.0' in metrics


async def test_a_save_that_its_key_may_not_do_is_refused_after_a_look(
    api: Api, known: Api, looked_up: list[CapturedQuery]
) -> None:
    reader = await api.as_role("reader")
    assert await _search(reader) == 200
    looked_up.clear()
    assert await _save(reader, "By a reader") == 403
    assert _keys(looked_up) == [_of(reader)]


async def test_any_key_is_known_once_seen_and_looked_up_again_once_it_has_ended(
    api: Api, known: Api, looked_up: list[CapturedQuery], citus: Cluster | None
) -> None:
    reader = await api.as_role("reader")
    looked_up.clear()
    assert [await _search(reader) for _ in range(3)] == [200] * 3
    assert _keys(looked_up) == [_of(reader)] * (3 if citus else 1)
    await api.delete(f"/v1/keys/{(await reader.get('/v1/whoami'))['key_id']}")
    looked_up.clear()
    assert await _search(reader) == 401
    chat = {"model": "m", "messages": [{"role": "user", "content": "tea?"}]}
    assert await reader.status("POST", "/v1/chat/completions", json=chat) == 401
    assert _keys(looked_up) == [_of(reader)] * 2


@pytest.mark.parametrize(
    "ended",
    ["UPDATE api_keys SET revoked_at = now()", "UPDATE api_keys SET hash = sha256(hash)", "DELETE FROM api_keys"],
)
@pytest.mark.parametrize("call", [_save, _search], ids=["save", "search"])
async def test_a_key_that_ends_elsewhere_ends_here_at_once(known: Api, call: Call, ended: str) -> None:
    await _in_database(known, f"{ended} WHERE role = 'agent'")
    before = await _contents(known)
    saved = {"content": "After the end"} if call is _save else {}
    assert [await call(known, **saved) for _ in range(3)] == [401] * 3
    assert await _contents(known) == before


async def test_a_batch_of_a_key_that_ended_is_refused_whole(known: Api) -> None:
    await _in_database(known, "UPDATE api_keys SET revoked_at = now() WHERE role = 'agent'")
    assert set(await asyncio.gather(*(_save(known, f"Number {n}") for n in range(12)))) == {401}
    assert await _contents(known) == {"Ada drinks tea"}


async def test_an_ended_key_is_not_told_what_is_wrong_with_its_request(known: Api, api: Api) -> None:
    reader = await api.as_role("reader")
    backwards = {"since": "2024-01-02T00:00:00Z", "until": "2024-01-01T00:00:00Z"}
    assert await _search(reader) == 200
    assert await _save(reader) == 403
    assert await _search(known, **backwards) == 422
    await _in_database(known, "UPDATE api_keys SET revoked_at = now() WHERE role <> 'admin'")
    assert await _save(reader) == 401
    assert await _search(known, **backwards) == 401
    assert await _search(reader, agent=None) == 401


async def test_a_rotated_key_goes_on_with_its_new_secret_alone(known: Api, api: Api) -> None:
    key_id = next(key["id"] for key in (await api.get("/v1/keys"))["items"] if key["role"] == "agent")
    rotated = replace(known, key=(await api.post(f"/v1/keys/{key_id}/rotate"))["key"])
    for call in (_save, _search):
        assert await call(known) == 401
        assert await call(rotated) == 200


async def test_settings_made_elsewhere_hold_at_once(
    known: Api, looked_up: list[CapturedQuery], citus: Cluster | None
) -> None:
    put = "INSERT INTO settings (workspace_id, value) VALUES ($1, $2)"
    await _in_database(known, put, DEFAULT_WORKSPACE, {"pii": {"mode": "reject"}})
    assert await _save(known, "Write to ada@example.com") == 422
    assert await _contents(known) == {"Ada drinks tea"}
    looked_up.clear()
    assert await _save(known, "Ada drinks coffee") == 201
    assert await _search(known) == 200
    assert len(looked_up) == (2 if citus else 0)
    await _in_database(known, "UPDATE settings SET value = $1", {"pii": {"mode": "redact"}})
    assert await _save(known, "Write to ada@example.com") == 201
    assert await _contents(known) == {"Ada drinks tea", "Ada drinks coffee", "Write to <EMAIL_ADDRESS>"}


async def test_a_rate_set_elsewhere_is_kept_at_once(known: Api) -> None:
    limit = {"rate_limit": {"requests_per_minute": 1, "burst": 2}}
    put = "INSERT INTO settings (workspace_id, value) VALUES ($1, $2)"
    await _in_database(known, put, DEFAULT_WORKSPACE, limit)
    assert [await _search(known), await _save(known), await _search(known), await _save(known)] == [200, 200, 429, 429]


async def test_what_one_statement_cannot_do_is_done_after_a_look(known: Api, looked_up: list[CapturedQuery]) -> None:
    assert await _save(known, "Of a new session", session="new") == 201
    assert await _save(known, "Tea", key="drink") == 201
    assert await _search(known, session="unknown") == 200
    assert await _search(known, strategy="recent") == 200
    assert await _search(known, agent="b") == 200
    assert looked_up


async def test_what_a_known_key_is_answered_is_what_is_there(known: Api, api: Api) -> None:
    saved = await known.save("Bo is allergic to nuts", type=MemoryType.FACT.value, tags=["health"])
    assert saved == await api.get(f"/v1/memories/{saved['id']}")
    found = await known.search("allergic")
    assert [memory["id"] for memory in found] == [saved["id"]]
