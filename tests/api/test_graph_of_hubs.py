"""An entity that hundreds of memories speak of: its neighbours are shown, and it leads the list."""

from __future__ import annotations

import pytest

from tests.live_api import Caller, Tenant

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


async def test_the_neighbours_of_a_hub_are_shown(tenant: Tenant) -> None:
    await hub(tenant)
    one = await tenant.get("/v1/entities/Caroline/graph", agent="a", depth=1)
    assert (len(one["entities"]), len(one["memories"]), one["truncated"]) == (NEIGHBOURS, 499 - NEIGHBOURS, True)
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


async def test_a_graph_of_entities_alone_goes_ring_by_ring(tenant: Tenant) -> None:
    for pair in (("Ana", "Bo"), ("Ana", "Bo"), ("Ana", "Cy"), ("Bo", "Dee"), ("Dee", "Ed"), ("Flo", "Gus")):
        await tenant.save(f"{pair[0]} knows {pair[1]} ({await stamp(tenant)})", links=about(*pair))

    async def around(depth: int, ring: int = 100) -> list[str]:
        found = await tenant.get("/v1/entities/Ana/graph", agent="a", depth=depth, ring=ring, memories=False)
        assert found["memories"] == []
        return [entity["name"] for entity in found["entities"]]

    assert await around(1) == ["Bo", "Cy"]
    assert await around(2) == ["Bo", "Cy", "Dee"]
    assert await around(4) == ["Bo", "Cy", "Dee", "Ed"]
    assert await around(4, ring=1) == ["Bo", "Dee", "Ed"]


async def stamp(tenant: Tenant) -> int:
    """How many memories there are, to tell texts apart."""
    return len((await tenant.get("/v1/memories", agent="a"))["items"])


async def overview(caller: Caller, **query: object) -> tuple[dict[str, int], dict[frozenset[str], int]]:
    """Mentions by name, and memories by pair of names."""
    found = await caller.get("/v1/graph", **query)
    names = {entity["id"]: entity["name"] for entity in found["entities"]}
    pairs = {frozenset((names[one["source_id"]], names[one["target_id"]])): one["memories"] for one in found["related"]}
    return {entity["name"]: entity["mentions"] for entity in found["entities"]}, pairs


async def test_the_overview_relates_the_most_mentioned(tenant: Tenant) -> None:
    await hub(tenant)
    mentions, pairs = await overview(tenant)
    assert next(iter(mentions)) == "Caroline"
    assert (mentions["Caroline"], mentions["Friend 7"], mentions["Zoe"]) == (HUB_MEMORIES, 13, 1)
    assert pairs[frozenset(("Caroline", "Friend 7"))] == 13
    assert pairs[frozenset(("Zoe", "Yan"))] == 1
    assert len(pairs) == NEIGHBOURS + 1
    few = await tenant.get("/v1/graph", limit=3)
    assert (len(few["entities"]), few["total"], few["truncated"]) == (3, NEIGHBOURS + 3, True)
    assert set((await overview(tenant, q="zo"))[0]) == {"Zoe"}
    assert (await overview(tenant, kind="place")) == ({}, {})
    assert (await overview(tenant, until="2000-01-01T00:00:00Z")) == ({}, {})
    assert await tenant.status("GET", "/v1/graph", params={"since": "2001-01-01Z", "until": "2000-01-01Z"}) == 422


async def test_counts_are_of_what_the_reader_may_see(tenant: Tenant) -> None:
    await tenant.put("/v1/agents/a", {"teams": ["t"]})
    await tenant.put("/v1/agents/b", {"teams": ["t"]})
    team = {"scope": "team", "team": "t"}
    await tenant.save("Zoe knows Yan", links=about("Zoe", "Yan"), **team)
    await tenant.save("Zoe left Yan", agent="b", links=about("Zoe", "Yan"))
    replaced = await tenant.save("Zoe saw Yan", agent="b", links=about("Zoe", "Yan"), **team)
    of_a, of_b = await tenant.as_role("agent", "a"), await tenant.as_role("agent", "b")
    before = [entity["mentions"] for entity in (await of_a.get("/v1/entities"))["items"]]
    assert before == [2, 2]
    await tenant.delete(f"/v1/memories/{replaced['id']}")
    for sort in ("newest", "mentions", "name"):
        listed = (await of_a.get("/v1/entities", sort=sort))["items"]
        assert [entity["mentions"] for entity in listed] == [1, 1]
    assert await overview(of_a) == ({"Zoe": 1, "Yan": 1}, {frozenset(("Zoe", "Yan")): 1})
    own = await of_b.get("/v1/graph")
    assert [entity["mentions"] for entity in own["entities"]] == [1, 1, 1, 1]
    assert (await overview(tenant, agent="nobody")) == ({}, {})


async def test_names_in_order_page_by_page(tenant: Tenant) -> None:
    await hub(tenant)
    names: list[str] = []
    cursor = None
    while cursor is not None or not names:
        page = await tenant.get("/v1/entities", sort="name", limit=9, **({"cursor": cursor} if cursor else {}))
        names += [entity["name"] for entity in page["items"]]
        cursor = page["next_cursor"]
    assert len(names) == NEIGHBOURS + 3
    assert await tenant.stored("SELECT $1::text[] = ARRAY(SELECT n FROM unnest($1::text[]) n ORDER BY n)", names)
