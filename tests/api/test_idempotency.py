"""A POST sent twice under one Idempotency-Key happens once and is answered twice the same."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.live_api import Api, Caller, Tenant
from tests.processes import ServerProcess
from worker.maintenance.retention import apply_retention

MEMORY = {"agent": "a", "type": "event", "content": "The lease was signed"}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def send(api: Caller, path: str, body: Any, key: str = "k1", **options: Any) -> Any:
    return await api.call("POST", path, json=body, headers={"Idempotency-Key": key}, **options)


WRITES = [
    ("/v1/memories", MEMORY),
    ("/v1/memories/batch", {"items": [MEMORY, {**MEMORY, "content": "And paid"}]}),
    ("/v1/sessions", {"agent": "a"}),
    ("/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "user", "content": "hello"}]}),
    ("/v1/keys", {"role": "agent", "agent": "a", "name": "one"}),
    ("/v1/agents/known/dream", {}),
]


@pytest.mark.parametrize(("path", "body"), WRITES)
async def test_a_repetition_is_an_exact_replay(api: Caller, path: str, body: dict[str, Any]) -> None:
    await api.put("/v1/agents/known", {})
    first = await send(api, path, body)
    again = await send(api, path, body)
    assert first.is_success
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["content-type"] == first.headers["content-type"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert (await send(api, path, body, key="k2")).content != first.content or "dream" in path


@pytest.mark.parametrize(("path", "body"), WRITES)
async def test_the_key_of_another_request_is_refused(api: Caller, path: str, body: dict[str, Any]) -> None:
    await api.put("/v1/agents/known", {})
    await send(api, path, body)
    other = await send(api, "/v1/memories", {**MEMORY, "content": "Something else"})
    assert other.status_code == 409
    assert other.headers["content-type"] == "application/problem+json"
    memories = (await api.get("/v1/memories", agent="a"))["items"]
    assert all(memory["content"] != "Something else" for memory in memories)


async def test_a_repeated_append_appends_once(api: Caller) -> None:
    body = {"agent": "a", "messages": [{"role": "user", "content": "hello"}]}
    for _ in range(3):
        await send(api, "/v1/sessions/s/messages", body)
    assert len((await api.get("/v1/sessions/s/messages", agent="a"))["items"]) == 1


async def test_the_same_json_in_another_spelling_is_the_same_request(api: Caller) -> None:
    first = await send(api, "/v1/memories", MEMORY)
    spelled = b'{ "content":"The lease was signed", "type":"event",\n"agent":"a" }'
    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json"}
    again = await api.call("POST", "/v1/memories", content=spelled, headers=headers)
    assert again.content == first.content


async def test_twenty_at_once_write_once(api: Caller) -> None:
    body = {"agent": "a", "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}
    answers = await asyncio.gather(*(send(api, "/v1/sessions/s/messages", body) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert len((await api.get("/v1/sessions/s/messages", agent="a"))["items"]) == 2


async def test_what_failed_is_tried_again(api: Caller) -> None:
    bad = {**MEMORY, "links": [{"relation": "about", "memory_id": "00000000-0000-7000-8000-00000000dead"}]}
    assert (await send(api, "/v1/memories", bad)).status_code == 422
    assert (await api.get("/v1/memories", agent="a"))["items"] == []
    assert (await send(api, "/v1/memories", MEMORY)).status_code == 201


async def test_keys_of_two_callers_do_not_meet(api: Caller) -> None:
    await send(api, "/v1/memories", {**MEMORY, "content": "The admin's secret"})
    holder = await api.as_role("agent", "b")
    other = await send(holder, "/v1/memories", {"type": "fact", "content": "Mine"})
    assert other.status_code == 201
    assert other.json()["memory"]["agent"] == "b"


async def test_a_revoked_key_is_not_replayed_to(api: Caller) -> None:
    made = await api.post("/v1/keys", {"role": "agent", "agent": "a", "name": "one"})
    holder = replace(api, key=made["key"])
    body = {"type": "fact", "content": "Mine"}
    assert (await send(holder, "/v1/memories", body)).status_code == 201
    await api.delete(f"/v1/keys/{made['id']}")
    assert (await send(holder, "/v1/memories", body)).status_code == 401


async def test_what_is_kept_cannot_be_read(own_api: Api) -> None:
    given = "an idempotency key that no bytes resemble"
    made = (await send(own_api, "/v1/keys", {"role": "reader", "name": "one"}, given)).json()
    async with own_api.runtime.db.unscoped() as connection:
        rows = await connection.raw.fetch("SELECT * FROM idempotency")
    kept = [bytes(value) for row in rows for value in row.values() if isinstance(value, bytes)]
    assert kept
    assert not any(made["key"].encode() in value or given.encode() in value for value in kept)


@pytest.mark.parametrize("key", [b"", b"x" * 256, "é".encode()])
async def test_a_bad_key_is_named(api: Caller, key: bytes) -> None:
    answer = await api.call("POST", "/v1/memories", json=MEMORY, headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["header", "Idempotency-Key"]


async def test_a_search_is_never_kept(api: Caller) -> None:
    await api.save("Signed")
    found = await send(api, "/v1/memories/search", {"agent": "a", "query": "signed"})
    await api.save("Signed again")
    again = await send(api, "/v1/memories/search", {"agent": "a", "query": "signed"})
    assert len(again.json()["results"]) == len(found.json()["results"]) + 1


async def test_a_crash_leaves_the_write_and_its_answer_or_neither(server: ServerProcess) -> None:
    """The server is killed while twenty appends are under way; every one of them is then sent again."""
    bodies = [{"agent": "a", "messages": [{"role": "user", "content": f"turn {n}"}]} for n in range(20)]

    async def append(n: int) -> Any:
        return await server.call(
            "POST", "/v1/sessions/s/messages", json=bodies[n], headers={"Idempotency-Key": f"turn-{n}"}
        )

    sent = [asyncio.ensure_future(append(n)) for n in range(20)]
    await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
    server.signal(signal.SIGKILL)
    await asyncio.wait(sent)
    answered = {n: one.result() for n, one in enumerate(sent) if one.exception() is None}
    assert answered
    await server.restart()
    for n in range(20):
        answer = await append(n)
        assert answer.status_code == 201
        assert n not in answered or answer.content == answered[n].content
    items = (await server.call("GET", "/v1/sessions/s/messages?agent=a&limit=200")).json()["items"]
    assert sorted(item["content"] for item in items) == sorted(f"turn {n}" for n in range(20))
    assert [item["seq"] for item in items] == list(range(1, 21))


async def test_answers_are_forgotten_after_a_day(own_api: Api) -> None:
    first = await send(own_api, "/v1/memories", MEMORY)
    own_api.runtime.now = lambda: datetime.now(UTC) + timedelta(hours=23)
    assert (await send(own_api, "/v1/memories", MEMORY)).content == first.content
    assert (await apply_retention(own_api.runtime))["answers"] == 0
    own_api.runtime.now = lambda: datetime.now(UTC) + timedelta(hours=25)
    assert (await send(own_api, "/v1/memories", MEMORY)).status_code == 200
    own_api.runtime.now = lambda: datetime.now(UTC) + timedelta(hours=50)
    assert (await apply_retention(own_api.runtime))["answers"] == 1
