"""Limits of workspaces and keys: requests, what is stored, dreams; who sets them, and that the counts stay true."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.domain.ids import NO_KEY
from service.memory.counters import RequestLimits
from service.settings import Settings
from tests.live_api import Api, serving
from tests.tables import table
from worker.maintenance.retention import apply_retention, count_stored

ACTUAL = """SELECT count(*) AS rows, coalesce(sum(bytes), 0)::bigint AS bytes FROM (
    SELECT key_id, octet_length(content) + octet_length(metadata::text) AS bytes FROM memories WHERE workspace_id = $1
    UNION ALL
    SELECT key_id, octet_length(content) + coalesce(octet_length(content_json::text), 0)
    FROM messages WHERE workspace_id = $1
) i WHERE $2::uuid = $3 OR key_id = $2"""
COUNTED = "SELECT rows, bytes FROM stored_counts WHERE workspace_id = $1 AND key_id = $2"
TURNS = {
    "agent": "a",
    "messages": [{"role": "user", "content": "Ich trinke Tee"}, {"role": "assistant", "content": "👍"}],
}


async def _limited(api: Api, **limits: Any) -> tuple[UUID, Api]:
    """A new workspace with these limits, and its first admin."""
    made = await api.post("/v1/workspaces", {"name": f"w-{uuid4().hex[:8]}"})
    answer = await api.patch(f"/v1/workspaces/{made['id']}", {"limits": limits})
    assert {name: value for name, value in answer["limits"].items() if value is not None} == limits
    return UUID(made["id"]), replace(api, key=made["key"])


async def _key(api: Api, role: str = "agent", **fields: Any) -> tuple[UUID, Api]:
    body = {"role": role, "name": "k"} | ({"agent": "a"} if role == "agent" else {}) | fields
    made = await api.post("/v1/keys", body)
    return UUID(made["id"]), replace(api, key=made["key"])


async def _stored(api: Api, workspace: UUID, statement: str, *values: Any) -> list[Any]:
    async with api.runtime.db.transaction(workspace) as connection:
        rows: list[Any] = await connection.raw.fetch(statement, *values)
        return rows


async def _is_true(api: Api, workspace: UUID, key_id: UUID = NO_KEY) -> tuple[int, int]:
    """The counted rows and bytes, which are those that are there."""
    actual = (await _stored(api, workspace, ACTUAL, workspace, key_id, NO_KEY))[0]
    counted = (await _stored(api, workspace, COUNTED, workspace, key_id))[0]
    assert tuple(counted) == tuple(actual)
    return int(counted["rows"]), int(counted["bytes"])


async def _refused(caller: Api, method: str, path: str, body: Any, status: int = 409, **options: Any) -> Any:
    answer = await caller.call(method, path, json=body, **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert ("retry-after" in answer.headers) == (status == 429)
    problem = answer.json()
    assert problem["title"] == "Limit reached"
    assert problem["limit"] in problem["detail"]
    return {name: problem[name] for name in ("limit", "of", "max", "used")}


def _draft(content: str, **fields: Any) -> dict[str, Any]:
    return {"agent": "a", "type": "fact", "content": content} | fields


async def test_more_rows_than_the_limit_are_refused_whole(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=3)
    await admin.save("Ada drinks tea")
    batch = {"items": [_draft(f"fact {n}") for n in range(3)]}
    expected = {"limit": "rows_max", "of": "workspace", "max": 3, "used": 1}
    assert await _refused(admin, "POST", "/v1/memories/batch", batch) == expected
    assert await _is_true(own_static_api, workspace) == (1, len("Ada drinks tea") + 2)
    await admin.post("/v1/sessions/s/messages", TURNS)
    assert await _refused(admin, "POST", "/v1/sessions/s/messages", TURNS) == expected | {"used": 3}
    assert await _refused(admin, "POST", "/v1/memories", _draft("One more")) == expected | {"used": 3}
    again = await admin.post("/v1/memories", _draft("Ada drinks tea"))
    assert again["created"] is False, "what adds no row is let through"
    line = json.dumps(_draft("Imported")).encode()
    answer = await admin.call("POST", "/v1/import", content=line)
    assert (answer.status_code, answer.json().get("limit")) == (409, "rows_max")
    assert (await _is_true(own_static_api, workspace))[0] == 3
    await own_static_api.patch(f"/v1/workspaces/{workspace}", {"limits": {"rows_max": 4}})
    await admin.save("One more")


async def test_more_bytes_than_the_limit_are_refused_in_every_script(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, bytes_max=40)
    memory = await admin.save("日本茶", metadata={"ort": "Köln"})
    used = len('日本茶{"ort": "Köln"}'.encode())
    assert await _is_true(own_static_api, workspace) == (1, used)
    expected = {"limit": "bytes_max", "of": "workspace", "max": 40, "used": used}
    assert await _refused(admin, "POST", "/v1/memories", _draft("x" * 40)) == expected
    grown = {"version": 1, "content": "Tee " * 20}
    assert await _refused(admin, "PATCH", f"/v1/memories/{memory['id']}", grown) == expected
    await admin.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "Tee"})
    assert (await _is_true(own_static_api, workspace))[1] == used - len("日本茶".encode()) + len("Tee")
    await own_static_api.patch(f"/v1/workspaces/{workspace}", {"limits": {"bytes_max": 4}})
    await admin.patch(f"/v1/memories/{memory['id']}", {"version": 2, "content": "T"})
    assert (await _is_true(own_static_api, workspace))[1] > 4, "over a lowered limit, less is let through"


async def test_one_that_fits_is_saved_beside_one_that_does_not(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=5)
    await admin.save("the scope is known now")
    statuses = [
        answer.status_code
        for answer in await asyncio.gather(
            *(admin.call("POST", "/v1/memories", json=_draft(f"at once {n}")) for n in range(12))
        )
    ]
    assert sorted(statuses) == [201] * 4 + [409] * 8
    assert (await _is_true(own_static_api, workspace))[0] == 5


@pytest.fixture
async def second_process(own_static_api: Api, settings: Settings) -> AsyncIterator[Api]:
    """A second API on the database of the first."""
    async with serving(settings.model_copy(update={"embedding_model": "none"})) as api:
        yield api


@pytest.mark.first_tier
async def test_two_processes_together_never_pass_a_limit(own_static_api: Api, second_process: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=40)
    other = replace(second_process, key=admin.key)
    callers = [(admin, other)[n % 2] for n in range(60)]
    answers = await asyncio.gather(
        *(caller.call("POST", "/v1/memories", json=_draft(f"fact {n}")) for n, caller in enumerate(callers)),
        *(caller.call("POST", f"/v1/sessions/s{n}/messages", json=TURNS) for n, caller in enumerate(callers)),
    )
    assert {answer.status_code for answer in answers} <= {201, 409}
    rows, _ = await _is_true(own_static_api, workspace)
    made = sum(answer.status_code == 201 for answer in answers[:60])
    made += 2 * sum(answer.status_code == 201 for answer in answers[60:])
    assert rows == made
    assert 39 <= rows <= 40


async def test_what_can_be_brought_back_still_counts(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=6)
    _, writer = await _key(admin, limits={"rows_max": 5})
    for session in ("s", "t"):
        await writer.post(f"/v1/sessions/{session}/messages", TURNS)
    counted = await _is_true(own_static_api, workspace)
    expected = {"limit": "rows_max", "of": "key", "max": 5, "used": 4}

    async def check() -> None:
        assert tuple((await _stored(own_static_api, workspace, COUNTED, workspace, NO_KEY))[0]) == counted
        assert await _refused(writer, "POST", "/v1/sessions/s/messages", TURNS) == expected

    path = "/v1/sessions/s?agent=a"
    counts = await admin.call("DELETE", path + "&dry_run=true")
    gone = (await admin.call("DELETE", f"{path}&token={counts.json()['token']}")).json()
    await check()
    assert await count_stored(own_static_api.runtime) == 0
    await check()
    await admin.post(f"/v1/deletions/{gone['deletion_id']}/undo")
    await check()
    assert await _is_true(own_static_api, workspace) == counted
    counts = await admin.call("DELETE", path + "&dry_run=true")
    await admin.call("DELETE", f"{path}&token={counts.json()['token']}")
    later = datetime.now(UTC) + timedelta(days=60)
    with own_static_api.lending(now=lambda: later):
        await apply_retention(own_static_api.runtime)
    assert (await _is_true(own_static_api, workspace))[0] == 2
    await writer.post("/v1/sessions/s/messages", TURNS)


async def test_an_open_transaction_is_waited_for_at_the_limit(own_static_api: Api) -> None:
    """Two connections: the second commits only after the first, and fails for what the first has taken."""
    workspace, admin = await _limited(own_static_api, rows_max=2)
    await admin.save("One")
    runtime = own_static_api.runtime
    insert = """INSERT INTO messages (workspace_id, id, session_id, seq, role, content)
        SELECT $1, gen_random_uuid(), id, 100 + $2, 'user', 'x' FROM sessions WHERE workspace_id = $1 RETURNING id"""
    await admin.post("/v1/sessions", {"agent": "a", "session": "s"})

    async def write(n: int, inserted: asyncio.Event, go: asyncio.Event) -> None:
        async with runtime.db.transaction(workspace) as connection:
            await connection.raw.execute(insert, workspace, n)
            connection.wrote = True  # as a named query notes of itself
            inserted.set()
            await go.wait()

    first, second, go = asyncio.Event(), asyncio.Event(), asyncio.Event()
    writers = [asyncio.create_task(write(1, first, go)), asyncio.create_task(write(2, second, go))]
    await asyncio.gather(first.wait(), second.wait())
    go.set()
    ended = await asyncio.gather(*writers, return_exceptions=True)
    assert sorted(type(one).__name__ for one in ended) == ["LimitReached", "NoneType"]
    assert (await _is_true(own_static_api, workspace))[0] == 2


async def test_a_key_is_held_to_what_it_stores_itself(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api)
    key_id, agent = await _key(admin, limits={"rows_max": 2})
    await admin.save("From the admin")
    await agent.save("From the agent")
    expected = {"limit": "rows_max", "of": "key", "max": 2, "used": 1}
    assert await _refused(agent, "POST", "/v1/sessions/s/messages", TURNS) == expected
    await admin.post("/v1/sessions/s/messages", TURNS)
    assert await _is_true(own_static_api, workspace, key_id) == (1, len("From the agent{}"))
    assert (await _is_true(own_static_api, workspace))[0] == 4
    await admin.patch(f"/v1/keys/{key_id}", {"limits": {"rows_max": None}})
    await agent.post("/v1/sessions/s/messages", TURNS)
    assert await _stored(own_static_api, workspace, "SELECT 1 FROM stored_counts") == []


async def test_deletion_purge_retention_undo_and_import_keep_the_counts(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=1_000, bytes_max=1_000_000)
    key_id, agent = await _key(admin, limits={"bytes_max": 100_000})
    for caller in (admin, agent):
        await caller.post("/v1/sessions/s/messages", TURNS | {"user": "uma"})
        await caller.save(f"Uma drinks tea, says {caller.key[-4:]}", user="uma")
        gone = await caller.save(f"Soon gone, says {caller.key[-4:]}")
        await caller.delete(f"/v1/memories/{gone['id']}")
    assert (await _is_true(own_static_api, workspace))[0] == 8, "what can be restored is stored"
    export = (await admin.call("GET", "/v1/export")).content
    runtime = own_static_api.runtime
    now = runtime.now()
    runtime.now = lambda: now + timedelta(days=60)
    await apply_retention(runtime)
    runtime.now = lambda: now
    assert (await _is_true(own_static_api, workspace))[0] == 6
    await admin.post("/v1/users/uma/purge")
    purged = await _is_true(own_static_api, workspace)
    assert purged[0] < 6
    await _is_true(own_static_api, workspace, key_id)
    answer = await agent.call("POST", "/v1/import", content=export)
    assert answer.status_code in (200, 403)
    answer = await admin.call("POST", "/v1/import", content=export)
    assert answer.status_code == 200, answer.text
    assert (await _is_true(own_static_api, workspace))[0] > purged[0]
    await _is_true(own_static_api, workspace, key_id)
    assert await count_stored(runtime) == 0, "there was nothing to correct"


async def test_a_limit_set_late_counts_what_was_there_and_the_worker_corrects_drift(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api)
    await admin.save("Ada drinks tea")
    await admin.post("/v1/sessions/s/messages", TURNS)
    await own_static_api.patch(f"/v1/workspaces/{workspace}", {"limits": {"rows_max": 10}})
    before = await _is_true(own_static_api, workspace)
    assert before[0] == 3
    await _stored(own_static_api, workspace, "UPDATE stored_counts SET rows = rows + 7, bytes = 1")
    assert await count_stored(own_static_api.runtime) == 1
    assert await _is_true(own_static_api, workspace) == before
    assert await count_stored(own_static_api.runtime) == 0


async def test_requests_over_the_limit_wait(own_static_api: Api) -> None:
    _, admin = await _limited(own_static_api)
    key_id, agent = await _key(admin, limits={"requests_per_minute": 3, "requests_per_day": 5})
    runtime = own_static_api.runtime
    now = datetime(2031, 5, 31, 23, 58, 50, tzinfo=UTC)
    runtime.now = lambda: now
    body = {"agent": "a", "query": "tea"}
    assert [await agent.status("POST", "/v1/memories/search", json=body) for _ in range(3)] == [200] * 3
    expected = {"limit": "requests_per_minute", "of": "key", "max": 3, "used": 3}
    assert await _refused(agent, "POST", "/v1/memories/search", body, 429) == expected
    answer = await agent.call("GET", "/v1/agents")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")
    assert await admin.status("GET", "/v1/agents") == 200, "another key is not meant"
    now += timedelta(seconds=10)
    assert [await agent.status("GET", "/v1/agents") for _ in range(3)] == [200, 200, 429]
    answer = await agent.call("GET", "/v1/agents")
    assert (answer.json()["limit"], answer.headers["retry-after"]) == ("requests_per_day", "60")
    now += timedelta(seconds=60)
    assert await agent.status("GET", "/v1/agents") == 200
    metrics = (await own_static_api.call("GET", "/metrics")).text
    assert 'reverie_limits_reached_total{limit="requests_per_day",of="key"} 2.0' in metrics
    await admin.patch(f"/v1/keys/{key_id}", {"limits": {"requests_per_minute": None, "requests_per_day": None}})
    assert [await agent.status("GET", "/v1/agents") for _ in range(5)] == [200] * 5


async def test_processes_share_their_counts(own_static_api: Api, second_process: Api) -> None:
    workspace, admin = await _limited(own_static_api, requests_per_day=20)
    other = replace(second_process, key=admin.key)
    own_static_api.runtime.now = second_process.runtime.now = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    passed = 0
    for _ in range(10):
        for caller in (admin, other):
            answers = await asyncio.gather(*(caller.call("GET", "/v1/whoami") for _ in range(3)))
            passed += sum(answer.status_code == 200 for answer in answers)
            await caller.runtime.part(RequestLimits).flush()
    assert 20 <= passed <= 23, "beyond the limit: at most what the other process let through since its last flush"
    report = await _stored(own_static_api, workspace, "SELECT requests FROM request_counts WHERE period = 'day'")
    assert report[0]["requests"] == passed


async def test_limits_of_the_default_workspace_do_not_lock_its_admin_out(own_static_api: Api) -> None:
    agent = await own_static_api.as_role("agent", "a")
    await own_static_api.patch("/v1/workspaces/default", {"limits": {"requests_per_day": 1}})
    assert [await agent.status("GET", "/v1/agents") for _ in range(2)] == [200, 429]
    lifted = await own_static_api.patch("/v1/workspaces/default", {"limits": {"requests_per_day": None}})
    assert set(lifted["limits"].values()) == {None}
    assert await agent.status("GET", "/v1/agents") == 200


async def test_dreams_over_the_limit_are_refused_and_queued_ones_are_not_doubled(own_static_api: Api) -> None:
    _, admin = await _limited(own_static_api, dreams_max=2)
    _, agent = await _key(admin, limits={"dreams_max": 1})
    for name in ("a", "b", "c"):
        await admin.put(f"/v1/agents/{name}", {})
    await agent.post("/v1/agents/a/dream")
    await agent.post("/v1/agents/a/dream")
    expected = {"limit": "dreams_max", "of": "key", "max": 1, "used": 1}
    assert await _refused(agent, "POST", "/v1/agents/a/dream", {"dry_run": True}, 429) == expected
    queued = await admin.post("/v1/agents/b/dream")
    assert await _refused(admin, "POST", "/v1/agents/c/dream", {}, 429) == expected | {
        "of": "workspace", "max": 2, "used": 2
    }  # fmt: skip
    assert len((await admin.get("/v1/dreams"))["items"]) == 2
    await admin.post(f"/v1/dreams/{queued['id']}/cancel")
    await admin.post("/v1/agents/c/dream")


async def test_a_key_with_limits_cannot_get_around_them(own_static_api: Api) -> None:
    _, admin = await _limited(own_static_api)
    key_id, limited = await _key(admin, "admin", limits={"rows_max": 5})
    _, scoped = await _key(admin, "admin", scopes=["read", "write"], limits={"rows_max": 5})
    _, agent = await _key(admin, limits={"rows_max": 5})
    reader_id, reader = await _key(admin, "reader")
    for caller in (limited, scoped, agent, reader):
        assert await caller.status("PATCH", f"/v1/keys/{key_id}", json={"limits": {"rows_max": None}}) == 403
        unlimited = {"role": "admin", "name": "mine", "limits": {"rows_max": None}}
        assert await caller.status("POST", "/v1/keys", json=unlimited) == 403
        assert await caller.status("PATCH", "/v1/workspaces/default", json={"limits": {"rows_max": 5}}) == 403
    assert await limited.status("PATCH", f"/v1/keys/{reader_id}", json={"limits": {"rows_max": 1}}) == 403
    _, other = await _limited(own_static_api)
    assert await other.status("PATCH", f"/v1/keys/{key_id}", json={"limits": {"rows_max": 9}}) == 404
    assert await admin.status("PATCH", f"/v1/keys/{uuid4()}", json={"limits": {}}) == 404
    kept = await admin.patch(f"/v1/keys/{key_id}", {"limits": {"bytes_max": 9}})
    assert (kept["limits"]["rows_max"], kept["limits"]["bytes_max"]) == (5, 9)
    assert (await limited.get("/v1/whoami"))["limits"] == kept["limits"]


async def test_a_limit_that_is_none_is_named(own_static_api: Api) -> None:
    with table() as row:
        for limits in [
            {"rows": 1},
            {"rows_max": -1},
            {"requests_per_day": 0},
            {"rows_max": 1.5},
            {"day_cost_max_usd": -0.1},
            7,
        ]:
            with row(limits):
                for path in ("/v1/workspaces/default", f"/v1/keys/{uuid4()}"):
                    answer = await own_static_api.call("PATCH", path, json={"limits": limits})
                    assert answer.status_code == 422
                    assert "limits" in answer.json()["detail"]


async def test_the_usage_shows_what_is_used_beside_the_limits(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=50, requests_per_day=1_000)
    key_id, agent = await _key(admin, limits={"dreams_max": 3, "rows_max": 10})
    await agent.save("Ada drinks tea")
    await admin.save("Ben drinks Kaffee")
    await agent.post("/v1/agents/a/dream")
    await count_stored(own_static_api.runtime)
    usage = await admin.get("/v1/usage")
    whole, own = usage["limits"]
    assert (whole["of"], whole["key_id"], whole["limits"]["rows_max"]) == ("workspace", None, 50)
    assert (own["of"], own["key_id"], own["name"]) == ("key", str(key_id), "k")
    assert (whole["used"]["rows"], own["used"]["rows"], own["used"]["dreams"]) == (2, 1, 1)
    assert whole["used"]["requests_today"] >= 4
    assert own["used"]["requests_today"] is None
    rows, size = await _is_true(own_static_api, workspace)
    assert [(day["rows"], day["bytes"]) for day in usage["stored"]] == [(rows, size)]
    assert [day["dreams"] for day in usage["dreams"]] == [1]
    by_key = await admin.get("/v1/usage", by="key")
    assert {item["key_id"]: item["rows"] for item in by_key["stored"]}[str(key_id)] == 1
    assert [(item["key_id"], item["dreams"]) for item in by_key["dreams"]] == [(str(key_id), 1)]
    by_agent = await admin.get("/v1/usage", by="agent")
    assert (by_agent["stored"], [item["agent"] for item in by_agent["dreams"]]) == ([], ["a"])


async def test_a_repeated_request_over_the_limit_is_refused_the_same_way(own_static_api: Api) -> None:
    workspace, admin = await _limited(own_static_api, rows_max=1)
    headers = {"Idempotency-Key": "once"}
    batch = {"items": [_draft("One"), _draft("Two")]}
    for _ in range(2):
        await _refused(admin, "POST", "/v1/memories/batch", batch, headers=headers)
    assert (await _is_true(own_static_api, workspace))[0] == 0
