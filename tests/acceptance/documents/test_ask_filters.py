"""A question is answered from what holds: filtered as a search is, without what has faded or been superseded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Caller, Tenant
from tests.worker.dreaming import dream
from tests.worker.test_decay import days_pass

NOTES: tuple[dict[str, Any], ...] = (
    {"type": "decision", "content": "Apollo ships with Telegram only", "tags": ["release"]},
    {"type": "fact", "content": "Apollo is written in Python", "metadata": {"project": "apollo"}, "user": "ramesh"},
    {"type": "event", "content": "Apollo was launched", "occurred_at": "2026-05-01T10:00:00Z"},
)


async def answered_from(api: Caller, question: str, **filters: Any) -> set[str]:
    answer = await api.post("/v1/ask", {"agent": "a", "question": question, **filters})
    return {memory["id"] for memory in answer["memories"] if memory["type"] != "insight"}


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        ({}, {0, 2}),
        ({"user": "ramesh"}, {0, 1, 2}),
        ({"user": "priya"}, {0, 2}),
        ({"types": ["decision", "event"]}, {0, 2}),
        ({"tags": ["release"]}, {0}),
        ({"user": "ramesh", "metadata": {"project": "apollo"}}, {1}),
        ({"metadata": {"project": "apollo"}}, set()),
        ({"user": "ramesh", "about": "ramesh"}, {1}),
        ({"user": "priya", "about": "ramesh"}, set()),
        ({"about": "ramesh"}, set()),
        ({"since": "2026-04-01T00:00:00Z", "until": "2026-06-01T00:00:00Z"}, {2}),
    ],
)
async def test_memories_pass_the_filters(tenant: Tenant, filters: dict[str, Any], shown: set[int]) -> None:
    saved = [await tenant.save(**note) for note in NOTES]
    assert await answered_from(tenant, "What about Apollo?", **filters) == {saved[number]["id"] for number in shown}


async def test_what_is_superseded_or_faded_answers_nothing(tenant: Tenant) -> None:
    api = tenant
    await api.save("The budget of Apollo is 50000")
    await api.save("Apollo was late in the budget meeting", type="observation", importance=0.1)
    await days_pass(api, 365)
    new = await api.save("The budget of Apollo is 60000")
    await dream(api)
    assert await answered_from(api, "What is the budget of Apollo?") == {new["id"]}
