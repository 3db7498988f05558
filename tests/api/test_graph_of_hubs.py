"""An entity that hundreds of memories speak of: its neighbours are shown, and it leads the list."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant

HUB_MEMORIES = 520
NEIGHBOURS = 40


def about(*names: str) -> list[dict[str, object]]:
    """Links to entities of these names."""
    return [{"relation": "mentions", "entity": {"name": name, "kind": "person"}} for name in names]


async def hub(tenant: Tenant) -> None:
    """Caroline, whom 520 memories mention, each with one of 40 others; Zoe and Yan are mentioned once, together."""
    items = [
        {"agent": "a", "type": "fact", "content": f"Caroline met friend {n % NEIGHBOURS} for the {n}th time",
         "links": about("Caroline", f"Friend {n % NEIGHBOURS}")}
        for n in range(HUB_MEMORIES)
    ]  # fmt: skip
    items.append({"agent": "a", "type": "fact", "content": "Zoe knows Yan", "links": about("Zoe", "Yan")})
    await tenant.post("/v1/memories/batch", {"items": items})


async def test_the_neighbours_of_a_hub_are_shown_at_two_steps(tenant: Tenant) -> None:
    await hub(tenant)
    one = await tenant.get("/v1/entities/Caroline/graph", agent="a", depth=1)
    assert (len(one["entities"]), len(one["memories"]), one["truncated"]) == (0, 499, True)
    two = await tenant.get("/v1/entities/Caroline/graph", agent="a", depth=2)
    assert {entity["name"] for entity in two["entities"]} == {f"Friend {n}" for n in range(NEIGHBOURS)}
    assert len(two["memories"]) + len(two["entities"]) + 1 == 500
    names = {entity["id"]: entity["name"] for entity in (two["entity"], *two["entities"])}
    pairs = {frozenset((names[one["source_id"]], names[one["target_id"]])): one["memories"] for one in two["related"]}
    assert pairs == {frozenset(("Caroline", f"Friend {n}")): HUB_MEMORIES // NEIGHBOURS for n in range(NEIGHBOURS)}


async def test_what_is_not_visible_relates_nobody(tenant: Tenant) -> None:
    seen = await tenant.save("Zoe knows Yan", links=about("Zoe", "Yan"))
    await tenant.save("Zoe and Yan had lunch", links=about("Zoe", "Yan"))
    await tenant.save("Zoe hides Xi", agent="other", links=about("Zoe", "Xi"))

    async def related() -> list[int]:
        found = await tenant.get("/v1/entities/Zoe/graph", agent="a")
        return [pair["memories"] for pair in found["related"]]

    assert await related() == [2]
    await tenant.delete(f"/v1/memories/{seen['id']}")
    assert await related() == [1]


@pytest.mark.parametrize("limit", [7, 200])
async def test_the_most_mentioned_lead_the_list_page_by_page(tenant: Tenant, limit: int) -> None:
    await hub(tenant)
    names: list[str] = []
    mentions: list[int] = []
    cursor = None
    while cursor is not None or not names:
        page = await tenant.get("/v1/entities", sort="mentions", limit=limit, **({"cursor": cursor} if cursor else {}))
        names += [entity["name"] for entity in page["items"]]
        mentions += [entity["mentions"] for entity in page["items"]]
        cursor = page["next_cursor"]
    assert names[0] == "Caroline"
    assert len(names) == len(set(names)) == NEIGHBOURS + 3
    assert mentions == sorted(mentions, reverse=True)
    assert set(names[-2:]) == {"Zoe", "Yan"}


async def test_a_cursor_of_another_order_is_refused(tenant: Tenant) -> None:
    await hub(tenant)
    cursor = (await tenant.get("/v1/entities", limit=1))["next_cursor"]
    for wrong in ({"sort": "mentions", "cursor": cursor}, {"sort": "loudest"}):
        refused = await tenant.call("GET", "/v1/entities", params=wrong)
        assert refused.status_code == 422
