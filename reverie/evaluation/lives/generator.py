"""Generated lives: what people tell of themselves over a month, in dialogues, and what is true of them in the end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from reverie.evaluation.lives.phrases import COMPANIES, NAMES, PETS, TONGUES, ZONES, Tongue

DAYS = 30
BEGAN = datetime(2026, 9, 1, 8, tzinfo=UTC)
SHARES = {"en": 10, "de": 4, "fr": 2, "es": 2, "zh": 2}
"""How many of twenty lives are stated in which language."""
CHANGEABLE = ("home", "employer", "diet", "likes")
MOVES_MAX = 2

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is true of somebody. ``field``: the field of a profile; ``value``: what it shows; ``said``: the
    sentence of it; ``kind``: the kind that it is stated as, or whose name the value is (`employer`, `sister`)."""

    field: str
    value: str
    said: str
    kind: str


@dataclass(slots=True)
class Life:
    """What ``user`` tells the agent, session by session, what is ``true`` in the end, and what is so ``no_more``."""

    user: str
    agent: str
    language: str
    sessions: dict[int, list[Json]] = field(default_factory=dict)
    true: list[Fact] = field(default_factory=list)
    no_more: list[Fact] = field(default_factory=list)


def lives(count: int, agents: int, seed: int = 1) -> list[Life]:
    """Return so many lives, of the users of a few agents."""
    chance = random.Random(seed)
    languages = [language for language, share in SHARES.items() for _ in range(share)]
    return [
        _life(f"person{number}", f"agent{number % agents}", languages[number % len(languages)], chance)
        for number in range(count)
    ]


def _life(user: str, agent: str, language: str, chance: random.Random) -> Life:
    life = Life(user, agent, language)
    tongue = TONGUES[language]
    said: dict[int, list[str]] = {}
    for stated in _stated(tongue, chance):
        days = sorted(chance.sample(range(DAYS), len(stated)))
        for day, fact in zip(days, stated, strict=True):
            said.setdefault(day, []).append(fact.said)
        *before, last = stated
        life.no_more += before
        life.true.append(last)
    for day, sentences in said.items():
        life.sessions[day] = _dialogue(tongue, sentences, day, chance)
    return life


def _stated(tongue: Tongue, chance: random.Random) -> Iterator[list[Fact]]:
    """Yield for each thing that somebody tells what they say of it, one after the other, of which the last holds."""
    for kind, shown in (("name", "name"), ("birthday", "birthday"), ("time zone", "time zone"), ("job", "work")):
        if chance.random() < 0.6:
            yield [_fact(tongue, "stated", kind, shown, chance.choice(_values(tongue, kind)), chance)]
    for kind, shown in (("home", "home"), ("employer", "work"), ("diet", "diet")):
        if chance.random() < 0.75:
            ways = min(len(_values(tongue, kind)), 1 + chance.randrange(MOVES_MAX + 1))
            values = chance.sample(_values(tongue, kind), ways if tongue.changed[kind] else 1)
            yield [
                _fact(tongue, "changed" if n else "stated", kind, shown, value, chance, old=values[n - 1])
                for n, value in enumerate(values)
            ]
    for kind in ("likes", "dislikes", "goals", "language"):
        for value in chance.sample(tongue.values[kind], chance.randrange(2 if kind == "language" else 3)):
            stated = [_fact(tongue, "stated", kind, kind, value, chance)]
            if kind == "likes" and chance.random() < 0.4:
                stated.append(_fact(tongue, "changed", kind, "dislikes", value, chance))
            yield stated
    for kind, names in (("family", NAMES), ("pets", PETS)):
        for relation in chance.sample(tongue.kinds[kind], chance.randrange(3)):
            yield [_fact(tongue, "stated", kind, kind, chance.choice(names), chance, relation=relation)]


def _values(tongue: Tongue, kind: str) -> tuple[str, ...]:
    return {"name": NAMES, "employer": COMPANIES, "time zone": ZONES}.get(kind) or tongue.values[kind]


def _fact(
    tongue: Tongue, how: str, kind: str, shown: str, value: str, chance: random.Random, *, old: str = "",
    relation: str = "",
) -> Fact:  # fmt: skip
    way = chance.choice((tongue.stated if how == "stated" else tongue.changed)[kind])
    said = way.format(
        v=value,
        old=old,
        k=relation if way.startswith("{k}") else relation[:1].lower() + relation[1:],
        **_forms(value, relation),
    )
    return Fact(shown, tongue.means.get(value, value), said, relation or kind)


def _forms(value: str, relation: str) -> dict[str, str]:
    """Return the value and the relation as the grammar of a language wants them in some templates."""
    article, _, rest = value.partition(" ")
    feminine = relation in ("Katze",)
    infinitive = value.rpartition(" ")
    return {
        "du": {"le": f"du {rest}", "les": f"des {rest}"}.get(article, f"de {value}"),
        "del_": f"del {rest}" if article == "el" else f"de {value}",
        "feminine": f"{value[:-1]}a",
        "upper": value[:1].upper() + value[1:],
        "article": "l'" if value[:1] in "aeiouà" else "le ",
        "zu": f"{infinitive[0]} zu {infinitive[2]}",
        "k_acc": f"{'eine' if feminine else 'einen'} {relation}",
        "k_my": f"{'Meine' if feminine else 'Mein'} {relation}",
        "k_un": f"un {relation}",
        "k_mon": f"Mon {relation}",
        "k_mi": f"Mi {relation}",
    }


def _dialogue(tongue: Tongue, sentences: list[str], day: int, chance: random.Random) -> list[Json]:
    """Return a conversation in which these sentences are said, among others, some of them in one message."""
    turns: list[tuple[str, str]] = []
    if chance.random() < 0.5:
        turns.append(("user", chance.choice(tongue.greetings)))
    for sentence in sentences:
        message = sentence
        if chance.random() < 0.3:
            message = f"{sentence}{'' if sentence[-1] in '.!?。！' else '.'} {chance.choice(tongue.noise)}"
        turns.append(("user", message))
        if chance.random() < 0.6:
            turns.append(("assistant", chance.choice(tongue.replies)))
        if chance.random() < 0.3:
            turns.append(("user", chance.choice((*tongue.questions, *tongue.noise))))
    at = BEGAN + timedelta(days=day)
    return [
        {"role": role, "content": content, "created_at": (at + timedelta(minutes=minute)).isoformat()}
        for minute, (role, content) in enumerate(turns)
    ]
