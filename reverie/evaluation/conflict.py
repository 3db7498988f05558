"""Generated facts that change: who lives and works where, budgets, meetings, versions, owners, in five languages.

A case is one person who tells a fact, and once or twice later what has become of it, among other talk. What holds in
the end, what no longer does and what held on a day between is known, so no judge is needed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from reverie.evaluation.lives.phrases import COMPANIES, TONGUES, Tongue

BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
WEEKS = 6
TWICE = 0.3
"""Share of facts that change twice."""
SHARES: Final = {"en": 8, "de": 3, "fr": 3, "es": 3, "zh": 3}
ASKED: Final = {
    ("en", "home"): ("Where do I live?", "what city am I living in"),
    ("en", "employer"): ("Who do I work for?", "Where do I work?"),
    ("de", "home"): ("Wo wohne ich?", "In welcher Stadt lebe ich?"),
    ("de", "employer"): ("Bei wem arbeite ich?", "Wo arbeite ich?"),
    ("fr", "home"): ("Où est-ce que j'habite ?", "Dans quelle ville je vis ?"),
    ("fr", "employer"): ("Pour qui est-ce que je travaille ?", "Chez qui je travaille ?"),
    ("es", "home"): ("¿Dónde vivo?", "¿En qué ciudad vivo?"),
    ("es", "employer"): ("¿Dónde trabajo?", "¿Para qué empresa trabajo?"),
    ("zh", "home"): ("我住在哪里？", "我家在哪个城市？"),
    ("zh", "employer"): ("我在哪里工作？", "我在哪家公司上班？"),
}
"""Where is asked for a fact of a person, by language and kind."""


@dataclass(frozen=True, slots=True)
class _Domain:
    """A thing of a project, ``{p}``: how it is stated and asked, how a change is stated, and its values."""

    stated: tuple[str, ...]
    changed: tuple[str, ...]
    asked: tuple[str, ...]
    values: tuple[str, ...]


DOMAINS: Final = {
    "budget": _Domain(
        (
            "The {p} budget is {v}.", "We have {v} for {p}, that's the budget.", "Budget for {p}: {v}",
            "{p}'s budget: {v}", "Budget of {p} is {v}",
        ),
        (
            "The {p} budget is now {v}.", "Correction, the {p} budget is {v}.",
            "The budget for {p} went from {old} to {v}.",
            "They raised the {p} budget to {v}.", "The {p} budget has been changed to {v}",
            "{p} budget: {v} (updated)", "Finance approved {v} as the new {p} budget.",
        ),
        ("What is the {p} budget?", "how much money do we have for {p}"),
        ("50000", "62000", "75500", "91000", "120000"),
    ),
    "meeting": _Domain(
        ("The {p} meeting is on {v}.", "Our {p} meeting is {v}.", "{p} meeting: {v}"),
        (
            "The {p} meeting moved to {v}.", "The {p} meeting is now on {v}.",
            "We rescheduled the {p} meeting from {old} to {v}.", "The {p} meeting has been pushed to {v}.",
            "{p} meeting got moved to {v}", "We have to push the {p} meeting to {v}.",
        ),
        ("When is the {p} meeting?", "which day is the {p} meeting"),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    ),
    "deadline": _Domain(
        ("The deadline for {p} is {v}.", "{p} is due on {v}.", "The {p} deadline is {v}"),
        (
            "The {p} deadline is now {v}.", "The deadline for {p} was moved to {v}.",
            "The {p} deadline slipped to {v}.",
            "The {p} deadline moved from {old} to {v}.",
        ),
        ("What is the deadline for {p}?", "when is {p} due"),
        ("May 5", "June 12", "August 9", "October 21"),
    ),
    "owner": _Domain(
        ("{v} leads {p}.", "The lead of {p} is {v}.", "{v} is the lead of {p}.", "{p} is led by {v}"),
        (
            "{v} now leads {p}.", "{v} took over {p} from {old}.", "The lead of {p} is now {v}.",
            "{v} has replaced {old} as the lead of {p}.", "{v} is now responsible for {p}", "{p} is now led by {v}.",
        ),
        ("Who leads {p}?", "who is the lead of {p}"),
        ("Priya", "Marek", "Tomoko", "Silvia", "Anders"),
    ),
    "launch": _Domain(
        ("{p} launches on {v}.", "We launch {p} on {v}.", "Launch date for {p}: {v}", "The {p} launch is on {v}."),
        (
            "{p} now launches on {v}.", "The {p} launch is delayed until {v}.", "the launch date of {p} is {v} now",
            "The {p} launch moved from {old} to {v}.",
        ),
        ("When does {p} launch?", "what is the launch date of {p}"),
        ("May 5", "June 12", "August 9", "October 21"),
    ),
    "version": _Domain(
        ("{p} runs on Postgres {v}.", "{p} uses Postgres {v}.", "The Postgres version of {p} is {v}."),
        (
            "{p} now runs on Postgres {v}.", "We upgraded {p} to Postgres {v}.",
            "{p} was upgraded from Postgres {old} to {v}.",
            "we bumped {p} to Postgres {v}", "{p} moved to Postgres {v}",
        ),
        ("Which Postgres version does {p} use?", "what version of Postgres is {p} on"),
        ("14", "15", "16", "17", "18"),
    ),
}  # fmt: skip
MORE: Final = {
    ("en", "home"): (
        ("I've lived in {v} for ten years.", "i live in {v} btw"),
        ("so we finally left {old}, {v} is home now", "New address: I live in {v}"),
    ),
    ("en", "employer"): (
        ("I'm a nurse at {v}.", "I work as an engineer for {v}"),
        ("quit {old}, working at {v} now", "switched jobs, I'm at {v} now", "{v} hired me, I left {old}."),
    ),
    ("de", "home"): (("ich wohn in {v}",), ("bin nach {v} gezogen",)),
    ("de", "employer"): (
        ("Ich bin Entwickler bei {v}",),
        ("Hab bei {old} gekündigt, bin jetzt bei {v}", "Seit dieser Woche arbeite ich bei {v}."),
    ),
    ("fr", "employer"): ((), ("j'ai changé de boulot, je suis chez {v} maintenant",)),
    ("es", "employer"): (("Trabajo para {v}.",), ("ahora curro en {v}", "Dejé {old} y ahora estoy en {v}.")),
    ("zh", "employer"): ((), ("我跳槽到{v}了",)),
}
"""More of how homes and employers are stated and changed, beside the ways of the generated lives."""
_FIRST = ("Alder", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Gale", "Heron", "Iris", "Juniper", "Kestrel", "Lark")
_LAST = ("gate", "hold", "mark", "point", "stone", "wick", "field", "brook", "view", "land")


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance, and when."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Case:
    """A person's fact: the values it had, oldest first, and since when; the last holds."""

    user: str
    language: str
    kind: str
    question: str
    values: tuple[str, ...]
    since: tuple[datetime, ...]
    said: tuple[Said, ...]
    subject: str = ""
    """What the fact is of where that is not its person: the name of a project."""

    @property
    def current(self) -> str:
        """Return what holds in the end."""
        return self.values[-1]

    @property
    def between(self) -> datetime:
        """Return a time at which the value before the last one held."""
        return self.since[-1] - timedelta(hours=6)


def cases(count: int, seed: int = 1) -> list[Case]:
    """Return so many cases, each of a person of its own; the same ones for the same seed."""
    chance = random.Random(seed)
    languages = [language for language, share in SHARES.items() for _ in range(share)]
    return [_case(number, languages[number % len(languages)], chance) for number in range(count)]


def _case(number: int, language: str, chance: random.Random) -> Case:
    tongue = TONGUES[language]
    kind = chance.choice(["home", "employer", *(DOMAINS if language == "en" else ())])
    project = f"{_FIRST[number % len(_FIRST)]}{_LAST[number // len(_FIRST) % len(_LAST)]}"
    stated, changed, asked, known = _ways(tongue, language, kind)
    values = chance.sample(known, 3 if chance.random() < TWICE else 2)
    weeks = sorted(chance.sample(range(WEEKS), len(values)))
    since = tuple(BEGAN + timedelta(weeks=week, minutes=number) for week in weeks)
    said = []
    for position, (value, at) in enumerate(zip(values, since, strict=True)):
        way = chance.choice(changed if position else stated)
        said.append(Said(way.format(v=value, old=values[position - 1], p=project, **_forms(value)), at))
        if chance.random() < 0.5:
            others = [one for one in tongue.noise if not any(value in one for value in values)]
            said.append(Said(chance.choice(others), at + timedelta(minutes=1)))
    question = chance.choice(asked).format(p=project)
    return Case(f"person{number}", language, kind, question, tuple(values), since, tuple(said),
                project if kind in DOMAINS else "")  # fmt: skip


def _ways(
    tongue: Tongue, language: str, kind: str
) -> tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str]]:
    if kind in DOMAINS:
        domain = DOMAINS[kind]
        return domain.stated, domain.changed, domain.asked, domain.values
    values = COMPANIES if kind == "employer" else tongue.values[kind]
    stated, changed = MORE.get((language, kind), ((), ()))
    return (*tongue.stated[kind], *stated), (*tongue.changed[kind], *changed), ASKED[language, kind], values


def _forms(value: str) -> dict[str, str]:
    """Return the value as the grammar of a language wants it in some templates."""
    return {"upper": value[:1].upper() + value[1:]}
