"""300 changed facts told over weeks: the old one is superseded, nothing that still holds is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.live_api import Api
from tests.worker.dreaming import dream

Json = dict[str, Any]

WEEKS = 4
USERS = 60
COMPANIES = ("Initech", "Globex", "Hooli", "Umbrella", "Stark Industries", "Wonka Foods", "Acme Robotics", "Vandelay")
CITIES = ("Oslo", "Bergen", "Madrid", "Rome", "Vienna", "Lisbon", "Dublin", "Prague", "New York", "Porto")
PROJECTS = [
    f"{first}{last}"
    for first in ("Apo", "Bore", "Coba", "Dyna", "Eve", "Fal", "Grani", "Harbo", "Indi", "Jupi", "Kilo", "Luna")
    for last in ("ria", "lto", "mex", "nor", "pan", "quil", "rest", "sol", "tix", "vane")
]
"""Two for each user: what another says of a project replaces what was said of it before."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FOODS = ("sushi", "anchovies", "olives", "tea", "coffee", "blue cheese")
HOBBIES = ("chess", "jazz", "sailing", "opera", "tennis", "hiking")
FRIENDS = ("Anna", "Tom", "Karen", "Lee", "Nina", "Omar")

KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "job": (
        ("I work at {a}.", "I'm working at {a}.", "I work for {a}"),
        (
            "I now work at {b}.", "I just started a new job at {b}.", "I left {a} last week.", "I work for {b} now.",
            "I quit {a} and got a job at {b}.", "I don't work at {a} anymore.", "I'm working at {b} these days.",
        ),
    ),
    "home": (
        ("I live in {a}.", "I'm based in {a}.", "I'm living in {a}"),
        (
            "I moved to {b}.", "I live in {b} now.", "I've relocated to {b}", "I no longer live in {a}.",
            "I used to live in {a}, now {b}.", "We moved from {a} to {b}.",
        ),
    ),
    "budget": (
        ("The {p} budget is {a}.", "The budget for {p} is {a}.", "{p}'s budget is {a}"),
        (
            "The {p} budget is now {b}.", "Correction: the {p} budget is {b}.", "The {p} budget was raised to {b}.",
            "Actually, the {p} budget is {b}.", "The {p} budget has changed to {b}", "The {p} budget is {b} now.",
        ),
    ),
    "date": (
        ("The {p} meeting is on {a}.", "The {p} meeting is {a}.", "Our {p} meeting is on {a}"),
        (
            "The {p} meeting moved to {b}.", "The {p} meeting is now on {b}.", "The {p} meeting has been moved to {b}.",
            "The {p} meeting was rescheduled to {b}.", "Correction: the {p} meeting is on {b}.",
        ),
    ),
    "taste": (
        ("I like {a}.", "I love {a}.", "I really enjoy {a}"),
        (
            "I don't like {a} anymore.", "I hate {a} now.", "I no longer like {a}.", "I've gone off {a}.",
            "I can't stand {a} anymore.", "I stopped liking {a}.",
        ),
    ),
    "diet": (
        ("I'm vegetarian.", "I am a vegetarian.", "I'm a vegetarian"),
        ("I eat meat again.", "I'm no longer vegetarian.", "I'm not a vegetarian anymore.", "I'm vegan now."),
    ),
    "relationship": (
        ("My girlfriend is {a}.", "I'm dating {a}.", "My partner is {a}"),
        (
            "{a} and I broke up.", "I broke up with {a}.", "I'm dating {b} now.", "{a} and I are no longer together.",
            "I split up with {a} last week.",
        ),
    ),
}  # fmt: skip
HOLDING = (
    "I have a dog named Rex.", "My sister Maria is a nurse.", "I like {hobby}.", "I love {food}.", "I play the piano.",
    "The {other} budget is 70000.", "The office is in Room 101.", "My birthday is on 3 May.", "I speak Norwegian.",
    "My favorite color is blue.", "My brother lives in {city}.", "The {other} meeting is on Friday.",
    "I visited {city} last week.", "The office in {city} is in Room 102.", "I met Dana Scully at {company}.",
    "The {other} budget report is due on Friday.", "My sister works at {company}.", "I don't like {disliked}.",
    "{other}'s deadline is 5 May.", "My brother is dating Julia.",
)  # fmt: skip


@dataclass
class Story:
    """What a user says, week by week; ``old`` must be superseded, ``holding`` must not be."""

    user: str
    weeks: list[list[str]] = field(default_factory=lambda: [[] for _ in range(WEEKS)])
    old: list[tuple[str, str, str]] = field(default_factory=list)
    holding: list[str] = field(default_factory=list)


def story(user: str, projects: list[str], chance: random.Random) -> Story:
    """Five changes, each from one week to a later one, among what goes on to hold."""
    told = Story(user)
    project, other = projects
    filler = {"hobby": chance.choice(HOBBIES), "food": chance.choice(FOODS[3:]), "other": other, "city": "Hamburg"}
    filler |= {"company": "Cyberdyne", "disliked": "spinach"}
    for kind in chance.sample(sorted(KINDS), 5):
        a, b = chance.sample(_values(kind), 2)
        words = {"a": a, "b": b, "p": project}
        before, after = (chance.choice(group).format(**words) for group in KINDS[kind])
        first = chance.randrange(WEEKS - 1)
        told.weeks[first].append(before)
        told.weeks[chance.randrange(first + 1, WEEKS)].append(after)
        told.old.append((kind, before, after))
    for said in chance.sample(HOLDING, 8):
        told.holding.append(said.format(**filler))
        told.weeks[chance.randrange(WEEKS)].append(told.holding[-1])
    for week in told.weeks:
        chance.shuffle(week)
    return told


def _values(kind: str) -> tuple[str, ...]:
    return {
        "job": COMPANIES, "home": CITIES, "budget": ("50000", "60000", "75000", "90000"), "date": DAYS,
        "taste": FOODS[:3], "diet": ("", "-"), "relationship": FRIENDS,
    }[kind]  # fmt: skip


async def test_the_old_is_superseded_and_what_holds_is_not(static_api: Api) -> None:
    chance = random.Random(11)
    stories = [story(f"user{n}", PROJECTS[2 * n : 2 * n + 2], chance) for n in range(USERS)]
    said_by: dict[tuple[str, str], list[str]] = {}
    began = datetime(2026, 9, 7, 9, tzinfo=UTC)
    for week in range(WEEKS):
        for each in stories:
            at = began + timedelta(weeks=week)
            messages = [
                {"role": "user", "content": said, "created_at": (at + timedelta(minutes=n)).isoformat()}
                for n, said in enumerate(each.weeks[week])
            ]
            if messages:
                body = {"agent": "a", "user": each.user, "messages": messages}
                stored = (await static_api.post(f"/v1/sessions/{each.user}-{week}/messages", body))["messages"]
                for message, said in zip(stored, each.weeks[week], strict=True):
                    said_by.setdefault((each.user, said), []).append(message["id"])
        await dream(static_api.runtime)
    current: dict[tuple[str, str], list[bool]] = {}
    for (user, said), ids in said_by.items():
        for id_ in ids:
            for memory in (await static_api.get(f"/v1/messages/{id_}/memories"))["items"]:
                current.setdefault((user, said), []).append(memory["superseded_by"] is None)
    changed: Counter[str] = Counter()
    missed: list[tuple[str, str, str]] = []
    for each in stories:
        for kind, before, after in each.old:
            done = (each.user, before) in current and not any(current[each.user, before])
            changed[kind] += done
            missed += [] if done else [(kind, before, after)]
    holding = [(each.user, said) for each in stories for said in each.holding if (each.user, said) in current]
    lost = [said for user, said in holding if not all(current[user, said])]
    total = sum(len(each.old) for each in stories)
    print(f"superseded {sum(changed.values())} of {total}: {dict(changed)}; lost {len(lost)} of {len(holding)}")
    print(*missed, *lost, sep="\n")
    assert total == 300
    assert sum(changed.values()) >= 0.9 * total
    assert len(holding) >= 200
    assert len(lost) <= 0.01 * len(holding)
