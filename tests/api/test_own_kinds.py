"""Metadata of entities, held to the schema of their kind: by callers, dreams, imports, purges."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import SharedServer, Tenant
from tests.tables import table
from tests.worker.dreaming import asked_for, dream, fact, model, notes, say

Json = dict[str, Any]

PET = {
    "description": "An animal",
    "metadata_schema": {
        "type": "object", "required": ["species"], "maxProperties": 3,
        "properties": {
            "species": {"enum": ["cat", "dog", "Schildkröte"]}, "weight_kg": {"type": "number", "maximum": 90},
        },
    },
}  # fmt: skip
KINDS = {"pet": PET, "船": {"description": "A ship", "metadata_schema": {"additionalProperties": {"type": "string"}}}}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
async def kinds(api: Tenant) -> Tenant:
    await api.put("/v1/settings", {"entity_kinds": KINDS})
    return api


def link(name: str, kind: str | None = "pet", **metadata: Any) -> Json:
    return {"relation": "about", "entity": {"name": name, "kind": kind, "metadata": metadata}}


def memory(content: str, *links: Json, **fields: Any) -> Json:
    return {"agent": "a", "type": "fact", "content": content, "links": list(links)} | fields


async def entity(api: Tenant, name: str, agent: str = "a") -> Json:
    found: Json = await api.get(f"/v1/entities/{name}", agent=agent)
    return found


async def refused(api: Tenant, path: str, body: Json, method: str = "POST") -> list[Any]:
    answer = await api.call(method, path, json=body)
    assert answer.status_code == 422, answer.text
    loc: list[Any] = answer.json()["errors"][0]["loc"]
    return loc


async def test_metadata_is_merged_from_links_edges_and_changes(kinds: Tenant) -> None:
    await kinds.post("/v1/memories", memory("Rex barks", link("Rex", species="dog")))
    await kinds.post("/v1/memories", memory("Rex is heavy", link("rex", None, weight_kg=41.5)))
    await kinds.post("/v1/memories", memory("Rex sleeps", link("Rex")))
    rex = await entity(kinds, "Rex")
    assert rex["metadata"] == {"species": "dog", "weight_kg": 41.5}
    ends = {"source": {"entity": {"name": "Ann", "kind": "person", "metadata": {"anything": [1, {"x": None}]}}}}
    target = {"entity": {"name": "Rex", "kind": "pet", "metadata": {"weight_kg": 40}}}
    await kinds.post("/v1/edges", {"agent": "a", "relation": "about", **ends, "target": target})
    assert (await entity(kinds, "Ann"))["metadata"] == {"anything": [1, {"x": None}]}
    changed = await kinds.patch(f"/v1/entities/{rex['id']}", {"metadata": {"名": "レックス"}})
    assert changed["metadata"] == {"species": "dog", "weight_kg": 40, "名": "レックス"}
    listed = (await kinds.get("/v1/entities", agent="a", kind="pet"))["items"]
    assert [one["metadata"] for one in listed] == [changed["metadata"]]
    graph = await kinds.get("/v1/entities/Ann/graph", agent="a")
    assert graph["entities"][0]["metadata"] == changed["metadata"]
    most = (await kinds.get("/v1/entities", agent="a", sort="mentions"))["items"]
    assert most[0]["metadata"] == changed["metadata"]


async def test_metadata_that_does_not_fit_the_kind_is_refused_by_its_path(kinds: Tenant) -> None:
    for metadata, path in (
        ({"weight_kg": 3}, []), ({"species": "unicorn"}, ["species"]),
        ({"species": "dog", "weight_kg": "12"}, ["weight_kg"]),
        ({"species": "dog", "a": 1, "b": 2, "c": 3}, []),
    ):  # fmt: skip
        given = link("Rex", **metadata)
        loc = ["links", 1, "entity", "metadata", *path]
        wrong = memory("Rex", link("Tom", species="cat"), given)
        assert await refused(kinds, "/v1/memories", wrong) == ["body", *loc]
        batch = {"items": [memory("Kim waits"), wrong]}
        assert await refused(kinds, "/v1/memories/batch", batch) == ["body", "items", 1, *loc]
        edge = {
            "agent": "a",
            "relation": "about",
            "source": {"entity": given["entity"]},
            "target": {"entity": {"name": "x"}},
        }
        assert await refused(kinds, "/v1/edges", edge) == ["body", "source", "entity", "metadata", *path]
    assert (await kinds.get("/v1/entities", agent="a"))["items"] == []
    assert (await kinds.get("/v1/memories", agent="a"))["items"] == []


async def test_a_change_of_kind_holds_the_metadata_to_the_new_one(kinds: Tenant) -> None:
    await kinds.post("/v1/memories", memory("Nord sails", link("Nord", "船", flag="NO")))
    path = f"/v1/entities/{(await entity(kinds, 'Nord'))['id']}"
    assert await refused(kinds, path, {"kind": "pet"}, "PATCH") == ["body", "metadata"]
    assert await refused(kinds, path, {"metadata": {"crew": 4}}, "PATCH") == ["body", "metadata", "crew"]
    both = await kinds.patch(path, {"kind": "pet", "metadata": {"species": "cat"}})
    assert (both["kind"], both["metadata"]) == ("pet", {"flag": "NO", "species": "cat"})
    assert (await kinds.patch(path, {"name": "Süd", "metadata": None}))["metadata"] == both["metadata"]


async def test_a_hostile_schema_of_a_kind_is_refused(api: Tenant) -> None:
    with table() as row:
        for schema in [{"$ref": "#"}, {"properties": {"a": {"pattern": "(a+)+$"}}}, {"type": "text"}]:
            with row(schema):
                loc = await refused(api, "/v1/settings", {"entity_kinds": {"pet": {"metadata_schema": schema}}}, "PUT")
                assert loc == ["body", "entity_kinds", "pet", "metadata_schema"]


async def test_saves_at_once_lose_no_metadata(kinds: Tenant) -> None:
    await kinds.post("/v1/memories", memory("Two", link("Ada", "thing"), link("Bo", "thing")))
    await asyncio.gather(
        *(
            kinds.post(
                "/v1/memories",
                memory(
                    f"Fact {n}", *(link(name, "thing", **{f"k{n}": n}) for name in ("Ada", "Bo")[:: 1 - 2 * (n % 2)])
                ),
            )
            for n in range(12)
        )
    )
    for name in ("Ada", "Bo"):
        assert (await entity(kinds, name))["metadata"] == {f"k{n}": n for n in range(12)}


async def test_a_merged_entity_keeps_its_metadata_for_itself(kinds: Tenant) -> None:
    await kinds.post(
        "/v1/memories", memory("One", link("Rex", species="dog"), link("Rexi", species="cat", weight_kg=4))
    )
    one, two = [(await entity(kinds, name))["id"] for name in ("Rex", "Rexi")]
    assert (await kinds.post(f"/v1/entities/{two}/merge", {"into": one}))["metadata"] == {"species": "dog"}
    await kinds.post(f"/v1/entities/{two}/unmerge")
    assert (await entity(kinds, "Rexi"))["metadata"] == {"species": "cat", "weight_kg": 4}


async def test_metadata_goes_with_an_export(tenant: Tenant, shared_server: SharedServer) -> None:
    await tenant.put("/v1/settings", {"entity_kinds": KINDS})
    await tenant.post("/v1/memories", memory("Rex barks", link("Rex", species="dog", weight_kg=41.5)))
    lines = (await tenant.call("GET", "/v1/export")).text
    async with shared_server.tenant() as fresh:
        for _ in range(2):
            assert (await fresh.call("POST", "/v1/import", content=lines)).status_code == 200
            assert (await entity(fresh, "Rex"))["metadata"] == {"species": "dog", "weight_kg": 41.5}
    async with shared_server.tenant() as other:
        await other.post("/v1/memories", memory("Rex sleeps", link("Rex", "pet", weight_kg=3)))
        assert (await other.call("POST", "/v1/import", content=lines)).status_code == 200
        assert (await entity(other, "Rex"))["metadata"] == {"species": "dog", "weight_kg": 3}
    async with shared_server.tenant() as strict:
        wrong = await strict.call("POST", "/v1/import", content=lines.replace('"species":"dog"', '"species":"elk"'))
        assert wrong.status_code == 422
        assert wrong.json()["errors"][0]["loc"][2:] == ["metadata", "species"]


async def test_personal_data_in_metadata_is_masked_or_refused(kinds: Tenant) -> None:
    await kinds.put("/v1/settings", {"pii": {"mode": "redact"}})
    vet = {"vet": "ann@example.org"}
    await kinds.post("/v1/memories", memory("Rex barks", link("Rex", "thing", **vet)))
    rex = await entity(kinds, "Rex")
    assert "ann@" not in str(rex)
    assert "vet" in rex["metadata"]
    changed = await kinds.patch(f"/v1/entities/{rex['id']}", {"metadata": {"more": ["kim@example.org"]}})
    assert "kim@" not in str(changed)
    await kinds.put("/v1/settings", {"pii": {"mode": "reject"}})
    loc = ["body", "links", 0, "entity", "metadata"]
    assert await refused(kinds, "/v1/memories", memory("Tom", link("Tom", "thing", **vet))) == loc
    assert await refused(kinds, f"/v1/entities/{rex['id']}", {"metadata": vet}, "PATCH") == ["body", "metadata"]


async def test_a_purge_takes_what_only_the_user_said_of_an_entity(kinds: Tenant) -> None:
    described = {"owner": "zacharias", "species": "dog", "food": "pemmikan", "home": "Tromsø"}
    await kinds.put("/v1/settings", {"entity_kinds": {}})
    theirs = link("Rex", "pet", **described)
    await kinds.post("/v1/memories", memory("The dog of zacharias eats pemmikan", theirs, user="zacharias", owners=[]))
    await kinds.post("/v1/memories", memory("A dog lives in Tromsø", link("Rex", "pet"), user="kim", owners=[]))
    await kinds.post("/v1/memories", memory("Bo is small", link("Bo", "pet", food="pemmikan", friend="Zacharias")))
    exported = await kinds.get("/v1/users/zacharias/export")
    assert [edge["entity_metadata"] for edge in exported["edges"]] == [described]
    await kinds.post("/v1/users/zacharias/purge")
    assert (await entity(kinds, "Rex"))["metadata"] == {"species": "dog", "home": "Tromsø"}
    assert (await entity(kinds, "Bo"))["metadata"] == {"food": "pemmikan"}


@pytest.fixture
async def server(kinds: Tenant) -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened, kinds.lending(llm=model(opened, timeout_s=60)):
        yield opened


def saying(*statements: Json) -> Any:
    return lambda body: notes(list(statements)) if asked_for(body) == "Notes" else json.dumps({"sections": []})


def named(name: str, metadata: str | None, kind: str = "pet") -> Json:
    return {"name": name, "kind": kind, "metadata": metadata}


async def test_a_model_describes_entities_within_their_kinds(kinds: Tenant, server: FakeOpenAI) -> None:
    server.default_reply = saying(
        fact("Rex the dog met Tom and Nord", 1, entities=[
            named("Rex", '{"species": "dog"}'), named("Tom", '{"species": "elk"}'), named("Nord", '{"flag": 3}', "船"),
        ]),
        fact("Rex weighs 40", 1, entities=[named("Rex", '{"species": "dog", "weight_kg": 40}')]),
        fact("Rex met Ada", 1, entities=[named("Ada", "[1]"), named("Rex", None)]),
    )  # fmt: skip
    shown = await kinds.post("/v1/extract", {"agent": "a", "text": "Rex is a dog and weighs 40."})
    assert shown["candidates"][0]["entities"] == [
        {"name": "Rex", "kind": "pet", "metadata": {"species": "dog"}}, {"name": "Tom", "kind": "pet", "metadata": {}},
        {"name": "Nord", "kind": "船", "metadata": {}},
    ]  # fmt: skip
    await say(kinds, "Rex is a dog and weighs 40.")
    done = await dream(kinds)
    assert done["report"]["created"] == 3
    assert done["report"]["rejected"] == 3
    assert {one["name"]: one["metadata"] for one in (await kinds.get("/v1/entities", agent="a"))["items"]} == {
        "Rex": {"species": "dog", "weight_kg": 40}, "Tom": {}, "Nord": {}, "Ada": {},
    }  # fmt: skip
    prompt = next(body for body in server.requests("chat") if asked_for(body) == "Notes")["messages"][1]["content"]
    assert "Schildkröte" in prompt


async def test_a_dream_that_is_undone_takes_its_metadata_back(kinds: Tenant, server: FakeOpenAI) -> None:
    await kinds.post(
        "/v1/memories", memory("Rex barks", link("Rex", species="dog"), link("Bo", species="cat"), user="u1")
    )
    server.default_reply = saying(
        fact("Rex and Bo weigh 7 and Eve 9", 1, entities=[
            named(name, '{"species": "cat", "weight_kg": 7}') for name in ("Rex", "Bo", "Eve")
        ]),
    )  # fmt: skip
    await say(kinds, "Rex and Bo weigh 7, and Eve 9.")
    done = await dream(kinds)
    assert (await entity(kinds, "Eve"))["metadata"]["weight_kg"] == 7
    bo = await entity(kinds, "Bo")
    await kinds.patch(f"/v1/entities/{bo['id']}", {"metadata": {"weight_kg": 8}})
    changes = (await kinds.get(f"/v1/dreams/{done['id']}"))["changes"]
    described = {one["after"]["name"]: one["before"] for one in changes if one["op"] == "entity" and one["before"]}
    assert described == {"Rex": {"metadata": {"species": "dog"}}, "Bo": {"metadata": {"species": "cat"}}}
    await kinds.post(f"/v1/dreams/{done['id']}/undo")
    listed = {one["name"]: one["metadata"] for one in (await kinds.get("/v1/entities", agent="a"))["items"]}
    assert listed == {"Rex": {"species": "dog"}, "Bo": {"species": "cat", "weight_kg": 8}}
