"""Collection: what is past its term goes for good, in batches, and nothing before its term."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.counters import AccessCounter
from service.memory.saving.remember import remember
from tests.live_api import Api
from tests.worker.dreaming import dream, say
from tests.worker.large_audience import ADMIN, notes
from tests.worker.test_decay import days_pass
from worker.maintenance.retention import BATCH, apply_retention
from worker.maintenance.upkeep import schedule_stale_bulletins

TABLES = ("memories", "memory_versions", "memory_sources", "memory_usage", "search_index", "search_terms", "edges")


async def rows(api: Api, *tables: str) -> dict[str, int]:
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        counts = "SELECT count(*) FROM {}"
        return {table: await connection.raw.fetchval(counts.format(table)) for table in tables}


def in_days(api: Api, days: float) -> None:
    api.runtime.now = lambda: datetime.now(UTC) + timedelta(days=days)


async def test_deleted_memories_go_after_their_thirty_days(api: Api) -> None:
    memory = await api.save("Kept on the shelf", links=[{"relation": "about", "entity": {"name": "Shelf"}}])
    await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "Kept on the upper shelf"})
    await api.search("shelf")
    await api.runtime.part(AccessCounter).flush()
    await api.delete(f"/v1/memories/{memory['id']}")
    in_days(api, 29)
    assert (await apply_retention(api.runtime))["memories"] == 0
    await api.post(f"/v1/memories/{memory['id']}/restore")
    await api.delete(f"/v1/memories/{memory['id']}")
    in_days(api, 29 + 31)
    assert (await apply_retention(api.runtime))["memories"] == 1
    assert await api.status("POST", f"/v1/memories/{memory['id']}/restore") == 404
    assert set((await rows(api, *TABLES)).values()) == {0}


async def test_how_long_is_a_setting_and_live_ones_stay(api: Api) -> None:
    await api.put("/v1/settings", {"retention": {"deleted_days": 0}})
    gone = await api.save("Goes at once")
    await api.save("Stays")
    await api.delete(f"/v1/memories/{gone['id']}")
    assert (await apply_retention(api.runtime))["memories"] == 1
    assert [memory["content"] for memory in (await api.get("/v1/memories", include="deleted"))["items"]] == ["Stays"]


async def test_what_nobody_uses_is_deleted_where_the_settings_say_so(api: Api) -> None:
    old = (datetime.now(UTC) - timedelta(days=900)).isoformat()
    unused = await api.save("Never asked for", created_at=old)
    found = await api.save("The harbour pilot listens on channel twelve")
    done = await api.save("Water the plants", type="todo", status="done")
    kept = [
        await api.save("I am Prime at Acme", type="identity"),
        await api.save("Ping Ramesh about the Q3 numbers", type="todo"),
        await api.save("Stays for ever", decay_exempt=True),
        await api.save("Has a key", key="k"),
    ]
    await days_pass(api, 89)
    assert (await apply_retention(api.runtime))["unused"] == 0, "off by default"
    await api.put("/v1/settings", {"retention": {"unused_days": 90}})
    assert (await apply_retention(api.runtime))["unused"] == 0, "counted from when it was stored here"
    assert [one["id"] for one in await api.search("harbour pilot channel", limit=1)] == [found["id"]]
    await api.runtime.part(AccessCounter).flush()
    await days_pass(api, 2)
    assert (await apply_retention(api.runtime))["unused"] == 2
    left = {memory["id"] for memory in (await api.get("/v1/memories"))["items"]}
    assert left == {memory["id"] for memory in [found, *kept]}
    history = (await api.get(f"/v1/memories/{unused['id']}/history"))["items"]
    assert (history[-1]["actor"], history[-1]["reason"]) == ("retention", "not used for 90 days")
    await api.post(f"/v1/memories/{done['id']}/restore")
    assert (await apply_retention(api.runtime))["unused"] == 0, "restoring is a use"
    in_days(api, 31)
    assert (await apply_retention(api.runtime))["memories"] == 1


async def test_a_bound_below_a_day_is_refused(api: Api) -> None:
    assert await api.status("PUT", "/v1/settings", json={"retention": {"unused_days": 0}}) == 422


async def test_expired_memories_go_after_as_long(api: Api) -> None:
    soon = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    await api.save("Only for today", expires_at=soon)
    for days, expected in ((2, 0), (30, 0), (32, 1)):
        in_days(api, days)
        assert (await apply_retention(api.runtime))["memories"] == expected


async def test_what_a_collected_memory_had_replaced_stays_replaced(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    await say(api, "I live in Bergen.")
    await dream(api.runtime)
    (bergen,) = (await api.get("/v1/memories", type="fact"))["items"]
    await api.delete(f"/v1/memories/{bergen['id']}")
    in_days(api, 31)
    assert (await apply_retention(api.runtime))["memories"] == 1
    assert (await api.get("/v1/memories"))["items"] == []
    (oslo,) = (await api.get("/v1/memories", include="superseded"))["items"]
    assert oslo["content"] == "u1 lives in Oslo."


async def test_more_than_a_batch_goes_in_batches(api: Api) -> None:
    await remember(api.runtime, ADMIN, notes(2 * BATCH + 1))
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE memories SET deleted_at = now()")
    in_days(api, 31)
    assert (await apply_retention(api.runtime))["memories"] == 2 * BATCH + 1


async def test_checkpoints_go_when_their_dream_is_over_and_a_week_has_passed(api: Api) -> None:
    await say(api, "I live in Oslo.")
    over = (await dream(api.runtime))["id"]
    waiting = (await api.post("/v1/agents/a/dream", {}))["id"]
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        for name, dream_id in (("over", over), ("waiting", waiting), ("gone", None)):
            await connection.raw.execute(
                "INSERT INTO dream_steps (workspace_id, agent_id, input_hash, step, dream_id)"
                " SELECT $1, id, $2, 'extract', $3 FROM agents",
                DEFAULT_WORKSPACE, name, dream_id,
            )  # fmt: skip
    in_days(api, 6)
    assert (await apply_retention(api.runtime))["steps"] == 0
    in_days(api, 8)
    assert (await apply_retention(api.runtime))["steps"] == 2
    assert await rows(api, "dream_steps") == {"dream_steps": 1}


async def test_an_agent_whose_bulletin_is_out_of_date_becomes_due(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    assert await schedule_stale_bulletins(api.runtime) == 0
    await api.save("Sam plays the cello")
    assert await schedule_stale_bulletins(api.runtime) == 1
    async with api.runtime.db.unscoped() as connection:
        due = await connection.raw.fetchval("SELECT count(*) FROM dream_schedule WHERE due_at <= now()")
    assert due == 1
    await dream(api.runtime)
    assert "cello" in (await api.get("/v1/agents/a/bulletin"))["content"]
    assert await schedule_stale_bulletins(api.runtime) == 0
