"""A database from before users were a boundary is taken over so that they are one."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from service.db.records import make
from service.domain.identity import identity_of
from service.domain.memory import StoredMemory
from tests.db.test_schema_version import FORMER_ROWS, take_over
from tests.live_api import Api, Json

SECRETS = {
    "anna": ("nuts", "german", "bergen", "initech", "savings", "apollo", "900 euros"),
    "boris": ("phone", "tartu", "holiday", "locker"),
}
ALL = "What do they eat, like and do, where do they live and work, and what of the flat, the office, and Olga?"


@pytest.fixture
async def api(own_api: Api, database_url: str) -> Api:
    await take_over(database_url, "0059", FORMER_ROWS)
    return own_api


def told(answer: Any, user: str) -> list[str]:
    """What of a user's secrets is in an answer."""
    return [secret for secret in SECRETS[user] if secret in json.dumps(answer).lower()]


async def rows(url: str, statement: str) -> list[Json]:
    connection = await asyncpg.connect(url)
    try:
        return [dict(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


@pytest.mark.parametrize("user", list(SECRETS))
async def test_a_context_has_nothing_of_the_other_user(api: Api, user: str) -> None:
    other = "boris" if user == "anna" else "anna"
    for asked in ({"user": user}, {"session": f"of-{user}"}):
        context = await api.post("/v1/context", {"agent": "a", "message": ALL} | asked)
        assert len(told(context, user)) > 2
        assert told(context, other) == []
        assert "The office closes at six." in json.dumps(context)
    nobodys = await api.post("/v1/context", {"agent": "a", "message": ALL})
    assert told(nobodys, user) == []
    assert "The office closes at six." in json.dumps(nobodys)


@pytest.mark.parametrize("user", list(SECRETS))
async def test_a_search_for_a_user_finds_the_users_own(api: Api, user: str) -> None:
    other = "boris" if user == "anna" else "anna"
    body = {"agent": "a", "query": ALL, "limit": 100, "include": ["memories", "messages", "documents"]}
    found = await api.post("/v1/memories/search", body | {"user": user})
    assert len(told(found, user)) > 2
    assert told(found, other) == []
    everybody = await api.post("/v1/memories/search", body)
    assert told(everybody, "anna")
    assert told(everybody, "boris")


@pytest.mark.parametrize("user", list(SECRETS))
async def test_lists_for_a_user_have_nothing_of_the_other(api: Api, user: str) -> None:
    other = "boris" if user == "anna" else "anna"
    for listed in ("memories", "documents", "entities", "pages", "searches", "dreams", "sessions", "deletions"):
        assert told(await api.get(f"/v1/{listed}", user=user), other) == [], listed


async def test_owners_are_those_who_had_spoken(api: Api, database_url: str) -> None:
    said = await rows(
        database_url,
        "SELECT m.owners FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.session = 'both' ORDER BY seq",
    )
    assert [one["owners"] for one in said] == [["anna"], ["anna", "boris"], ["anna", "boris"]]
    made = {one["content"]: one for one in (await api.get("/v1/memories", agent="a", limit=200))["items"]}
    assert made["boris will book the room in Riga."]["owners"] == ["anna", "boris"]
    assert made["anna moved the launch of Apollo to Friday 4 December 2026."]["owners"] == ["anna"]
    assert made["Anna has a savings account."]["owners"] == ["anna"]
    assert made["The office closes at six."]["owners"] == []
    (insight,) = [one for one in made.values() if one["type"] == "insight"]
    assert insight["owners"] == ["anna"]


async def test_what_is_saved_again_is_the_same(api: Api, database_url: str) -> None:
    before = await api.get("/v1/memories", agent="a", limit=200)
    again = await api.save("Anna has a savings account.", user="anna", key="account")
    assert again["id"] in {one["id"] for one in before["items"]}
    other = await api.save("Boris has a loan.", user="boris", key="account")
    assert other["id"] != again["id"]
    for one in await rows(database_url, "SELECT * FROM memories"):
        assert identity_of(make(StoredMemory, one)) == one["identity_hash"], one["content"]
    for insight in await rows(database_url, "SELECT * FROM memories WHERE type = 'insight'"):
        for part in json.loads(insight["source"])["evidence"]:
            (of,) = await rows(database_url, f"SELECT identity_hash FROM memories WHERE id = '{part['id']}'")  # noqa: S608
            assert part["says"] == of["identity_hash"].hex()
