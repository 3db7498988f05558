"""Identity is "included in every system prompt", preferences are loaded "every time Priya talks"."""

from __future__ import annotations

import pytest

from tests.live_api import Json, Tenant


async def talk(tenant: Tenant, **fields: object) -> Json:
    return await tenant.post("/v1/context", {"agent": "a", "user": "Priya", "message": "Good morning"} | fields)


def shown(context: Json) -> set[str]:
    return {item for section in context["sections"] for item in section["items"]}


async def test_every_preference_is_there_while_the_budget_has_room(tenant: Tenant) -> None:
    ids = [
        (await tenant.save(f"Prefers style number {n} in reports", type="preference", user="Priya"))["id"]
        for n in range(25)
    ]
    context = await talk(tenant, max_tokens=2_000)
    assert shown(context) >= set(ids)
    assert context["omitted"] == []


@pytest.mark.parametrize("budget", [80, 120, 400])
async def test_identity_is_cut_last(tenant: Tenant, budget: int) -> None:
    identity = await tenant.save("You are Prime, the assistant of Acme", type="identity")
    for n in range(20):
        await tenant.save(f"Prefers style number {n} in reports", type="preference", user="Priya")
    context = await talk(tenant, max_tokens=budget)
    assert identity["id"] in shown(context)
    assert context["tokens"] <= budget
    omitted = {one["section"]: one for one in context["omitted"]}
    assert omitted.get("preferences", {"count": 0})["count"] == 21 - len(shown(context))
    assert all(one["tokens"] >= one["count"] for one in omitted.values())
