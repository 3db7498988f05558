"""What a context retrieves is filtered as a search is; what always stands in it is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant

NOTES: tuple[dict[str, Any], ...] = (
    {"type": "decision", "content": "Apollo ships with Telegram only", "tags": ["release"]},
    {"type": "fact", "content": "Apollo is written in Python", "metadata": {"project": "apollo"}, "user": "ramesh"},
    {"type": "event", "content": "Apollo was launched", "occurred_at": "2026-05-01T10:00:00Z"},
)


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
        ({"user": "ramesh", "user_filter": "ramesh"}, {1}),
        ({"user": "ramesh", "about": "ramesh"}, {1}),
        ({"user": "priya", "about": "ramesh"}, set()),
        ({"about": "ramesh"}, set()),
        ({"since": "2026-04-01T00:00:00Z", "until": "2026-06-01T00:00:00Z"}, {2}),
        ({"types": ["todo"]}, set()),
    ],
)
async def test_what_is_retrieved_passes_the_filters(tenant: Tenant, filters: dict[str, Any], shown: set[int]) -> None:
    saved = [await tenant.save(**note) for note in NOTES]
    standing = await tenant.save("You are Prime, at Acme", type="identity")
    context = await tenant.post("/v1/context", {"agent": "a", "message": "What about Apollo?", **filters})
    items = {one["name"]: one["items"] for one in context["sections"]}
    assert set(items.get("memories", [])) == {saved[number]["id"] for number in shown}
    assert items["identity"] == [standing["id"]]


async def test_a_filter_that_is_wrong_is_named(tenant: Tenant) -> None:
    await tenant.save("Apollo is written in Python")
    for wrong in ({"types": ["rumour"]}, {"since": "2026-06-01T00:00:00Z", "until": "2026-05-01T00:00:00Z"}):
        answer = await tenant.call("POST", "/v1/context", json={"agent": "a", "message": "Apollo?", **wrong})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"][1] in {"types", "until"}
