"""Decay: importance halves with each period without use, by the clock and not by the number of dreams."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.memory.counters import AccessCounter
from service.runtime import Runtime
from tests.live_api import Api, Tenant
from tests.worker.dreaming import dream

Json = dict[str, Any]

EARLIER = "({} AT TIME ZONE 'UTC' - make_interval(days => {})) AT TIME ZONE 'UTC'"
"""A time some days earlier, by functions that Citus calls in an UPDATE: those that look at no setting."""


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def days_pass(api: Api | Tenant, days: int) -> None:
    """Everything there is was made, reinforced and read so many days earlier."""

    async def move(runtime: Runtime) -> None:
        async with runtime.db.transaction(api.workspace) as connection:
            for table, columns in (
                ("memories", ("created_at", "updated_at", "valid_from", "reinforced_at", "learned_at")),
                ("memory_usage", ("last_accessed_at",)),
                ("search_index", ("created_at", "decays_from")),
            ):
                moved = ", ".join(f"{column} = {EARLIER.format(column, days)}" for column in columns)
                statement = f"UPDATE {table} SET {moved} WHERE workspace_id = $1"  # noqa: S608
                await connection.raw.execute(statement, api.workspace)

    await api.inside(move)


async def importances(api: Tenant, memory: Json) -> tuple[float, float]:
    """As it was said, and as it counts now."""
    shown = await api.get(f"/v1/memories/{memory['id']}")
    return shown["importance"], shown["effective_importance"]


async def found(api: Tenant, query: str, **fields: Any) -> list[float]:
    """What a search, which counts no access, shows of the importance of what it finds."""
    answer = await api.post("/v1/memories/search/preview", {"agent": "a", "query": query} | fields)
    return [result["memory"]["effective_importance"] for result in answer["results"]]


async def test_ten_dreams_in_a_row_halve_it_once(api: Tenant) -> None:
    seen = await api.save("The gate squeaks", type="observation", importance=0.4)
    decided = await api.save("The gate will be oiled", type="decision", importance=0.4)
    await days_pass(api, 31)
    dreams = [await dream(api) for _ in range(10)]
    assert [one["report"]["decayed"] for one in dreams] == [1] + [0] * 9
    assert await importances(api, seen) == pytest.approx((0.4, 0.2))
    assert await importances(api, decided) == pytest.approx((0.4, 0.4))
    assert await found(api, "squeaks", min_importance=0.19) == [pytest.approx(0.2)]
    assert await found(api, "squeaks", min_importance=0.21) == []
    (change,) = [change for change in dreams[0]["changes"] if change["op"] == "decayed"]
    assert change["memory_id"] == seen["id"] or str(change["memory_id"]) == seen["id"]
    assert change["after"]["effective_importance"] == pytest.approx(0.2)


async def test_thirty_one_days_more_halve_it_again(api: Tenant) -> None:
    seen = await api.save("The gate squeaks", type="observation", importance=0.4)
    for expected in (0.2, 0.1, 0.05):
        await days_pass(api, 31)
        for _ in range(3):
            await dream(api)
        assert await importances(api, seen) == pytest.approx((0.4, expected))


async def test_below_the_threshold_it_surfaces_only_when_asked_for(api: Tenant) -> None:
    await api.save("The gate squeaks", type="observation", importance=0.4)
    await days_pass(api, 62)
    await dream(api)
    assert len(await found(api, "squeaks")) == 1
    await days_pass(api, 31)
    await dream(api)
    assert await found(api, "squeaks") == []
    assert await found(api, "squeaks", include_faded=True) == [pytest.approx(0.05)]


async def test_being_found_resets_the_clock(api: Tenant) -> None:
    seen = await api.save("The gate squeaks", type="observation", importance=0.4)
    await days_pass(api, 29)
    await api.search("squeaks")
    await api.inside(lambda runtime: runtime.part(AccessCounter).flush())
    await days_pass(api, 29)
    await dream(api)
    assert await importances(api, seen) == pytest.approx((0.4, 0.4))
    await days_pass(api, 2)
    await dream(api)
    assert await importances(api, seen) == pytest.approx((0.4, 0.2))


async def test_a_faded_memory_that_is_used_again_surfaces_again(api: Tenant) -> None:
    seen = await api.save("The gate squeaks", type="observation", importance=0.4)
    await days_pass(api, 93)
    await dream(api)
    assert await found(api, "squeaks") == []
    await api.search("squeaks", include_faded=True)
    await api.inside(lambda runtime: runtime.part(AccessCounter).flush())
    done = await dream(api)
    assert [change["reason"] for change in done["changes"] if change["op"] == "decayed"] == ["used again"]
    assert await importances(api, seen) == pytest.approx((0.4, 0.4))
    assert len(await found(api, "squeaks")) == 1


async def test_being_said_again_resets_the_clock(api: Tenant) -> None:
    at = datetime.now(UTC).isoformat()
    said = {"type": "observation", "importance": 0.4, "occurred_at": at}
    seen = await api.save("The gate squeaks", **said)
    await days_pass(api, 31)
    await dream(api)
    again = await api.save("The gate squeaks", **said)
    assert again["id"] == seen["id"]
    await dream(api)
    assert (await importances(api, seen))[1] == pytest.approx(again["importance"])


async def test_what_is_exempt_and_what_never_decays_stays(api: Tenant) -> None:
    exempt = await api.save("The gate squeaks", type="observation", importance=0.4, decay_exempt=True)
    kept = [
        await api.save(f"A {kind} of the gate", type=kind, importance=0.4)
        for kind in ("fact", "decision", "identity", "preference", "goal", "todo")
    ]
    await days_pass(api, 400)
    done = await dream(api)
    assert done["report"]["decayed"] == 0
    for memory in (exempt, *kept):
        assert await importances(api, memory) == pytest.approx((0.4, 0.4))


async def test_the_period_is_a_setting(api: Tenant) -> None:
    await api.put("/v1/settings", {"retention": {"decay_days": 10}})
    seen = await api.save("The gate squeaks", type="observation", importance=0.4)
    await days_pass(api, 31)
    await dream(api)
    assert await importances(api, seen) == pytest.approx((0.4, 0.05))


async def test_history_survives_ten_dreams_and_decays_from_when_it_was_learned(api: Tenant) -> None:
    """Ten years of it, saved with its dates and imported; what is learned late is not forgotten at once."""
    saved = [
        await api.save(
            f"The gate squeaked in {year}", type="event", importance=0.4, created_at=f"{year}-05-01T10:00:00Z"
        )
        for year in range(2015, 2025)
    ]
    line = {"record": "memory", "agent": "a", "type": "event", "importance": 0.4, "created_at": "2014-05-01T10:00:00Z"}
    await api.post("/v1/import", content=json.dumps(line | {"content": "The gate was built in 2014"}))
    for _ in range(10):
        await dream(api)
    assert len(await found(api, "gate", limit=20)) == 11
    assert await importances(api, saved[0]) == pytest.approx((0.4, 0.4))
    await days_pass(api, 31)
    assert (await importances(api, saved[0]))[1] == pytest.approx(0.2)


async def test_what_an_import_dates_counts_by_its_age_and_is_found_until_it_was_used_here(api: Tenant) -> None:
    made = datetime.now(UTC) - timedelta(days=95)
    line = {
        "agent": "a",
        "type": "event",
        "importance": 0.4,
        "created_at": made.isoformat(),
        "content": "The gate fell",
    }
    await api.post("/v1/import", content=json.dumps(line | {"id": "01890000-0000-7000-8000-00000000000b"}))
    memory = {"id": "01890000-0000-7000-8000-00000000000b"}
    for expected in (0.05, 0.025):
        assert await importances(api, memory) == pytest.approx((0.4, expected))
        assert await found(api, "gate") == [pytest.approx(expected)]
        await dream(api)
        assert await found(api, "gate") == [pytest.approx(expected)]
        await days_pass(api, 31)
    await api.search("gate")
    await api.inside(lambda runtime: runtime.part(AccessCounter).flush())
    assert await importances(api, memory) == pytest.approx((0.4, 0.4))
    await days_pass(api, 93)
    assert await found(api, "gate") == []


async def test_what_belongs_to_a_user_who_says_nothing_more_fades(api: Tenant) -> None:
    await api.save("Sam sat by the window", type="observation", importance=0.3, user="Sam")
    await dream(api)
    await days_pass(api, 93)
    done = await dream(api)
    assert (done["owners"], done["report"]["decayed"]) == (["Sam"], 1)
    assert "window" not in (await api.get("/v1/agents/a/bulletin", user="Sam"))["content"]
