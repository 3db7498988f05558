"""The filter ``where``: what it means, everywhere it is accepted, its bounds, and its errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from service.domain.where import CONDITIONS_MAX, DEPTH_MAX, KEYS_MAX, TEXT_MAX, VALUES_MAX
from tests.live_api import Caller, Tenant
from tests.promises.where_evaluator import passes, random_metadata, random_where

Json = dict[str, Any]
DELETE = "/v1/memories/delete"


async def _listed(api: Caller, where: Json, **params: Any) -> list[Json]:
    answer = await api.get("/v1/memories", where=json.dumps(where), limit=200, **params)
    return [memory for memory in answer["items"] if memory["type"] != "insight"]


async def _contents(api: Caller, where: Json) -> set[str]:
    return {memory["content"] for memory in await _listed(api, where)}


async def _save_random(api: Tenant, random: Random, count: int) -> list[Json]:
    start = datetime(2026, 2, 27, tzinfo=UTC)
    items = []
    for number in range(count):
        item: Json = {
            "agent": random.choice("ab"), "type": random.choice(("fact", "event")), "content": f"Memory {number}.",
            "metadata": random_metadata(random), "importance": random.choice((0.1, 0.5, 1)), "key": f"k{number}",
            "tags": random.sample(("x", "draft", "名"), random.randint(0, 3)), "source": random_metadata(random),
        }  # fmt: skip
        if random.random() < 0.5:
            item |= {"user": random.choice(("ada", "O'Hara")), "session": random.choice(("s", "t"))}
        if random.random() < 0.5:
            item["occurred_at"] = (start + timedelta(hours=random.randint(0, 100))).isoformat()
        items.append(item)
    await api.post("/v1/memories/batch", {"items": items})
    return await _listed(api, {"key": {"exists": True}})


@pytest.mark.parametrize("seed", range(4))
async def test_random_filters_find_what_plain_python_does(tenant: Tenant, seed: int) -> None:
    random = Random(seed)
    stored = await _save_random(tenant, random, 60)
    assert len(stored) == 60
    some = 0
    for _ in range(120):
        where = random_where(random)
        expected = {memory["id"] for memory in stored if passes(where, memory)}
        assert {memory["id"] for memory in await _listed(tenant, where)} == expected, json.dumps(where)
        some += 0 < len(expected) < 60
    assert some > 15


@pytest.mark.exhaustive
async def test_a_search_by_any_way_finds_what_passes(tenant: Tenant) -> None:
    random = Random(7)
    stored = await _save_random(tenant, random, 60)
    own = [memory for memory in stored if memory["agent"] == "a"]
    for _ in range(25):
        where = random_where(random)
        expected = {memory["id"] for memory in own if passes(where, memory)}
        for strategy in ("hybrid", "recent"):
            found = await tenant.search("memory", where=where, limit=100, min_relevance=0, strategy=strategy)
            assert {memory["id"] for memory in found} == expected, (strategy, json.dumps(where))


@pytest.mark.exhaustive
async def test_missing_keys_meet_nothing_but_ne_exists_and_not(tenant: Tenant) -> None:
    await tenant.save("With.", metadata={"p": 3, "n": None, "list": ["a", 2]})
    await tenant.save("Without.")
    for where in ({"metadata.p": 3}, {"metadata.p": {"gte": 3}}, {"metadata.p": {"exists": True}}, {"metadata.n": None},
                  {"metadata.n": {"exists": True}}, {"metadata.list": "a"}, {"metadata.list": {"gt": 1}},
                  {"metadata.p": {"in": [3, "x"]}}):  # fmt: skip
        assert await _contents(tenant, where) == {"With."}, where
    for where in ({"metadata.p": {"ne": 3}}, {"metadata.p": {"exists": False}}, {"not": {"metadata.p": 3}}):
        assert await _contents(tenant, where) == {"Without."}, where
    for where in ({"metadata.p": "3"}, {"metadata.p": {"gt": "0"}}, {"metadata.p": True}, {"metadata.p": {"gt": 3}}):
        assert await _contents(tenant, where) == set(), where


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("where", "loc", "words"),
    [
        ({}, [], "at least one condition"),
        ({"priority": 3}, ["priority"], "no field"),
        ({"metadata": {"a": 1}}, ["metadata"], "needs a key"),
        ({"metadata.": 1}, ["metadata."], "empty key"),
        ({"metadata.a..b": 1}, ["metadata.a..b"], "empty key"),
        ({'metadata."a': 1}, ['metadata."a'], "not closed"),
        ({'metadata."a"b': 1}, ['metadata."a"b'], "a dot"),
        ({"tags.x": 1}, ["tags.x"], "no keys"),
        ({"metadata.a": {"$gte": 3}}, ["metadata.a", "$gte"], "operators"),
        ({"metadata.a": {}}, ["metadata.a"], "operator"),
        ({"metadata.a": [1]}, ["metadata.a"], '"in"'),
        ({"metadata.a": {"in": []}}, ["metadata.a", "in"], "list of 1"),
        ({"metadata.a": {"in": [1, {}]}}, ["metadata.a", "in", 1], "text"),
        ({"metadata.a": {"gt": None}}, ["metadata.a", "gt"], "number"),
        ({"metadata.a": {"lt": True}}, ["metadata.a", "lt"], "number"),
        ({"metadata.a": {"exists": "yes"}}, ["metadata.a", "exists"], "true or false"),
        ({"user": None}, ["user", "eq"], "exists"),
        ({"created_at": {"gt": "yesterday"}}, ["created_at", "gt"], "timestamp"),
        ({"created_at": {"gt": 5}}, ["created_at", "gt"], "timestamp"),
        ({"created_at": {"gt": "0001-01-01T00:00:00+14:00"}}, ["created_at", "gt"], "timestamp"),
        ({"and": {}}, ["and"], "list"),
        ({"and": []}, ["and"], "list"),
        ({"or": [{"metadata.a": 1}, 5]}, ["or", 1], "JSON object"),
        ({"and": [{"not": {"metadata.a": {"near": 1}}}]}, ["and", 0, "not", "metadata.a", "near"], "operators"),
        ({"metadata.a": "x" * (TEXT_MAX + 1)}, ["metadata.a", "eq"], "longer"),
        ({"metadata." + "a" * TEXT_MAX: 1}, ["metadata." + "a" * TEXT_MAX], "longer"),
        ({"metadata" + ".a" * (KEYS_MAX + 1): 1}, ["metadata" + ".a" * (KEYS_MAX + 1)], "keys"),
        ({"metadata.a": {"in": [0] * (VALUES_MAX + 1)}}, ["metadata.a", "in"], "list of 1"),
        ({"or": [{"metadata.a": 1}] * (CONDITIONS_MAX + 1)}, [], "conditions"),
    ],
)
async def test_an_error_names_the_path_that_is_wrong(tenant: Tenant, where: Json, loc: list[Any], words: str) -> None:
    requests = [
        ("POST", "/v1/memories/search", {"json": {"agent": "a", "query": "x", "where": where}}, ["body", "where"]),
        ("POST", "/v1/context", {"json": {"agent": "a", "message": "x", "where": where}}, ["body", "where"]),
        ("GET", "/v1/memories", {"params": {"where": json.dumps(where)}}, ["query", "where"]),
        ("POST", DELETE, {"json": {"filter": {"where": where}, "dry_run": True}}, ["body", "filter", "where"]),
    ]
    await tenant.save("Ada drinks tea.")
    for method, path, options, prefix in requests:
        answer = await tenant.call(method, path, **options)
        assert answer.status_code == 422, (path, answer.text)
        (error,) = answer.json()["errors"]
        assert error["loc"] == [*prefix, *loc], path
        assert words in error["msg"], path


@pytest.mark.exhaustive
async def test_the_largest_filter_is_answered(tenant: Tenant) -> None:
    await tenant.save("Ada drinks tea.", metadata={"a": 1})
    largest = {"metadata.a": {"in": list(range(VALUES_MAX))}}
    where: Json = {"or": [largest, *[{"metadata.a": {"in": list(range(150))}}] * (CONDITIONS_MAX - 1)]}
    for _ in range(DEPTH_MAX - 1):
        where = {"not": where}
    assert len(await tenant.search("tea", where=where)) == 0
    assert len(await tenant.search("tea", where=where["not"])) == 1
    deeper: Json = {"not": {"not": where}}
    answer = await tenant.call("POST", "/v1/memories/search", json={"agent": "a", "query": "x", "where": deeper})
    assert answer.status_code == 422
    assert "levels" in answer.text


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text", ["", "x", "[]", "1", "null", "{", '{"metadata.a": NaN}', "[" * 9_000, '{"metadata.a": "\\ud800"}']
)
async def test_a_filter_in_a_query_string_must_be_a_json_object(tenant: Tenant, text: str) -> None:
    answer = await tenant.call("GET", "/v1/memories", params={"where": text})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"][:2] == ["query", "where"]


@pytest.mark.exhaustive
async def test_a_deletion_by_a_filter_takes_what_passes(tenant: Tenant) -> None:
    await tenant.save("Old.", metadata={"batch": 1}, tags=["draft"])
    await tenant.save("Kept.", metadata={"batch": 1})
    filter_ = {"where": {"metadata.batch": 1, "tags": {"in": ["draft"]}}}
    counted = await tenant.post("/v1/memories/delete", {"filter": filter_, "dry_run": True})
    assert counted["counts"] == {"memories": 1}
    await tenant.post("/v1/memories/delete", {"filter": filter_, "token": counted["token"]})
    assert await _contents(tenant, {"metadata.batch": 1}) == {"Kept."}


@pytest.mark.exhaustive
async def test_a_search_of_the_past_filters_what_held_then(tenant: Tenant) -> None:
    saved = await tenant.save("Ada drinks tea.", metadata={"state": "draft"}, tags=["x"])
    then = datetime.now(UTC).isoformat()
    await tenant.patch(
        f"/v1/memories/{saved['id']}", {"version": saved["version"], "metadata": {"state": "final"}, "tags": ["y"]}
    )
    for where, now, before in (
        ({"metadata.state": "draft"}, 0, 1),
        ({"metadata.state": "final"}, 1, 0),
        ({"tags": "x", "agent": "a", "created_at": {"lte": then}}, 0, 1),
        ({"not": {"tags": "x"}}, 1, 0),
    ):
        assert len(await tenant.search("tea", where=where)) == now, where
        assert len(await tenant.search("tea", where=where, as_of=then)) == before, where


@pytest.mark.exhaustive
async def test_a_filter_is_masked_as_what_it_filters_was_stored(tenant: Tenant) -> None:
    await tenant.put("/v1/settings", {"pii": {"mode": "redact"}})
    await tenant.save(
        "She wrote.", metadata={"mail": "ada@example.com"}, user="ben@example.com", tags=["eve@example.com"]
    )
    for where in (
        {"metadata.mail": "ada@example.com"},
        {"user": "ben@example.com"},
        {"tags": {"in": ["eve@example.com"]}},
    ):
        assert await _contents(tenant, where) == {"She wrote."}, where
        assert len(await tenant.search("wrote", where=where)) == 1, where
    assert await _contents(tenant, {"user": "eve@example.com"}) == set()


@pytest.mark.exhaustive
async def test_a_preview_names_the_filter_that_hides_a_memory(tenant: Tenant) -> None:
    saved = await tenant.save("Ada drinks tea.", metadata={"a": 1})
    body = {"agent": "a", "query": "tea", "where": {"metadata.a": 2}, "explain_id": saved["id"]}
    answer = await tenant.post("/v1/memories/search/preview", body)
    assert answer["explanation"]["filters"] == ["where"]
