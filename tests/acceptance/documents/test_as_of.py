"""`as_of`: text, type, tags and importance as they stood then, found by the words they had then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from service.store.search.plan import SearchLimits
from tests.live_api import Api
from tests.tables import table
from tests.worker.dreaming import dream, say

DAY = timedelta(days=1)
START = datetime.now(UTC)
STRATEGIES = ("hybrid", "keyword", "semantic", "recent")


@pytest.fixture
def api(own_static_api: Api) -> Api:
    """A server of the test's own, whose clock the test moves."""
    return own_static_api


def on_day(api: Api, day: int) -> None:
    """Let it be so many days later."""
    api.runtime.now = lambda: START + day * DAY


async def known(api: Api, query: str, day: float, **fields: Any) -> list[dict[str, Any]]:
    """What a search finds of a day, but for what was concluded from it."""
    found = await api.search(query, as_of=(START + day * DAY).isoformat(), **fields)
    return [memory for memory in found if memory["type"] != "insight"]


async def changed_twice(api: Api) -> dict[str, Any]:
    """A budget saved on day 0, corrected by key on day 2, edited on day 4; among others that stay."""
    on_day(api, 0)
    await api.save("Bergen is rainy in autumn")
    await api.save("The budget is 50000 euros", key="budget", tags=["draft"], importance=0.4)
    on_day(api, 2)
    memory = await api.save("The ceiling is 60000 dollars", key="budget", tags=["approved"], importance=0.6)
    on_day(api, 4)
    changes = {"content": "Spend at most 70000 francs", "type": "decision", "tags": ["final"], "importance": 0.9}
    found: dict[str, Any] = await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], **changes})
    on_day(api, 5)
    return found


LIMITS = (SearchLimits(), SearchLimits(exact_rows=0), SearchLimits(listed_from=0))
"""By the index of meanings, by all rows, and by lists of filters."""


async def test_text_type_tags_and_importance_as_they_stood_then(api: Api) -> None:
    memory = await changed_twice(api)
    then = (
        (1, "budget 50000 euros", "The budget is 50000 euros", "fact", ["draft"], 0.4),
        (3, "ceiling 60000 dollars", "The ceiling is 60000 dollars", "fact", ["approved"], 0.6),
        (4.5, "spend 70000 francs", "Spend at most 70000 francs", "decision", ["final"], 0.9),
    )
    with table() as row:
        for strategy, limits, (day, words, content, type_, tags, importance) in product(STRATEGIES, LIMITS, then):
            with row(strategy, limits, day):
                api.runtime.search_limits = limits
                found = await known(api, words, day, strategy=strategy)
                first = next(one for one in found if one["id"] == memory["id"])
                assert (first["content"], first["type"], first["importance"]) == (content, type_, importance)
                assert first["tags"] == tags
                by_words = await known(api, words, day, strategy="keyword", limit=1)
                assert [one["content"] for one in by_words] == [content]


async def test_the_words_of_another_time_do_not_find_it(api: Api) -> None:
    memory = await changed_twice(api)
    assert await known(api, "70000 francs", 1, strategy="keyword") == []
    assert await known(api, "50000 euros", 3, strategy="keyword") == []
    (meant,) = await known(api, "money in euros", 1, strategy="semantic", limit=1)
    assert meant["id"] == memory["id"]
    assert await known(api, "budget", -1) == []


async def test_filters_meet_what_was_true_then(api: Api) -> None:
    await changed_twice(api)
    filters: tuple[tuple[float, dict[str, Any], dict[str, Any]], ...] = (
        (1, {"tags": ["draft"], "types": ["fact"]}, {"tags": ["final"]}),
        (3, {"min_importance": 0.55}, {"min_importance": 0.8}),
        (4.5, {"types": ["decision"], "min_importance": 0.8}, {"tags": ["draft"]}),
    )
    asked = "budget, ceiling, spend"
    with table() as row:
        for strategy, limits, (day, passing, failing) in product(STRATEGIES, LIMITS, filters):
            with row(strategy, limits, day):
                api.runtime.search_limits = limits
                assert len(await known(api, asked, day, strategy=strategy, limit=1, **passing)) == 1
                assert await known(api, asked, day, strategy=strategy, **failing) == []


async def test_what_a_dream_superseded_holds_until_then(api: Api) -> None:
    on_day(api, 0)
    old = await api.save("The budget of Apollo is 50000")
    on_day(api, 2)
    new = await api.save("The budget of Apollo is 60000")
    on_day(api, 3)
    await dream(api.runtime)
    assert (await api.get(f"/v1/memories/{old['id']}"))["superseded_by"] == new["id"]
    assert [one["id"] for one in await known(api, "budget of Apollo", 1)] == [old["id"]]
    assert [one["id"] for one in await known(api, "budget of Apollo", 4)] == [new["id"]]


async def test_restored_as_then_and_deleted_never(api: Api) -> None:
    memory = await changed_twice(api)
    await api.delete(f"/v1/memories/{memory['id']}")
    assert await known(api, "budget 50000 euros", 1, strategy="keyword") == []
    on_day(api, 7)
    await api.post(f"/v1/memories/{memory['id']}/restore")
    assert len(await known(api, "budget 50000 euros", 1, strategy="keyword")) == 1
    assert await known(api, "francs", 6, strategy="keyword") == []
    assert len(await known(api, "francs", 7.5, strategy="keyword")) == 1


async def test_what_was_purged_is_known_of_no_time(api: Api) -> None:
    on_day(api, 0)
    saved = await api.save("Priya's budget is 50000 euros", user="Priya", key="budget")
    on_day(api, 2)
    await api.save("Priya's ceiling is 60000 dollars", user="Priya", key="budget")
    on_day(api, 3)
    assert [one["id"] for one in await known(api, "euros", 1, strategy="keyword")] == [saved["id"]]
    await api.post("/v1/users/Priya/purge")
    assert await known(api, "euros", 1) == []


async def test_a_dream_that_is_undone_never_was(api: Api) -> None:
    await say(api, "I prefer tea over coffee.")
    await dream(api.runtime)
    (memory,) = await api.search("tea over coffee")
    await say(api, "I prefer tea over coffee.", session="again")
    again = await dream(api.runtime)
    now = datetime.now(UTC).isoformat()
    assert (await api.get(f"/v1/memories/{memory['id']}"))["version"] > memory["version"]
    await api.post(f"/v1/dreams/{again['id']}/undo")
    (found,) = await api.search("tea over coffee", as_of=now)
    assert (found["id"], found["version"]) == (memory["id"], memory["version"])
