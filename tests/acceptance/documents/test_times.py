"""Times in a query: what happened then comes first, and a question of nothing but time is answered by time and
importance."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.tables import table

NOTES: tuple[dict[str, Any], ...] = (
    {"content": "The team moved to the new office", "occurred_at": "2024-09-02T09:00:00Z"},
    {"content": "A strange thing happened at the fair", "occurred_at": "2025-02-11T09:00:00Z"},
    {"content": "The launch was postponed by a week", "occurred_at": "2025-03-04T09:00:00Z"},
    {"content": "Dana became head of research", "occurred_at": "2024-11-14T09:00:00Z", "importance": 0.6},
    {"content": "The coffee machine broke", "occurred_at": "2024-11-20T09:00:00Z", "importance": 0.2},
    {"content": "What happened in the meeting was noted by Ann", "occurred_at": "2025-06-21T09:00:00Z"},
    {"content": "November rain flooded the cellar", "occurred_at": "2025-01-09T09:00:00Z"},
)


async def noted(tenant: Tenant) -> Tenant:
    """The same workspace, with the notes."""
    for note in NOTES:
        await tenant.save(type="event", **note)
    return tenant


async def found(tenant: Tenant, query: str, **fields: Any) -> list[str]:
    return [memory["content"] for memory in await tenant.search(query, now="2025-07-01T12:00:00Z", **fields)]


async def test_yesterday_is_that_of_the_asker(static_tenant: Tenant) -> None:
    await static_tenant.save("Ann ran", type="event", occurred_at="2025-06-30")
    await static_tenant.save("Ann swam", type="event", occurred_at="2025-06-29")
    await static_tenant.save("Ann sang", type="event", occurred_at="2025-06-30T03:30:00Z")
    for fields, first in (
        ({}, {"Ann ran", "Ann sang"}),
        ({"time_zone": "America/New_York"}, {"Ann swam", "Ann sang"}),
        ({"now": "2025-06-30T22:00:00-04:00"}, {"Ann swam", "Ann sang"}),
    ):
        asked = {"now": "2025-07-01T02:00:00Z"} | fields
        answers = await static_tenant.search("What did Ann do yesterday?", **asked)
        assert {one["content"] for one in answers[:2]} == first
    await static_tenant.put("/v1/agents/a", {"settings": {"time_zone": "America/New_York"}})
    answers = await static_tenant.search("¿Qué hizo Ann ayer?", now="2025-07-01T02:00:00Z")
    assert {one["content"] for one in answers[:2]} == {"Ann swam", "Ann sang"}


async def test_nothing_but_a_time_is_answered_by_time_and_importance(static_tenant: Tenant) -> None:
    await noted(static_tenant)
    with table() as row:
        for strategy in ("hybrid", "keyword", "semantic"):
            for fusion in ("relative", "rrf"):
                with row(strategy, fusion):
                    results = await found(
                        static_tenant, "what happened in November 2024?", strategy=strategy, fusion=fusion
                    )
                    assert results == ["Dana became head of research", "The coffee machine broke"]


async def test_without_an_embedder_too(tenant: Tenant) -> None:
    results = await found(await noted(tenant), "what happened in November 2024?")
    assert results == ["Dana became head of research", "The coffee machine broke"]


THEN = [
    ("what did the team do in September 2024?", "The team moved to the new office"),
    ("what broke in November 2024?", "The coffee machine broke"),
    ("which launch was there before May 2025?", "The launch was postponed by a week"),
    ("what was noted since June 2025?", "What happened in the meeting was noted by Ann"),
    ("who became head of research a few years ago?", "Dana became head of research"),
    ("what happened as of the first weekend of September 2024?", "The team moved to the new office"),
]


async def test_what_happened_then_comes_before_what_did_not(static_tenant: Tenant) -> None:
    await noted(static_tenant)
    with table() as row:
        for query, first in THEN:
            with row(query, first):
                assert (await found(static_tenant, query))[0] == first


async def test_words_that_match_far_better_come_before_the_time(static_tenant: Tenant) -> None:
    results = await found(await noted(static_tenant), "what flooded the cellar with rain in November 2024?")
    assert results[0] == "November rain flooded the cellar"


@pytest.mark.parametrize("embedded", [True, False])
async def test_a_date_in_figures_is_a_word_too(static_tenant: Tenant, tenant: Tenant, embedded: bool) -> None:
    asked = static_tenant if embedded else tenant
    await asked.save("The invoice is due 2024-11-20", occurred_at="2023-05-01T09:00:00Z", type="event")
    assert set(await found(await noted(asked), "2024-11-20")) >= {
        "The invoice is due 2024-11-20",
        "The coffee machine broke",
    }
