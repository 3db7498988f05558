"""Saved searches over HTTP: what they must find, their recall as memories and options change, and their bounds."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from tests.live_api import Caller, Json


async def expecting(api: Caller, query: str, *memories: Json, **fields: Any) -> Json:
    body = {"agent": "a", "name": query, "query": query, "expected": [one["id"] for one in memories]}
    return await api.post("/v1/searches", body | fields)


async def run(api: Caller, search: Json, **overrides: Any) -> Json:
    body = {"overrides": overrides} if overrides else {}
    (result,) = (await api.post(f"/v1/searches/{search['id']}/run", body))["items"]
    return result  # type: ignore[no-any-return]


def outcome(memory: Json, rank: int | None, lost_at: str | None, state: str = "current", **given: Any) -> Json:
    counted = {"counted_as": None if state == "gone" else memory["id"]}
    return {"memory_id": memory["id"], "state": state, "rank": rank, "lost_at": lost_at} | counted | given


async def test_a_run_says_where_each_expected_memory_is_and_counts_no_access(tenant: Caller) -> None:
    ferry = await tenant.save("The ferry to Bergen leaves at nine")
    quay = await tenant.save("The ferry's quay has a blue ferry office")
    door = await tenant.save("Zwiebeln vertragen keine Nässe")
    search = await expecting(tenant, "when does the ferry to Bergen leave", ferry, quay, door, k=1)
    assert (search["revision"], search["last_result"], search["options"]) == (1, None, {})
    result = await run(tenant, search, min_relevance=0)
    found, below, lost = result["outcomes"]
    assert found == outcome(ferry, 1, None)
    assert (below["rank"], below["lost_at"]) == (2, "limit")
    assert lost["lost_at"] in ("candidates", "limit")
    assert result["recall"] == 1 / 3
    assert (result["overrides"], result["cause"], result["k"]) == ({"min_relevance": 0.0}, "request", 1)
    assert result["settings"]["rrf_k"] == 60
    assert (await tenant.get(f"/v1/memories/{ferry['id']}"))["access_count"] == 0
    assert (await tenant.get(f"/v1/searches/{search['id']}"))["last_result"] is None, "it had overrides"
    plain = await run(tenant, search)
    last = {"id": plain["id"], "recall": plain["recall"], "created_at": plain["created_at"]}
    assert (await tenant.get("/v1/searches", agent="a"))["items"][0]["last_result"] == last
    listed = await tenant.get(f"/v1/searches/{search['id']}/results", limit=1)
    assert listed["items"] == [plain]
    path = f"/v1/searches/{search['id']}/results"
    assert (await tenant.get(path, limit=1, cursor=listed["next_cursor"]))["items"] == [result]


@pytest.mark.first_tier
async def test_filters_are_kept_and_a_change_is_another_revision(tenant: Caller) -> None:
    tea = await tenant.save("Ana drinks green tea", user="ana", tags=["drink"])
    fields: Json = {"options": {"user": "bo", "include_faded": False, "since": "2020-01-01T00:00:00+02:00"}}
    search = await expecting(tenant, "green tea", tea, **fields)
    assert search["options"] == {"user": "bo", "since": "2019-12-31T22:00:00Z"}
    result = await run(tenant, search)
    assert (result["recall"], result["outcomes"]) == (0.0, [outcome(tea, None, "filters")])
    content = {"name": "Tea", "query": "green tea", "expected": [tea["id"]], "options": {"user": "ana"}}
    put = await tenant.put(f"/v1/searches/{search['id']}", content)
    assert (put["name"], put["revision"], put["last_result"]) == ("Tea", 2, None)
    assert (await run(tenant, search))["recall"] == 1.0
    renamed = await tenant.put(f"/v1/searches/{search['id']}", content | {"name": "Tee 🍵"})
    assert (renamed["revision"], renamed["last_result"]["recall"]) == (2, 1.0)
    results = (await tenant.get(f"/v1/searches/{search['id']}/results"))["items"]
    assert [one["revision"] for one in results] == [2, 1]
    await tenant.delete(f"/v1/searches/{search['id']}")
    assert await tenant.status("GET", f"/v1/searches/{search['id']}/results") == 404


async def test_a_filter_is_kept_exported_and_holds_in_each_run(tenant: Caller) -> None:
    tea = await tenant.save("Ana drinks green tea", metadata={"rank": 1})
    where = {"or": [{"metadata.rank": {"gte": 2}}, {"metadata.rank": {"exists": False}}]}
    search = await expecting(tenant, "green tea", tea, options={"where": where})
    assert search["options"] == {"where": where}
    assert (await run(tenant, search))["outcomes"] == [outcome(tea, None, "filters")]
    await tenant.patch(f"/v1/memories/{tea['id']}", {"version": 1, "metadata": {"rank": 2}})
    assert (await run(tenant, search))["recall"] == 1.0
    exported = (await tenant.call("GET", "/v1/export")).text
    await tenant.delete(f"/v1/searches/{search['id']}")
    await tenant.call("POST", "/v1/import", content=exported)
    assert (await tenant.get(f"/v1/searches/{search['id']}"))["options"] == {"where": where}


async def test_a_successor_counts_and_what_is_gone_is_left_out(tenant: Caller) -> None:
    first, second, third = ({"id": str(uuid4()), "type": "fact", "agent": "a"} for _ in range(3))
    chain = [
        third | {"content": "Sam lives in Oslo"},
        second | {"content": "Sam lives in Bergen", "superseded_by": third["id"]},
        first | {"content": "Sam lives in Berlin", "superseded_by": second["id"]},
    ]
    await tenant.call("POST", "/v1/import", content="\n".join(map(json.dumps, chain)))
    boat = await tenant.save("Sam's boat is moored in Kiel")
    search = await expecting(tenant, "Where does Sam live, and his boat?", first, boat, options={"min_relevance": 0})
    assert search["expected"][0] == {"memory_id": first["id"], "state": "superseded", "counted_as": third["id"]}
    result = await run(tenant, search)
    assert (result["outcomes"][0]["counted_as"], result["recall"]) == (third["id"], 1.0)
    await tenant.delete(f"/v1/memories/{boat['id']}")
    result = await run(tenant, search)
    assert (result["recall"], result["outcomes"][1]) == (1.0, outcome(boat, None, None, "gone"))
    await tenant.delete(f"/v1/memories/{third['id']}")
    result = await run(tenant, search)
    assert (result["recall"], result["outcomes"][0]) == (None, outcome(first, None, None, "gone"))
    kept = {"name": "x", "query": "boat", "expected": [boat["id"]]}
    assert (await tenant.put(f"/v1/searches/{search['id']}", kept))["expected"][0]["state"] == "gone"


async def test_what_is_wrong_is_named_and_nothing_is_stored(tenant: Caller) -> None:
    memory = await tenant.save("The kitchen has a blue door")
    theirs = await tenant.save("Private to b", agent="b")
    shared = await tenant.save("Known to the team", agent="b", scope="prime")
    good = {"agent": "a", "name": "n", "query": "door", "expected": [memory["id"]]}
    for changed, loc in (
        ({"expected": [memory["id"], str(uuid4())]}, ["body", "expected", 1]),
        ({"expected": [theirs["id"]]}, ["body", "expected", 0]),
        ({"expected": [shared["id"]]}, ["body", "expected", 0]),
        ({"expected": [memory["id"]] * 2}, ["body", "expected"]),
        ({"expected": []}, ["body", "expected"]),
        ({"expected": [memory["id"]] * 21}, ["body", "expected"]),
        ({"name": " "}, ["body", "name"]),
        ({"query": "x" * 8_001}, ["body", "query"]),
        ({"k": 101}, ["body", "k"]),
        ({"options": {"types": ["unheard-of"]}}, ["body", "options", "types"]),
        ({"options": {"where": {"metadata.a": {"near": 1}}}}, ["body", "options", "where", "metadata.a", "near"]),
        ({"options": {"limit": 5}}, ["body", "options", "limit"]),
        ({"options": {"since": "2024-02-01T00:00:00Z", "until": "2024-01-01T00:00:00Z"}}, ["body", "options", "until"]),
        ({"agent": None}, ["body", "agent"]),
    ):
        answer = await tenant.call("POST", "/v1/searches", json=good | changed)
        assert answer.status_code == 422, changed
        assert answer.json()["errors"][0]["loc"][: len(loc)] == loc
    search = await tenant.post("/v1/searches", good)
    path = f"/v1/searches/{search['id']}/run"
    assert await tenant.status("POST", path, json={"overrides": {"user": "x"}}) == 422
    assert await tenant.status("POST", "/v1/searches/run", json={}) == 422
    silent = {"X-Reverie-No-Memory": "1"}
    assert (await tenant.call("POST", path, json={}, headers=silent)).json() == {"items": []}
    assert (await tenant.call("POST", "/v1/searches", json=good, headers=silent)).status_code == 200
    assert (await tenant.get("/v1/searches"))["items"] == [search]


async def test_all_of_an_agent_run_and_an_agent_has_a_hundred(tenant: Caller) -> None:
    memory = await tenant.save("The launch is in May")
    of_b = await tenant.save("B knows of the launch too", agent="b")
    for number in range(100):
        await expecting(tenant, f"launch {number}", memory)
    body = {"agent": "a", "name": "one more", "expected": [memory["id"]]}
    assert await tenant.status("POST", "/v1/searches", json=body) == 409
    await expecting(tenant, "launch", of_b, agent="b")
    results = (await tenant.post("/v1/searches/run", {"agent": "a", "overrides": {"strategy": "keyword"}}))["items"]
    assert len(results) == 100
    assert {(one["strategy"], one["embedder"]) for one in results} == {("keyword", None)}
