"""Figures by day: memories, dreams and searches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.live_api import Api
from tests.tables import table
from tests.worker.dreaming import dream, say
from worker.maintenance.retention import apply_retention


async def figures(api: Api, day: str | None = None, **query: Any) -> dict[str, Any]:
    """The item of a day, by default of today."""
    day = day or str(api.runtime.now().date())
    items = {item["day"]: item for item in (await api.get("/v1/stats", **query))["items"]}
    found: dict[str, Any] = items[day]
    return found


@pytest.fixture
def api(own_static_api: Api) -> Api:
    return own_static_api


async def test_memories_are_counted_on_the_day_they_changed(api: Api) -> None:
    now = api.runtime.now()
    yesterday = now - timedelta(days=1)
    old = await api.save("Ines lives in Porto", created_at=yesterday.isoformat())
    gone = await api.save("Ines sold her boat")
    await api.delete(f"/v1/memories/{gone['id']}")
    assert (await figures(api))["memories"] == {"made": 1, "superseded": 0, "faded": 0, "deleted": 1}
    assert (await figures(api, str(yesterday.date())))["memories"]["made"] == 1
    assert old["created_at"][:10] == str(yesterday.date())
    report = await api.get("/v1/stats")
    assert len(report["items"]) == 30
    assert report["totals"] | {"pending": 0} == {
        "memories": 1, "superseded": 0, "deleted": 1, "entities": 0, "sessions": 0, "dreams": 0, "pending": 0
    }  # fmt: skip


async def test_dreams_are_counted_and_dry_runs_are_not(api: Api) -> None:
    await say(api, "I live in Porto.", "My name is Inês.")
    await dream(api.runtime, dry_run=True)
    assert (await figures(api))["dreams"]["dreams"] == 0
    done = await dream(api.runtime)
    found = (await figures(api))["dreams"]
    assert (found["dreams"], found["failed"], found["messages"]) == (1, 0, 2)
    assert found["created"] == done["report"]["created"] > 0
    assert found["duration_p50_s"] == found["duration_max_s"] == done["report"]["duration_s"]
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert (await figures(api))["dreams"]["undone"] == 1


async def test_what_a_dream_replaces_and_finds_faded(api: Api) -> None:
    await api.save("Walked past the bakery", type="observation", importance=0.2, user="u1")
    await say(api, "I live in Porto.")
    await dream(api.runtime)
    await say(api, "I moved to Braga.", session="later")
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=200)
    await dream(api.runtime)
    found = (await figures(api))["memories"]
    assert (found["superseded"], found["faded"]) == (1, 1)


async def test_searches_are_counted_by_agent_with_their_latency(api: Api) -> None:
    await api.save("Ines lives in Porto")
    await api.save("Bo lives in Oslo", agent="b")
    for _ in range(3):
        await api.search("Where does Ines live?")
    await api.search("Where does Bo live?", agent="b")
    await api.search("anything", agent="nobody of that name")
    await api.post("/v1/memories/search/preview", {"agent": "a", "query": "Ines"})
    found = (await figures(api, agent="a"))["searches"]
    assert (found["searches"], found["degraded"]) == (3, 0)
    assert 0 < found["p50_ms"] <= found["p95_ms"]
    assert (await figures(api))["searches"]["searches"] == 4
    assert (await figures(api, agent="b"))["searches"]["searches"] == 1
    await api.search("Where does Ines live?")
    assert (await figures(api, agent="a"))["searches"]["searches"] == 4


async def test_searches_without_vectors_are_degraded(own_api: Api) -> None:
    await own_api.save("Ines lives in Porto")
    await own_api.search("Porto", strategy="semantic")
    await own_api.search("Porto", strategy="keyword")
    found = (await figures(own_api))["searches"]
    assert (found["searches"], found["degraded"]) == (2, 1)


async def test_an_agent_key_sees_its_own_figures_alone(api: Api) -> None:
    await api.save("Ines lives in Porto")
    await api.save("Bo lives in Oslo", agent="b")
    await api.search("Oslo", agent="b")
    of_a, reader = await api.as_role("agent", "a"), await api.as_role("reader")
    found = await of_a.get("/v1/stats", agent="b")
    assert (found["agent"], found["totals"]["memories"], found["items"][-1]["searches"]["searches"]) == ("a", 1, 0)
    assert (await reader.get("/v1/stats"))["totals"]["memories"] == 2
    assert (await reader.get("/v1/stats", agent="ö"))["totals"]["memories"] == 0


async def test_a_span_that_is_none_is_invalid(api: Api) -> None:
    with table() as row:
        for query in [
            {"since": "2024-01-02", "until": "2024-01-01"},
            {"since": "2020-01-01", "until": "2022-01-01"},
            {"step": "hour"},
            {"since": "yesterday"},
            {"since": "9999-12-31"},
        ]:
            with row(query):
                assert await api.status("GET", "/v1/stats", params=query) == 422


async def test_searches_are_counted_for_400_days(api: Api) -> None:
    await api.save("Ines lives in Porto")
    await api.search("Porto")
    day, now = str(api.runtime.now().date()), api.runtime.now()
    await api.get("/v1/stats")
    api.runtime.now = lambda: now + timedelta(days=399)
    await apply_retention(api.runtime)
    assert (await figures(api, day, since=day, until=day))["searches"]["searches"] == 1
    api.runtime.now = lambda: now + timedelta(days=402)
    await apply_retention(api.runtime)
    assert (await figures(api, day, since=day, until=day))["searches"]["searches"] == 0
