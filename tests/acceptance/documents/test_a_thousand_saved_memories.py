"""A dream over 1,000 memories saved by the API: 200 duplicates, 100 contradictions, 40 entities in three spellings."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from service.settings import Settings
from tests.killable import dreaming, expire_leases
from tests.live_api import Api
from tests.worker.dreaming import dream

Json = dict[str, Any]


STEPS = ("claimed", "begun", "gathered", "extracted", "reconciled", "reflected", "applying", "written", "committed")


def words(block: str) -> list[str]:
    return block.split()


FIRST = words("Ann Ben Carla Dan Eva Finn Gina Hans Ida Jon Kira Leo Mona Nils Olga Paul Rosa Sven Tina Udo")
LAST = words("Berg Dahl Falk Holm Lind")
THINGS = words(
    "tea coffee cocoa chess tennis jazz opera sailing hiking sushi pizza anchovies olives cheese Go Rust Python Fridays"
    " spreadsheets meetings"
)
CITIES = words("Oslo Bergen Madrid Rome Paris Vienna Lisbon Dublin Athens Prague")
NAMES = words("Apollo Borealis Cobalt Dynamo Everest Falcon Granite Harbor Indigo Jupiter")
SORTS = words("Robotics Analytics Foods Logistics")


@dataclass
class Corpus:
    """What is saved, in order; what is to be current, and what is to be gone with what it gives way to."""

    saved: list[tuple[str, str]] = field(default_factory=list)
    current: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)
    companies: list[str] = field(default_factory=list)


def corpus(seed: int = 7, part: int = 1) -> Corpus:
    """1,000 memories: 200 duplicates, 100 that an opposite one follows, 120 that spell 40 names in three ways, and what
    holds beside them; or a part of so many."""
    chance = random.Random(seed)
    made = Corpus()
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    tastes = [(person, thing) for person in people for thing in THINGS]
    chance.shuffle(tastes)
    first: list[tuple[str, str]] = []
    for person, thing in tastes[: 200 // part]:
        first.append(("preference", f"{person} likes {thing}."))
        made.gone[f"{person} likes {thing}"] = f"{person} likes {thing}."
    duplicates = [("preference", content) for content in made.gone]
    for person, thing in tastes[200 : 200 + 50 // part]:
        first.append(("preference", f"{person} enjoys {thing}"))
        made.gone[f"{person} enjoys {thing}"] = f"{person} does not enjoy {thing}"
    homes = chance.sample(people, 50 // part)
    for person in homes:
        before, after = chance.sample(CITIES, 2)
        first.append(("fact", f"{person} lives in {before}"))
        made.gone[f"{person} lives in {before}"] = f"{person} moved to {after}"
    opposites = [
        ("preference" if "enjoy" in new else "fact", new) for old, new in made.gone.items() if not new.endswith(".")
    ]
    made.companies = [f"{word} {sort}" for word in NAMES for sort in SORTS][: 40 // part]
    rooms = []
    for at, name in enumerate(made.companies):
        for n, spelled in enumerate((name, name.upper(), f"{name} Inc.")):
            rooms.append(("fact", f"The contract {at * 3 + n + 100} with {spelled} was signed in room {at + 11}."))
    holding = [
        ("fact", f"The parcel {n + 5000} for {chance.choice(people)} lies in shelf {n + 300}")
        for n in range(1000 // part - len(first) - len(duplicates) - len(opposites) - len(rooms))
    ]
    early, late = [*first, *rooms, *holding], [*duplicates, *opposites]
    chance.shuffle(early)
    chance.shuffle(late)
    made.saved = early + late
    made.current = {content for _, content in made.saved} - made.gone.keys()
    return made


async def save(api: Api, saved: list[tuple[str, str]]) -> None:
    """Save them all, in batches, in order."""
    for start in range(0, len(saved), 250):
        items = [{"agent": "a", "type": type_, "content": content} for type_, content in saved[start : start + 250]]
        await api.post("/v1/memories/batch", {"items": items})


async def all_of(api: Api, path: str, **params: Any) -> list[Json]:
    items: list[Json] = []
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        page = await api.get(path, agent="a", limit=200, **params, **cursor)
        items += page["items"]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    return items


async def is_as_it_must_be(api: Api, made: Corpus) -> None:
    """Duplicates are merged, contradictions superseded by the newer, entities there once each, and nothing else."""
    memories = [one for one in await all_of(api, "/v1/memories", include="superseded") if one["type"] != "insight"]
    content_of = {one["id"]: one["content"] for one in memories}
    assert {one["content"] for one in memories if one["superseded_by"] is None} == made.current
    assert {one["content"]: content_of[one["superseded_by"]] for one in memories if one["superseded_by"]} == made.gone
    names = [one["name"] for one in await all_of(api, "/v1/entities")]
    assert sorted(name for name in names if name.split()[0].capitalize() in NAMES) == sorted(made.companies)


async def test_a_dream_over_a_thousand(static_api: Api) -> None:
    made = corpus()
    assert len(made.saved) == 1000
    assert len(made.gone) == 300
    await save(static_api, made.saved)
    done = await dream(static_api.runtime)
    await is_as_it_must_be(static_api, made)
    assert (done["report"]["memories"], done["report"]["superseded"]) == (1000, 300)
    assert (await dream(static_api.runtime))["report"]["memories"] == 0


async def test_killed_at_every_step(own_static_api: Api, settings: Settings) -> None:
    api, made = own_static_api, corpus(part=5)
    await save(api, made.saved)
    await api.post("/v1/agents/a/dream", {})
    for step in STEPS:
        async with dreaming(settings.model_copy(update={"embedding_model": "static"}), None, {step: 1}) as worker:
            assert await worker.wait_for_step() == step
            await worker.kill()
        await expire_leases(settings.database_url)
    async with dreaming(settings.model_copy(update={"embedding_model": "static"}), None) as worker:
        assert await worker.wait_for_step() is None
    await is_as_it_must_be(api, made)
    dreams = await all_of(api, "/v1/dreams")
    assert [(one["status"], one["report"]["memories"]) for one in dreams] == [("succeeded", 200)]
