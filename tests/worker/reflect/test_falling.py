"""Whatever happens to memories, in whatever order: each insight that can be seen has all of its evidence, as it was."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.live_api import Api
from tests.worker.dreaming import dream, say

Json = dict[str, Any]

STEPS = 70
USERS = ("Sam", "Tom")
DEEDS = ("ran by the river", "went running by the river", "baked bread")
HOMES = ("Berlin", "Bergen", "Oslo")
SAID = (
    "I like green tea.", "I love mint tea.", "I hate black tea.", "I don't bake bread anymore.",
    "I'm considering moving to Lima.", "I'm still thinking about moving to Lima.",
)  # fmt: skip


class World:
    """One agent, to which things happen; ``seen``: what each insight rested on when it was seen first."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api = api
        self.chance = Random(seed)
        self.day = 0
        self.dreams: list[str] = []
        self.seen: dict[str, dict[str, Json]] = {}

    def _at(self) -> str:
        self.day += 1
        return f"2026-{5 + self.day // 28:02}-{1 + self.day % 28:02}T10:00:00Z"

    async def _any_memory(self, **filters: Any) -> Json | None:
        items = (await self.api.get("/v1/memories", agent="a", limit=200, **filters))["items"]
        return self.chance.choice(items) if items else None

    async def tell(self) -> None:
        user, at = self.chance.choice(USERS), self._at()
        said = self.chance.choice(
            [
                f"I {self.chance.choice(DEEDS)} today.",
                f"I moved to {self.chance.choice(HOMES)}.",
                self.chance.choice(SAID),
            ]
        )
        await say(self.api, said, user=user, session=f"{user}-{self.day}", created_at=at)

    async def save(self) -> None:
        user, at = self.chance.choice(USERS), self._at()
        content = f"{user} {self.chance.choice(DEEDS)} on {at[:10]}."
        expires = {"expires_at": "2027-05-05T05:05:05Z"} if self.chance.random() < 0.2 else {}
        await self.api.save(content, type="event", user=user, occurred_at=at, **expires)

    async def edit(self) -> None:
        memory = await self._any_memory()
        if memory is not None:
            change = self.chance.choice(
                [{"content": f"{memory['content']} Indeed."}, {"importance": 0.9}, {"user": "Tom"}, {"hearsay_by": "x"},
                 {"scope": "prime"}, {"expires_at": "2027-01-01T00:00:00Z"}]
            )  # fmt: skip
            path = f"/v1/memories/{memory['id']}"
            await self.api.call("PATCH", path, json={"version": memory["version"]} | change)

    async def delete(self) -> None:
        memory = await self._any_memory()
        if memory is not None:
            await self.api.delete(f"/v1/memories/{memory['id']}")

    async def restore(self) -> None:
        memory = await self._any_memory(include="deleted,superseded")
        if memory is not None:
            await self.api.call("POST", f"/v1/memories/{memory['id']}/restore")

    async def purge(self) -> None:
        if self.chance.random() < 0.2:
            await self.api.post(f"/v1/users/{self.chance.choice(USERS)}/purge", {})

    async def undo(self) -> None:
        if self.dreams:
            await self.api.call("POST", f"/v1/dreams/{self.chance.choice(self.dreams[-2:])}/undo")

    async def sleep(self) -> None:
        self.dreams.append((await dream(self.api.runtime))["id"])

    async def check(self) -> int:
        """Look at every insight, and at what it rests on; how many there are."""
        insights = (await self.api.get("/v1/memories", type="insight", limit=200))["items"]
        for insight in insights:
            evidence = {one["id"]: one for one in insight["source"]["evidence"]}
            there = {id_: (await self.api.call("GET", f"/v1/memories/{id_}")).json() for id_ in evidence}
            first = self.seen.setdefault(insight["id"], there)
            assert len(evidence) >= 2, insight
            for id_, memory in there.items():
                assert memory.get("content") == first[id_]["content"], (insight["content"], memory)
                assert memory["type"] != "insight"
                assert (memory["superseded_by"] is not None) == evidence[id_]["former"], insight
                assert (memory["user"], memory["scope"], memory["hearsay_by"]) == (insight["user"], "agent", None)
                assert insight["expires_at"] or not memory["expires_at"]
            if insight["source"]["about"].startswith("habit:"):
                assert insight["metadata"]["supports"] >= 3
        matters = [insight["source"]["about"] for insight in insights]
        assert len(matters) == len(set(matters)), "one insight holds on each matter"
        return len(insights)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_each_visible_insight_has_its_evidence(api: Api, seed: int) -> None:
    world = World(api, seed)
    steps = [world.tell] * 6 + [world.save] * 7 + [world.sleep] * 5
    steps += [world.edit, world.delete, world.restore, world.purge, world.undo]
    seen = 0
    for _ in range(STEPS):
        await world.chance.choice(steps)()
        seen += await world.check()
    assert seen >= 20, "hardly any insight was ever there to fall"
