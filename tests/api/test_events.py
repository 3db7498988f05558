"""What happened, told once and in order, and never skipped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.event_delivery import EventNotifier, last_position
from service.settings import Settings
from service.startup import open_runtime
from service.store import events
from tests.databases import wait_for_lock_waiter
from tests.live_api import Api, serving
from tests.pgbouncer import Bouncer
from tests.tuning import tuned
from tests.waiting import turns, until
from tests.worker.dreaming import dream, say
from worker.maintenance.retention import apply_retention
from worker.maintenance.upkeep import compact_next

Json = dict[str, Any]


@asynccontextmanager
async def following(api: Api, **options: Any) -> AsyncIterator[AsyncIterator[Json]]:
    """The stream of events, each as ``{id, event, data}``, once it is open."""
    headers = {"Authorization": f"Bearer {api.key}"} | options.pop("headers", {})
    async with api.http.stream("GET", "/v1/events", headers=headers, timeout=600, **options) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.aiter_lines()

        async def told() -> AsyncIterator[Json]:
            event: Json = {}
            async for line in lines:
                name, _, value = line.partition(": ")
                if not line and "data" in event:
                    yield event
                event = event | {name: json.loads(value) if name == "data" else value} if line else {}

        yield told()


async def take(stream: AsyncIterator[Json], count: int) -> list[Json]:
    async with asyncio.timeout(180):
        return [await anext(stream) for _ in range(count)]


async def ended(api: Api) -> None:
    """Wait until the server has noticed that its followers are gone."""
    await until(lambda: not api.runtime.part(EventNotifier).followers, "it follows still")


async def kinds_so_far(api: Api) -> list[str]:
    await last_position(api.runtime.db, DEFAULT_WORKSPACE)
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        found = await events.after(connection, DEFAULT_WORKSPACE, 0, agent=None, kinds=None, limit=1000)
    return [event.body["type"] for event in found]


async def happen(database: asyncpg.Connection) -> None:
    """Agent a does something in another process, of which nobody is notified."""
    await database.execute(
        "INSERT INTO events (workspace_id, id, kind, agent_id, subject_id, at)"
        " SELECT workspace_id, gen_random_uuid(), 'memory.updated', id, gen_random_uuid(), clock_timestamp()"
        " FROM agents WHERE workspace_id = $1 AND agent = 'a'",
        DEFAULT_WORKSPACE,
    )


async def test_what_happens_to_a_memory_is_told_as_it_happens(api: Api) -> None:
    await api.save("From before")
    async with following(api) as stream:
        memory = await api.save("The ferry leaves at nine")
        await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "The ferry leaves at ten"})
        await api.delete(f"/v1/memories/{memory['id']}")
        await api.post(f"/v1/memories/{memory['id']}/restore")
        told = await take(stream, 4)
    assert [event["event"] for event in told] == [
        "memory.created", "memory.updated", "memory.deleted", "memory.restored",
    ]  # fmt: skip
    assert {event["data"]["memory_id"] for event in told} == {memory["id"]}
    assert [event["data"]["version"] for event in told] == [1, 2, 3, 4]
    assert [event["id"] for event in told] == [str(event["data"]["position"]) for event in told]
    assert "ferry" not in json.dumps(told)


async def test_a_stream_goes_on_where_it_broke_off(api: Api) -> None:
    await api.save("one")
    async with following(api, params={"after": "0"}) as stream:
        first = (await take(stream, 1))[0]
    made = [(await api.save(f"number {n}"))["id"] for n in range(5)]
    async with following(api, headers={"Last-Event-ID": first["id"]}) as stream:
        told = await take(stream, 5)
    assert [event["data"]["memory_id"] for event in told] == made
    assert [int(event["id"]) for event in told] == list(range(int(first["id"]) + 1, int(first["id"]) + 6))
    assert await api.status("GET", "/v1/events", headers={"Last-Event-ID": "x"}) == 422


async def test_what_commits_late_is_not_skipped(api: Api) -> None:
    await api.save("The first")
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as late:
        await happen(late.raw)
        await asyncio.create_task(api.save("The second"))
        async with following(api, params={"after": "0"}) as stream:
            seen = await take(stream, 2)
    assert [event["event"] for event in seen] == ["memory.created", "memory.created"]
    async with following(api, headers={"Last-Event-ID": seen[-1]["id"]}) as stream:
        assert [event["event"] for event in await take(stream, 1)] == ["memory.updated"]


async def test_many_who_give_positions_at_once_give_each_once(api: Api) -> None:
    await asyncio.gather(*(api.save(f"number {n}") for n in range(20)))
    readers = [last_position(api.runtime.db, DEFAULT_WORKSPACE) for _ in range(5)]
    writers = [api.save(f"later {n}") for n in range(20)]
    await asyncio.gather(*readers, *writers)
    assert await last_position(api.runtime.db, DEFAULT_WORKSPACE) == 40
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        found = await events.after(connection, DEFAULT_WORKSPACE, 0, agent=None, kinds=None, limit=1000)
    assert [event.position for event in found] == list(range(1, 41))


async def keep_busy(api: Api, begun: asyncio.Event, end: asyncio.Event) -> None:
    """Hold a connection of the pool."""
    async with api.runtime.db.unscoped():
        begun.set()
        await end.wait()


async def test_positions_given_by_others_meanwhile_are_streamed_once(settings: Settings, database_url: str) -> None:
    """Another process (a webhook's worker) gives positions between a stream's look at the last one and its reading, for
    which the stream has to wait: the pool has one connection."""
    async with AsyncExitStack() as stack:
        holder, elsewhere = [await asyncpg.connect(database_url) for _ in range(2)]
        stack.push_async_callback(holder.close)
        stack.push_async_callback(elsewhere.close)
        worker = await stack.enter_async_context(open_runtime(settings, "worker"))
        api = await stack.enter_async_context(serving(tuned(settings, pool_size=1)))
        api.runtime.part(EventNotifier).poll_s = 0.05
        await api.save("number 0")
        stream = await stack.enter_async_context(following(api, params={"after": "0"}))
        told = await take(stream, 1)
        for _ in range(5):
            begun, end = asyncio.Event(), asyncio.Event()
            reading = asyncio.create_task(take(stream, 1))
            async with holder.transaction():
                await holder.execute("SELECT FROM event_counters WHERE workspace_id = $1 FOR UPDATE", DEFAULT_WORKSPACE)
                await happen(elsewhere)
                await wait_for_lock_waiter(holder)  # the process itself, which is about to give that a position
                busy = asyncio.create_task(keep_busy(api, begun, end))
                await turns()  # it is the next to get the connection
            await begun.wait()
            await happen(elsewhere)
            last = await last_position(worker.db, DEFAULT_WORKSPACE)
            assert not reading.done()
            end.set()
            await busy
            told += [*await reading, *await take(stream, 1)]
            assert int(told[-1]["id"]) == last
        await happen(elsewhere)
        told += await take(stream, 1)
    assert [int(event["id"]) for event in told] == list(range(1, 13))


async def test_what_is_rolled_back_is_not_told(api: Api) -> None:
    link = {"relation": "supports", "memory_id": "00000000-0000-7000-8000-000000000000"}
    body = {"agent": "a", "type": "fact", "content": "Linked to nothing", "links": [link]}
    assert await api.status("POST", "/v1/memories", json=body) in (404, 422)
    assert (await api.post("/v1/verify"))["working"] is True
    assert await kinds_so_far(api) == []


async def test_dreams_and_windows_are_told_with_what_they_did(api: Api) -> None:
    await say(api, "I live in Oslo.")
    done = await dream(api.runtime)
    await dream(api.runtime, dry_run=True)
    await say(api, "I used to live in Oslo, now I live in Bergen.")
    await dream(api.runtime)
    told = await kinds_so_far(api)
    assert told[0] == "dream.started"
    assert told.count("dream.started") == told.count("dream.finished") == 3
    assert "memory.created" in told
    assert "memory.superseded" in told
    await api.put("/v1/settings", {"window": {"messages_max": 4, "trim_to": 2}})
    await say(api, *(f"Turn {n} about the garden." for n in range(4)))
    assert await compact_next(api.runtime)
    assert "window.compacted" in await kinds_so_far(api)
    assert done["status"] == "succeeded"


async def test_an_agent_hears_of_itself_alone(api: Api) -> None:
    own = await api.as_role("agent", "b")
    await api.save("Of a")
    mine = await api.save("Of b", agent="b")
    async with following(own, params={"after": "0"}) as stream:
        assert (await take(stream, 1))[0]["data"]["memory_id"] == mine["id"]


async def test_an_admin_may_follow_one_agent(api: Api) -> None:
    await api.save("Of a")
    mine = await api.save("Of b", agent="b")
    async with following(api, params={"after": "0", "agent": "b"}) as stream:
        assert (await take(stream, 1))[0]["data"]["memory_id"] == mine["id"]


async def test_what_has_happened_so_far_ends(api: Api) -> None:
    await api.save("one")
    answer = await api.call("GET", "/v1/events", params={"after": "0", "wait": "false"})
    assert answer.text.count("event: memory.created") == 1


async def test_some_kinds_alone(api: Api) -> None:
    memory = await api.save("Gone soon")
    await api.delete(f"/v1/memories/{memory['id']}")
    async with following(api, params={"after": "0", "types": "memory.deleted"}) as stream:
        assert (await take(stream, 1))[0]["event"] == "memory.deleted"
    assert await api.status("GET", "/v1/events", params={"types": "memory.eaten"}) == 422


async def test_a_purge_is_told_and_leaves_no_name(api: Api) -> None:
    memory = await api.save("Lovelace likes ferries", user="ada-lovelace")
    await api.post("/v1/users/ada-lovelace/purge")
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch("SELECT kind, subject_id, e::text AS whole FROM events e ORDER BY at")
    assert [(row["kind"], str(row["subject_id"])) for row in rows] == [
        ("memory.created", memory["id"]), ("memory.deleted", memory["id"]),
    ]  # fmt: skip
    assert not any("lovelace" in row["whole"].lower() for row in rows)


async def test_what_nobody_has_read_in_its_days_is_told_as_a_gap(api: Api) -> None:
    await api.save("Long ago")
    await api.save("Long ago as well")
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=8)
    assert (await apply_retention(api.runtime))["events"] == 2
    async with following(api, headers={"Last-Event-ID": "1"}) as stream:
        assert (await take(stream, 1))[0]["data"] == {"after": 1, "before": 3}


async def test_a_database_set_back_to_a_backup_is_told_as_a_gap(api: Api) -> None:
    async with following(api, headers={"Last-Event-ID": "41"}) as stream:
        new = await api.save("After the backup")
        gap, event = await take(stream, 2)
    assert (gap["event"], gap["data"]) == ("gap", {"after": 41, "before": 1})
    assert (event["id"], event["data"]["memory_id"]) == ("1", new["id"])


async def test_what_is_past_its_days_is_collected_and_the_gap_is_told(api: Api) -> None:
    await api.save("Long ago")
    await last_position(api.runtime.db, DEFAULT_WORKSPACE)
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=8)
    assert (await apply_retention(api.runtime))["events"] == 1
    new = await api.save("Just now")
    async with following(api, params={"after": "0"}) as stream:
        gap, event = await take(stream, 2)
    assert (gap["event"], gap["data"]) == ("gap", {"after": 0, "before": 2})
    assert event["data"]["memory_id"] == new["id"]


async def test_a_stream_is_woken_and_not_found_by_looking(api: Api, bouncer: Bouncer | None) -> None:
    if bouncer is not None:
        pytest.skip("a pooler passes no notification on")
    api.runtime.part(EventNotifier).poll_s = 1_000.0
    async with following(api) as stream:
        for _ in range(3):
            memory = await api.save(f"Just now {api.runtime.now()}")
            assert (await take(stream, 1))[0]["data"]["memory_id"] == memory["id"]


async def test_a_stream_finds_what_it_was_not_woken_for(api: Api, database_url: str) -> None:
    await api.put("/v1/agents/a", {})
    elsewhere = await asyncpg.connect(database_url)
    try:
        async with following(api) as stream:
            for position in (1, 2):
                await happen(elsewhere)
                assert (await take(stream, 1))[0]["data"]["position"] == position
    finally:
        await elsewhere.close()


async def test_followers_hold_no_connection(settings: Settings) -> None:
    async with serving(tuned(settings, pool_size=2)) as api, AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(following(api)) for _ in range(20)]
        assert api.runtime.part(EventNotifier).followers == 20
        memory = await api.save("To everybody")
        for stream in streams:
            assert (await take(stream, 1))[0]["data"]["memory_id"] == memory["id"]


async def test_a_stream_ends_with_its_key(api: Api) -> None:
    api.runtime.part(EventNotifier).keep_alive_s = 0.2
    made = await api.post("/v1/keys", {"role": "reader", "name": "r"})
    reader = replace(api, key=made["key"])
    for end in (("POST", f"/v1/keys/{made['id']}/rotate"), ("DELETE", f"/v1/keys/{made['id']}")):
        async with following(reader) as stream:
            rotated = await api.call(*end)
            with pytest.raises(StopAsyncIteration):
                await take(stream, 1)
        reader = replace(api, key=rotated.json()["key"]) if rotated.content else reader


async def test_too_many_streams_are_refused(settings: Settings) -> None:
    async with serving(tuned(settings, streams_max=1)) as api:
        async with following(api):
            assert await api.status("GET", "/v1/events") == 503
        await ended(api)
        assert await api.status("GET", "/v1/events", params={"wait": "false"}) == 200
