"""Saves of one key, one content or the same new names at the same time."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from tests.live_api import Caller, Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def test_twenty_parallel_saves_of_one_key_give_one_row(api: Caller) -> None:
    body = {"agent": "a", "type": "fact", "key": "k"}
    saves = [api.post("/v1/memories", body | {"content": f"value {n}"}) for n in range(20)]
    answers = await asyncio.gather(*saves)
    assert len({answer["memory"]["id"] for answer in answers}) == 1
    assert sum(answer["created"] for answer in answers) == 1
    assert len((await api.get("/v1/memories"))["items"]) == 1


@pytest.mark.first_tier
async def test_parallel_saves_of_one_content_give_one_row(api: Caller) -> None:
    answers = await asyncio.gather(*[api.save("the same") for _ in range(10)])
    assert len({answer["id"] for answer in answers}) == 1


async def test_saves_at_the_same_time_keep_to_themselves(api: Caller) -> None:
    """They may be written together, but each gets its own answer, and one that fails takes no other with it."""
    bodies = [
        {"agent": f"a{n % 3}", "type": "fact", "content": f"Statement {n}"}
        | ({"links": [{"relation": "about", "memory_id": str(uuid4())}]} if n % 10 == 3 else {})
        for n in range(40)
    ]
    answers = await asyncio.gather(*(api.call("POST", "/v1/memories", json=body) for body in bodies))
    for body, answer in zip(bodies, answers, strict=True):
        if "links" in body:
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["loc"] == ["body", "links", 0, "memory_id"]
        else:
            assert answer.status_code == 201
            assert answer.json()["memory"]["content"] == body["content"]
            assert answer.json()["memory"]["agent"] == body["agent"]
    assert len((await api.get("/v1/memories", limit=200))["items"]) == 36


@pytest.mark.first_tier
async def test_batches_that_repeat_each_other_do_not_block_each_other(api: Caller) -> None:
    contents = [f"Statement {n}" for n in range(50)]

    async def save(order: int) -> int:
        items = [{"agent": "a", "type": "fact", "content": content} for content in contents[::order]]
        return (await api.call("POST", "/v1/memories/batch", json={"items": items})).status_code

    assert await asyncio.gather(*(save(1 if n % 2 else -1) for n in range(12))) == [201] * 12
    assert len((await api.get("/v1/memories", limit=200))["items"]) == 50


@pytest.mark.parametrize("kinds", [("agent",), ("session",), ("task",), ("agent", "task")])
async def test_batches_that_name_the_same_new_ones_do_not_block_each_other(api: Caller, kinds: tuple[str, ...]) -> None:
    await api.save("Here already", agent="a")
    names = [(kind, f"{kind}-{n}") for n in range(40) for kind in kinds]

    async def save(number: int) -> int:
        named = names[:: 1 if number % 2 else -1]
        items = [{"agent": "a", "type": "fact", "content": f"{number} {name}", kind: name} for kind, name in named]
        return (await api.call("POST", "/v1/memories/batch", json={"items": items})).status_code

    assert await asyncio.gather(*(save(number) for number in range(6))) == [201] * 6


async def test_batches_that_link_to_the_same_new_entities_do_not_block_each_other(api: Caller) -> None:
    await api.save("Here already", agent="a")
    names = [f"Entity {n}" for n in range(40)]

    async def save(number: int) -> int:
        links = [{"relation": "about", "entity": {"name": name, "kind": "place"}} for name in names]
        items = [
            {"agent": "a", "type": "fact", "content": f"{number} {link['entity']['name']}", "links": [link]}
            for link in links[:: 1 if number % 2 else -1]
        ]
        return (await api.call("POST", "/v1/memories/batch", json={"items": items})).status_code

    assert await asyncio.gather(*(save(number) for number in range(6))) == [201] * 6
    assert len((await api.get("/v1/entities", agent="a", limit=200))["items"]) == len(names)
