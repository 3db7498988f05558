"""Memories deleted by a filter: counted, confirmed by a token, all or none, and restorable."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.live_api import Api, Caller, Tenant
from tests.tables import table

PATH = "/v1/memories/delete"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def _counted(api: Caller, **filter_: Any) -> Any:
    return await api.post(PATH, {"filter": filter_, "dry_run": True})


async def _contents(api: Caller) -> set[str]:
    return {memory["content"] for memory in (await api.get("/v1/memories", limit=200))["items"]}


@pytest.fixture
async def filled(api: Tenant) -> Tenant:
    """Memories of two agents, types, users and sessions."""
    await api.save("Ada drinks tea", tags=["drink"], user="ada", session="s", scope="agent")
    await api.save("Ada drinks rum", tags=["drink"], user="ada", key="rum")
    await api.save("Ada's passport was renewed", type="event", user="ada")
    await api.save("Ben drinks tea", agent="b", tags=["drink"], user="ben")
    await api.save("50% of all_ is théière", agent="b")
    return api


@pytest.mark.parametrize(
    ("filter_", "gone"),
    [
        ({"agent": "a"}, {"Ada drinks tea", "Ada drinks rum", "Ada's passport was renewed"}),
        ({"agent": "a", "types": ["event"]}, {"Ada's passport was renewed"}),
        ({"tag": "drink", "about": "ben"}, {"Ben drinks tea"}),
        ({"session": "s"}, {"Ada drinks tea"}),
        ({"key": "rum"}, {"Ada drinks rum"}),
        ({"q": "THÉIÈRE"}, {"50% of all_ is théière"}),
        ({"q": "%"}, {"50% of all_ is théière"}),
        ({"agent": "nobody"}, set()),
        ({"created_until": "2000-01-01T00:00:00Z"}, set()),
    ],
)
async def test_what_was_counted_is_deleted_and_nothing_else(filled: Tenant, filter_: Any, gone: set[str]) -> None:
    before = await _contents(filled)
    counted = await _counted(filled, **filter_)
    assert counted["counts"] == {"memories": len(gone)}
    assert await _contents(filled) == before
    done = await filled.post(PATH, {"filter": filter_, "token": counted["token"]})
    assert (done["dry_run"], done["memory_ids"], done["token"]) == (False, counted["memory_ids"], None)
    assert await _contents(filled) == before - gone
    for memory_id in done["memory_ids"]:
        await filled.post(f"/v1/memories/{memory_id}/restore")
    assert await _contents(filled) == before


async def test_a_token_holds_for_what_was_counted_by_this_key_alone(filled: Tenant) -> None:
    before = await _contents(filled)
    counted = await _counted(filled, tag="drink")
    twin = await filled.as_role("admin")
    for caller, filter_ in ((twin, {"tag": "drink"}), (filled, {"agent": "b"}), (filled, {"agent": "nobody"})):
        assert await caller.status("POST", PATH, json={"filter": filter_, "token": counted["token"]}) == 409
    for forged in ("", "x", "1.0", "9" * 200, "99999999999.0", counted["token"].replace(".", ". ")):
        assert await filled.status("POST", PATH, json={"filter": {"tag": "drink"}, "token": forged}) in (409, 422)
    assert await filled.status("POST", PATH, json={"filter": {"tag": "drink"}}) == 422
    await filled.save("Ada drinks milk", tags=["drink"])
    assert await filled.status("POST", PATH, json={"filter": {"tag": "drink"}, "token": counted["token"]}) == 409
    assert await _contents(filled) == before | {"Ada drinks milk"}


async def test_an_agent_deletes_its_own_and_a_reader_nothing(filled: Tenant) -> None:
    await filled.put("/v1/agents/a", {"teams": ["t"]})
    await filled.put("/v1/agents/b", {"teams": ["t"]})
    await filled.save("Shared by b", agent="b", scope="team", team="t", tags=["drink"])
    agent, reader = await filled.as_role("agent", "a"), await filled.as_role("reader")
    assert (await _counted(agent, tag="drink"))["counts"] == {"memories": 2}
    counted = await _counted(agent, agent="b", tag="drink")
    await agent.post(PATH, {"filter": {"agent": "b", "tag": "drink"}, "token": counted["token"]})
    assert {"Ben drinks tea", "Shared by b"} < await _contents(filled)
    assert await reader.status("POST", PATH, json={"filter": {"tag": "drink"}, "dry_run": True}) == 403


async def test_twice_at_once_deletes_once(filled: Tenant) -> None:
    counted = await _counted(filled, agent="a")
    body = {"filter": {"agent": "a"}, "token": counted["token"]}
    statuses = await asyncio.gather(*(filled.status("POST", PATH, json=body) for _ in range(4)))
    assert sorted(statuses) == [200, 409, 409, 409]


async def test_a_deletion_is_in_the_history_the_events_and_the_audit_log(filled: Tenant) -> None:
    counted = await _counted(filled, key="rum")
    await filled.post(PATH, {"filter": {"key": "rum"}, "token": counted["token"]})
    (memory_id,) = counted["memory_ids"]
    restored = await filled.post(f"/v1/memories/{memory_id}/restore")
    assert restored["id"] == memory_id
    history = (await filled.get(f"/v1/memories/{memory_id}/history"))["items"]
    assert "deleted by a filter" in {version["reason"] for version in history}
    (line,) = (await filled.get("/v1/audit", action="memories.deleted"))["items"]
    assert line["details"] == {"memories": 1}


NO_FILTERS = [
    ({}, []),
    ({"agent": None, "tag": None}, []),
    ({"tags": ["drink"]}, ["tags"]),
    ({"types": []}, ["types"]),
    ({"types": ["nonsense"]}, ["types"]),
    ({"scopes": ["everywhere"]}, ["scopes", 0]),
    ({"q": ""}, ["q"]),
    ({"q": "a" * 1001}, ["q"]),
    ({"about": "\x00"}, ["about"]),
    ({"user": "ada"}, ["user"]),
    ({"since": "yesterday"}, ["since"]),
    ({"since": 5}, ["since"]),
    ({"created_until": "2024-02-30T00:00:00Z"}, ["created_until"]),
    ({"agent": ["a"]}, ["agent"]),
]


async def test_a_filter_that_is_none_is_refused_by_field(api: Tenant) -> None:
    with table() as row:
        for filter_, field in NO_FILTERS:
            with row(filter_, field):
                answer = await api.call("POST", PATH, json={"filter": filter_, "dry_run": True})
                assert answer.status_code == 422, answer.text
                assert answer.json()["errors"][0]["loc"] == ["body", "filter", *field]


async def test_more_than_a_thousand_are_refused_whole(own_api: Api) -> None:
    for start in (0, 600):
        items = [{"agent": "a", "type": "fact", "content": f"Fact number {start + n}"} for n in range(600)]
        await own_api.post("/v1/memories/batch", {"items": items})
    answer = await own_api.call("POST", PATH, json={"filter": {"agent": "a"}, "dry_run": True})
    assert (answer.status_code, answer.json()["errors"][0]["loc"]) == (422, ["body", "filter"])
    half = {"agent": "a", "q": "number 1"}
    counted = await _counted(own_api, **half)
    assert counted["counts"]["memories"] > 200
    await own_api.post(PATH, {"filter": half, "token": counted["token"]})
    assert (await _counted(own_api, **half))["counts"] == {"memories": 0}
