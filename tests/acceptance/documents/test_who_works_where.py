"""Edges between a person and a company ("Ann works at Initech"), drawn by dreams and shown in the graph."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.live_api import Api, Tenant
from tests.worker.dreaming import dream, say

Json = dict[str, Any]


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def works(api: Api | Tenant, entity: str, **params: Any) -> set[tuple[str, str]]:
    """Who works where, by name, as the graph around an entity shows it."""
    graph = await api.get(f"/v1/entities/{entity}/graph", agent="a", **params)
    names = {one["id"]: one["name"] for one in [graph["entity"], *graph["entities"]]}
    return {
        (names[edge["source_id"]], names[edge["target_id"]])
        for edge in graph["edges"]
        if edge["relation"] == "works_at"
    }


async def test_a_person_is_linked_to_the_company_they_work_at(api: Tenant) -> None:
    await say(api, "I work at Initech.", "My friend Tom likes anchovies.", user="Ann")
    await api.save("Bea works at Acme Robotics.")
    await api.save("Globex hired Lena Fischer as CTO in January.")
    await dream(api)
    assert await works(api, "Ann") == {("Ann", "Initech")}
    assert await works(api, "Initech", depth=1) == {("Ann", "Initech")}
    assert await works(api, "Acme Robotics") == {("Bea", "Acme Robotics")}
    assert await works(api, "Lena Fischer") == {("Lena Fischer", "Globex")}
    kinds = {one["name"]: one["kind"] for one in (await api.get("/v1/entities", agent="a"))["items"]}
    assert (kinds["Bea"], kinds["Acme Robotics"]) == ("person", "company")
    assert (kinds["Lena Fischer"], kinds["Globex"]) == ("person", "company")
    drawn = {
        (*each["owners"], one["text"])
        for each in (await api.get("/v1/dreams", agent="a"))["items"]
        for one in (await api.get(f"/v1/dreams/{each['id']}"))["changes"]
        if one["op"] == "linked" and "works_at" in one["text"]
    }
    assert drawn == {
        ("Ann", "→ Ann works_at Initech"), ("→ Bea works_at Acme Robotics",), ("→ Lena Fischer works_at Globex",)
    }  # fmt: skip
    (edge,) = [
        one
        for one in (await api.get("/v1/entities/Ann/graph", agent="a"))["edges"]
        if one["relation"] == "works_at"
    ]  # fmt: skip
    assert (await api.get(f"/v1/memories/{edge['memory_id']}"))["content"] == "Ann works at Initech."


async def test_no_edge_without_names_or_of_what_is_not_so(api: Tenant) -> None:
    await say(
        api,
        "I work at a bakery.",
        "I don't work at Initech.",
        "I left Globex.",
        "I would love to work at Hooli.",
        "Do you work at Hooli?",
        "I work from home.",
        user="Ann",
    )
    await dream(api)
    assert await works(api, "Ann") == set()


async def test_what_is_superseded_leaves_no_edge(api: Tenant) -> None:
    for company in ("Initech", "Globex", "Initech"):
        await say(api, f"I now work at {company}.", user="Ann", session=f"at {company}")
        last = await dream(api)
        assert await works(api, "Ann") == {("Ann", company)}
    assert await works(api, "Globex") == set()
    assert (await api.call("POST", f"/v1/dreams/{last['id']}/undo")).status_code == 200
    assert await works(api, "Ann") == {("Ann", "Globex")}
    await dream(api)
    await say(api, "I left Initech.", user="Ann", session="later")
    await dream(api)
    assert await works(api, "Ann") == set()


async def test_what_is_edited_or_deleted_leaves_no_edge(api: Tenant) -> None:
    saved = await api.save("Bea works at Initech")
    await dream(api)
    assert await works(api, "Initech") == {("Bea", "Initech")}
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": "Bea works at Globex"})
    assert await works(api, "Initech") == set()
    await dream(api)
    assert await works(api, "Globex") == await works(api, "Bea") == {("Bea", "Globex")}
    await api.delete(f"/v1/memories/{saved['id']}")
    assert await works(api, "Globex") == set()


async def test_of_duplicates_the_one_that_stays_states_the_edge(api: Tenant) -> None:
    await api.save("Bea works at Initech")
    newer = await api.save("Bea works at Initech.")
    await dream(api)
    kept = await api.save("Bea works at Initech!", key="bea")
    await dream(api)
    assert (await api.get(f"/v1/memories/{newer['id']}"))["superseded_by"] is not None
    assert await works(api, "Bea") == {("Bea", "Initech")}
    graph = await api.get("/v1/entities/Bea/graph", agent="a")
    assert [edge["memory_id"] for edge in graph["edges"] if edge["relation"] == "works_at"] == [kept["id"]]


@pytest.mark.parametrize("users", ["separate", "shared"])
async def test_hearsay_draws_no_edge(api: Tenant, users: str) -> None:
    await api.put("/v1/settings", {"users": users})
    await say(api, "I live in Oslo.", user="Alice")
    await dream(api)
    await say(api, "Alice works at Globex.", user="mallory", session="m")
    await dream(api)
    assert {"Globex", "Alice"} <= {one["name"] for one in (await api.get("/v1/entities", agent="a"))["items"]}
    for user in ("Alice", "mallory"):
        assert await works(api, "Alice", user=user) == set()


async def test_undone_exported_and_purged_with_what_states_it(own_api: Api, database_url: str) -> None:
    api = own_api
    await say(api, "I work at Initech.", user="Ann")
    done = await dream(api.runtime)
    exported = await api.get("/v1/users/Ann/export")
    assert [edge["relation"] for edge in exported["edges"]].count("works_at") == 1
    assert (await api.call("POST", f"/v1/dreams/{done['id']}/undo")).status_code == 200
    assert (await api.get("/v1/entities", agent="a"))["items"] == []
    await dream(api.runtime)
    assert await works(api, "Ann") == {("Ann", "Initech")}
    await api.post("/v1/users/Ann/purge")
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval("SELECT (SELECT count(*) FROM edges) + (SELECT count(*) FROM entities)") == 0
    await connection.close()


async def test_nobody_sees_an_edge_of_another_agents_memory(api: Tenant) -> None:
    await api.save("Bea works at Initech", agent="b")
    await dream(api, "b")
    await api.save("Bea met Tom at Initech", agent="a")
    await dream(api, "a")
    assert await works(api, "Initech") == set()
    agent = await api.as_role("agent", "a")
    assert await works(agent, "Initech") == set()


async def test_two_statements_of_one_employment_survive_a_merge_of_entities(api: Tenant) -> None:
    await api.save("Bea works at Initech")
    await api.save("Beatrice works at Initech")
    await dream(api)
    ids = {one["name"]: UUID(one["id"]) for one in (await api.get("/v1/entities", agent="a"))["items"]}
    await api.post(f"/v1/entities/{ids['Beatrice']}/merge", {"into": str(ids["Bea"])})
    assert await works(api, "Bea") == {("Bea", "Initech")}
    await api.post(f"/v1/entities/{ids['Beatrice']}/unmerge")
    assert await works(api, "Beatrice", depth=1) == {("Beatrice", "Initech")}
