"""What belongs to a user goes out and comes in as that user's, in every kind of line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from reverie_client import Memory
from tests.live_api import SharedServer, Tenant
from tests.transfer.exports import Line, describe, exported, ndjson, records
from tests.worker.dreaming import dream, say

SECRETS = {"anna": ("bergen", "nuts", "rent"), "boris": ("tartu", "phone", "locker")}


@pytest.fixture
async def elsewhere(shared_server: SharedServer) -> AsyncIterator[Tenant]:
    """Another workspace of the same server."""
    async with shared_server.tenant() as opened:
        yield opened


@pytest.fixture
async def api(tenant: Tenant) -> Tenant:
    """A workspace in which two users of an agent have said something in sessions of their own and in one of both."""
    await say(tenant, "I live in Bergen.", "I am allergic to nuts.", session="of-anna", user="anna")
    await say(tenant, "I live in Tartu.", "I prefer phone calls.", session="of-boris", user="boris")
    await say(tenant, "Apollo starts in May.", session="both", user="anna")
    await say(tenant, "Olga books the room in Riga.", session="both", user="boris")
    for _ in range(4):
        await dream(tenant)
    await tenant.save("The office closes at six.")
    for user, text in (("anna", "The rent is 900 euros."), ("boris", "The locker has the number 7.")):
        await tenant.post("/v1/documents", {"agent": "a", "title": "Notes", "text": text, "user": user})
        await tenant.save(text, user=user, key="notes")
    pages = [
        {"record": "page", "id": str(uuid4()), "agent": "a", "question": question, "scope": {"user": user}}
        for user, question in (("anna", "Who pays the rent?"), ("boris", "Where is the locker?"))
    ]
    await tenant.post("/v1/import", content=ndjson(pages))
    return tenant


def told(lines: list[Line], user: str) -> list[str]:
    """What of a user's secrets is in the lines."""
    return [secret for secret in SECRETS[user] if secret in json.dumps(lines).lower()]


def owned(lines: list[Line]) -> dict[str, list[str]]:
    """The owners of what may be without a line that says so, by its id."""
    of = [line for name in ("message", "memory", "document", "proposal") for line in records(lines, name)]
    return {line["id"]: line["owners"] for line in of}


async def test_another_workspace_has_the_same_owners(api: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(api)
    assert {tuple(line["owners"]) for line in records(lines, "bulletin")} >= {("anna",), ("boris",)}
    answer = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert answer["skipped"] == 0
    assert describe(await exported(elsewhere)) == describe(lines)
    context = await elsewhere.post("/v1/context", {"agent": "a", "user": "anna", "message": "Where do I live?"})
    assert told([context], "anna")
    assert told([context], "boris") == []


async def test_an_export_for_a_user_has_what_that_user_may_see(api: Tenant) -> None:
    made = await api.post("/v1/keys", {"role": "reader", "name": "of anna", "user": "anna"})
    bound = replace(api, key=made["key"])
    whole = await exported(api)
    for lines in (await exported(api, user="anna"), await exported(bound)):
        assert set(told(lines, "anna")) == set(SECRETS["anna"])
        assert told(lines, "boris") == []
        assert {line["session"] for line in records(lines, "session")} == {"of-anna", "both"}
        assert {tuple(line["owners"]) for line in records(lines, "message")} == {("anna",), ("anna", "boris")}
        ids = {line["id"] for line in lines if "id" in line}
        for edge in records(lines, "edge"):
            assert {edge["source_id"], edge["target_id"]} <= ids
        assert lines[0]["counts"] == {name: len(records(lines, name)) for name in lines[0]["counts"]}
    assert set(told(whole, "boris")) == set(SECRETS["boris"])


async def test_lines_from_before_there_were_owners_get_them(api: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(api)
    former = [{name: value for name, value in line.items() if name not in ("owners", "members")} for line in lines]
    answer = await elsewhere.post("/v1/import", content=ndjson(former))
    assert answer["skipped"] == len(records(lines, "bulletin"))
    after = await exported(elsewhere)
    assert owned(after) == owned(lines)
    members = {line["session"]: line["members"] for line in records(after, "session")}
    assert members == {"of-anna": ["anna"], "of-boris": ["boris"], "both": ["anna", "boris"]}
    assert {line["id"]: line["owners"] for line in records(after, "entity")} == {
        line["id"]: line["owners"] for line in records(lines, "entity")
    }
    for user, other in (("anna", "boris"), ("boris", "anna")):
        assert told(await exported(elsewhere, user=user), other) == []


async def test_what_is_deleted_is_in_no_line(api: Tenant) -> None:
    link = {"relation": "about", "entity": {"name": "Zanzibar", "kind": "place"}}
    await api.save("The trip goes to Zanzibar.", links=[link], importance=1.0)
    await api.post("/v1/agents/a/bulletin")
    assert {line["record"] for line in await exported(api) if "Zanzibar" in json.dumps(line)} == {
        "memory", "entity", "bulletin",
    }  # fmt: skip
    (trip,) = [one for one in (await api.get("/v1/memories", agent="a"))["items"] if "Zanzibar" in one["content"]]
    await api.delete(f"/v1/memories/{trip['id']}")
    left = await exported(api)
    assert [line for line in left if "zanzibar" in json.dumps(line).lower()] == []
    assert left[0]["counts"]["entity"] == len(records(left, "entity"))
    assert records(left, "bulletin")
    whole = await exported(api, include="deleted")
    assert {line["record"] for line in whole if "Zanzibar" in json.dumps(line)} >= {"memory", "entity"}


MEM0 = [
    {"id": "1", "memory": "Anna is allergic to nuts", "user_id": "anna"},
    {"id": "2", "memory": "Boris prefers phone calls", "user_id": "boris"},
]


@pytest.mark.parametrize("agent", [None, "shop"])
async def test_what_comes_from_mem0_is_found_by_the_same_calls(
    api: Tenant, elsewhere: Tenant, agent: str | None
) -> None:
    params = {"format": "mem0"} | ({"agent": agent} if agent else {})
    await elsewhere.post("/v1/import", json.loads(json.dumps(MEM0)), params=params)
    key = (await elsewhere.as_role("agent", agent)).key if agent else elsewhere.key

    def found(user: str) -> list[str]:
        with Memory(str(elsewhere.http.base_url), key) as memory:
            results = memory.search("Who is allergic, who prefers calls?", user_id=user)["results"]
            assert [one["memory"] for one in memory.get_all(user_id=user)["results"]] == [
                one["memory"] for one in results
            ]
            return [one["memory"] for one in results]

    assert await asyncio.to_thread(found, "anna") == ["Anna is allergic to nuts"]
    assert await asyncio.to_thread(found, "boris") == ["Boris prefers phone calls"]
    if agent:
        context = await elsewhere.post("/v1/context", {"agent": agent, "user": "boris", "message": "What can I send?"})
        assert told([context], "anna") == []
