"""Entities: walked, renamed, merged, split; edges drawn and deleted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Caller, Tenant

APOLLO = {"name": "Apollo", "kind": "project"}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def about(api: Caller, content: str, *entities: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return await api.save(content, links=[{"relation": "mentions", "entity": entity} for entity in entities], **fields)


async def test_the_walk_is_bounded_in_depth(api: Caller) -> None:
    uses = await about(api, "Apollo uses Postgres", APOLLO, {"name": "Postgres", "kind": "product"})
    other = await about(api, "Postgres has vectors", {"name": "Postgres", "kind": "product"})
    near = await api.get("/v1/entities/apollo/graph", agent="a", depth=1)
    assert [memory["id"] for memory in near["memories"]] == [uses["id"]]
    assert [entity["name"] for entity in near["entities"]] == ["Postgres"]
    two = await api.get("/v1/entities/Apollo/graph", agent="a")
    assert [entity["name"] for entity in two["entities"]] == ["Postgres"]
    far = await api.get("/v1/entities/apollo/graph", agent="a", depth=3)
    assert {memory["id"] for memory in far["memories"]} == {uses["id"], other["id"]}
    assert len(far["edges"]) == 3
    assert await api.status("GET", "/v1/entities/apollo/graph?agent=a&depth=5") == 422
    assert await api.status("GET", "/v1/entities/nobody/graph?agent=a") == 404


async def test_every_hop_is_within_what_the_agent_may_see(api: Caller) -> None:
    await about(api, "Apollo is secret", APOLLO)
    mine = await about(api, "Apollo is late", APOLLO, agent="b")
    other = await api.as_role("agent", "b")
    seen = await other.get("/v1/entities/apollo/graph", depth=4)
    assert [memory["id"] for memory in seen["memories"]] == [mine["id"]]
    hidden = (await api.get("/v1/entities", agent="a"))["items"][0]["id"]
    assert await other.status("GET", f"/v1/entities/{hidden}/graph") == 404
    assert await other.status("PATCH", f"/v1/entities/{hidden}", json={"name": "Mine"}) == 404


async def test_deleted_and_superseded_memories_are_not_walked_through(api: Caller) -> None:
    memory = await about(api, "Apollo uses Postgres", APOLLO, {"name": "Postgres", "kind": "product"})
    await api.delete(f"/v1/memories/{memory['id']}")
    seen = await api.get("/v1/entities/apollo/graph", agent="a", depth=4)
    assert (seen["memories"], seen["entities"]) == ([], [])


async def test_a_project_and_a_dog_of_one_name_stay_two(api: Caller) -> None:
    await about(api, "Apollo uses Postgres", APOLLO)
    await about(api, "Apollo barks", {"name": "Apollo", "kind": "pet"})
    response = await api.call("GET", "/v1/entities/apollo/graph", params={"agent": "a"})
    assert response.status_code == 300
    assert {candidate["kind"] for candidate in response.json()["candidates"]} == {"project", "pet"}


async def test_an_entity_is_renamed_and_found_by_its_other_names(api: Caller) -> None:
    await about(api, "Apollo uses Postgres", APOLLO)
    (entity,) = (await api.get("/v1/entities", agent="a"))["items"]
    changed = await api.patch(f"/v1/entities/{entity['id']}", {"name": "Artemis", "aliases": ["Moonshot"]})
    assert (changed["name"], changed["aliases"]) == ("Artemis", ["artemis", "moonshot"])
    assert (await api.get("/v1/entities/moonshot", agent="a"))["id"] == entity["id"]
    assert await api.status("GET", "/v1/entities/apollo?agent=a") == 404


async def test_a_name_that_is_taken_is_refused(api: Caller) -> None:
    await about(api, "Apollo and Gemini", APOLLO, {"name": "Gemini", "kind": "project"})
    entity = await api.get("/v1/entities/gemini", agent="a")
    assert await api.status("PATCH", f"/v1/entities/{entity['id']}", json={"name": "apollo"}) == 409
    assert (await api.get("/v1/entities/gemini", agent="a"))["name"] == "Gemini"


async def test_a_merge_is_recorded_and_taken_back_whole(api: Caller) -> None:
    both = await about(api, "Apollo is the Apollo programme", APOLLO, {"name": "Apollo programme", "kind": "project"})
    one = await about(api, "Apollo is late", APOLLO)
    first = await api.get("/v1/entities/apollo", agent="a")
    second = await api.get("/v1/entities/apollo programme", agent="a")
    edges = (await api.get("/v1/entities/apollo/graph", agent="a", depth=4))["edges"]
    merged = await api.post(f"/v1/entities/{first['id']}/merge", {"into": second["id"]})
    assert merged["id"] == second["id"]
    assert merged["aliases"] == ["apollo", "apollo programme"]
    assert (await api.get(f"/v1/entities/{first['id']}", agent="a"))["id"] == second["id"]
    assert [entity["id"] for entity in (await api.get("/v1/entities", agent="a"))["items"]] == [second["id"]]
    seen = await api.get("/v1/entities/apollo/graph", agent="a")
    assert {memory["id"] for memory in seen["memories"]} == {both["id"], one["id"]}
    assert await api.status("POST", f"/v1/entities/{first['id']}/merge", json={"into": second["id"]}) == 409
    back = await api.post(f"/v1/entities/{first['id']}/unmerge")
    assert back["aliases"] == ["apollo"]
    assert (await api.get("/v1/entities/apollo/graph", agent="a", depth=4))["edges"] == edges
    assert await api.status("POST", f"/v1/entities/{first['id']}/unmerge") == 409
    assert await api.status("POST", f"/v1/entities/{first['id']}/merge", json={"into": first["id"]}) == 422


async def test_a_split_takes_some_memories_along(api: Caller) -> None:
    late = await about(api, "Apollo is late", APOLLO)
    barks = await about(api, "Apollo barks", APOLLO)
    entity = await api.get("/v1/entities/apollo", agent="a")
    body = {"memory_ids": [barks["id"]], "name": "Apollo", "kind": "pet"}
    dog = await api.post(f"/v1/entities/{entity['id']}/split", body)
    for id_, memory in ((dog["id"], barks), (entity["id"], late)):
        seen = await api.get(f"/v1/entities/{id_}/graph", agent="a", depth=1)
        assert [found["id"] for found in seen["memories"]] == [memory["id"]]
    assert await api.status("POST", f"/v1/entities/{entity['id']}/split", json=body) == 409


async def test_edges_are_drawn_once_and_deleted(api: Caller) -> None:
    memory, cause = await api.save("The launch slipped"), await api.save("The engine failed")
    ends = {"source": {"memory_id": memory["id"]}, "target": {"memory_id": cause["id"]}}
    body = {"agent": "a", "relation": "caused_by"} | ends
    edge = await api.post("/v1/edges", body)
    assert (await api.post("/v1/edges", body))["id"] == edge["id"]
    assert await api.status("POST", "/v1/edges", json=body | {"target": {}}) == 422
    hidden = await api.save("b's own", agent="b")
    assert await api.status("POST", "/v1/edges", json=body | {"target": {"memory_id": hidden["id"]}}) == 422
    assert await (await api.as_role("agent", "b")).status("DELETE", f"/v1/edges/{edge['id']}") == 404
    await api.delete(f"/v1/edges/{edge['id']}")
    assert await api.status("DELETE", f"/v1/edges/{edge['id']}") == 404


async def test_a_memory_names_its_edges_and_what_they_lead_to(api: Caller) -> None:
    memory = await about(api, "The launch of Apollo slipped", APOLLO)
    cause = await api.save("The engine failed")
    ends = {"source": {"memory_id": memory["id"]}, "target": {"memory_id": cause["id"]}}
    await api.post("/v1/edges", {"agent": "a", "relation": "caused_by"} | ends)
    path = f"/v1/memories/{memory['id']}/links"
    links = await (await api.as_role("agent", "a")).get(path)
    assert [edge["relation"] for edge in links["edges"]] == ["mentions", "caused_by"]
    assert [entity["name"] for entity in links["entities"]] == ["Apollo"]
    assert [found["id"] for found in links["memories"]] == [cause["id"]]
    back = await api.get(f"/v1/memories/{cause['id']}/links")
    assert [edge["source_id"] for edge in back["edges"]] == [memory["id"]]
    await api.delete(f"/v1/memories/{cause['id']}")
    assert [found["id"] for found in (await api.get(path))["memories"]] == [cause["id"]]
    assert await (await api.as_role("agent", "b")).status("GET", path) == 404
    assert await api.status("GET", "/v1/memories/nothing/links") == 422
