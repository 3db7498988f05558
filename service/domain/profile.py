"""A user's profile: what holds about them, read from what is remembered of them.

Pure, and kept nowhere: what is superseded, undone, deleted or purged is in none, and a profile of the past is read from
what was remembered then. A dream's rules or a model have noted which attribute of whom a memory speaks of (its slot and
value); goals and the latest events are given in their own words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.guards import normalize
from service.domain.json import dumps
from service.domain.word_lists import word_set

FieldGroup = Literal["static", "recent", "preferences", "goals"]
Scalar = str | bool | int | float

RECENT_MAX = 5
RECENT_DAYS = 30
GROUPS: dict[str, FieldGroup] = {
    "name": "static", "home": "static", "work": "static", "family": "static", "diet": "preferences",
    "likes": "preferences", "dislikes": "preferences", "goals": "goals", "language": "static", "time zone": "static",
    "birthday": "static", "pets": "static", "recent": "recent",
}  # fmt: skip
"""The fields that rules fill, in their order."""

SINGLE: dict[str, tuple[str, str | None]] = {
    "name": ("name", None), "lives_in": ("home", None), "works_at": ("work", "employer"), "job": ("work", "role"),
    "studies_at": ("work", "school"), "diet": ("diet", None), "time_zone": ("time zone", None),
    "time zone": ("time zone", None), "timezone": ("time zone", None), "birthday": ("birthday", None),
    "native_language": ("language", "native"), "marital_status": ("family", "marital status"),
    "partner": ("family", "partner"),
}  # fmt: skip
"""Attributes that have one value at a time: the field and the detail they fill."""
SEVERAL: dict[str, tuple[str, str | None]] = {
    "likes": ("likes", None), "speaks": ("language", None), "allergic_to": ("diet", "allergy"),
}  # fmt: skip
"""Attributes that have a slot for each of their values."""


_RELATIVES = word_set("""
    sister brother wife husband daughter son mother father mum mom dad partner girlfriend boyfriend fiancé fiancée
    fiance fiancee grandmother grandfather grandma grandpa aunt uncle cousin niece nephew twin baby kid child
    stepson stepdaughter mother-in-law father-in-law sister-in-law brother-in-law granddaughter grandson""")
_PETS = word_set("dog cat parrot hamster rabbit horse puppy kitten budgie turtle goldfish")
_RELATIVE_NAMED = re.compile(r"^(?P<kind>[\w-]{2,20}) (?P<name>[A-ZÀ-Þ][\w'’-]{1,30})\b(?=\s[a-z])")
_ZONE = re.compile(r" time ?zone$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Known:
    """A memory about the user that holds. ``since``: from when."""

    id: UUID
    type: str
    content: str
    since: datetime
    slot: str | None = None
    value: str | None = None
    polarity: str = "positive"


@dataclass(frozen=True, slots=True)
class User:
    """User whom memories are about."""

    user: Annotated[str, Field(description="Name of the user.")]
    memories: Annotated[int, Field(description="Number of live memories about the user.")]
    last_seen_at: Annotated[
        datetime, Field(description="Time at which a memory of the user was last saved or said again.")
    ]


@dataclass(frozen=True, slots=True)
class ProfileField:
    """One value of a field of a profile."""

    name: Annotated[
        str,
        Field(
            description="Name of the field: `name`, `home`, `work`, `family`, `diet`, `likes`, `dislikes`, `goals`, "
            "`language`, `time zone`, `birthday`, `pets` or `recent` (events of the last 30 days). A field with "
            "several values is there once for each."
        ),
    ]
    detail: Annotated[
        str | None,
        Field(
            description="Aspect of the field, as `employer`, `sister` or `allergy`; null for a field without aspects."
        ),
    ]
    value: Annotated[
        Scalar, Field(description="Value as said; with the setting `profile_schema` of the type that it names.")
    ]
    memory_ids: Annotated[tuple[UUID, ...], Field(description="Ids of the memories that say so, the newest first.")]
    since: Annotated[datetime, Field(description="Start of validity.")]
    group: Annotated[
        FieldGroup,
        Field(
            description="Part of the profile: `static`, `recent`, `preferences` or `goals`; `static` for a field that "
            "a model filled."
        ),
    ]


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile of a user."""

    user: Annotated[str, Field(description="Name of the user.")]
    fields: Annotated[
        list[ProfileField], Field(description="Fields in a fixed order, the newest value first within each.")
    ]
    version: Annotated[str, Field(description="Digest of the fields; equal for equal profiles.")]
    as_of: Annotated[datetime, Field(description="Time that the profile is of.")]


def profile_of(user: str, known: Iterable[Known], as_of: datetime) -> list[ProfileField]:
    """Return the fields of a user's profile, in the order of ``GROUPS`` and the newest first within each."""
    order = list(GROUPS)
    fields = [one for one in values_of(user, known, as_of) if one.name in GROUPS]
    return sorted(fields, key=lambda one: order.index(one.name))


def values_of(user: str, known: Iterable[Known], as_of: datetime) -> list[ProfileField]:
    """Return what the memories say of the user, the newest first: values of the fields of ``GROUPS``, and of other
    attributes under their own names.

    What can have one value at a time has the newest that was not denied since; the others have each value once.
    """
    newest_first = sorted(known, key=lambda one: (one.since, one.id), reverse=True)
    stated = [one for memory in newest_first for one in _stated(user, memory)]
    found: dict[tuple[str, str | None, str], ProfileField] = {}
    filled: set[tuple[str, str | None]] = set()
    denied: set[tuple[str, str | None, str]] = set()
    for name, detail, single, value, memory in stated:
        key = (name, detail, normalize(value))
        group = GROUPS.get(name, "static")
        if memory.polarity == "negative" and name != "dislikes":
            denied.add(key)
        elif key in found:
            first = found[key]
            ids = tuple(dict.fromkeys([*first.memory_ids, memory.id]))
            found[key] = ProfileField(name, detail, first.value, ids, memory.since, group)
        elif key not in denied and not (single and (name, detail) in filled):
            found[key] = ProfileField(name, detail, value, (memory.id,), memory.since, group)
            filled.add((name, detail))
    return [*_without_contradiction(found.values()), *_recent(newest_first, as_of)]


def profile_line(user: str, fields: Sequence[ProfileField]) -> str:
    """Return the fields as one line: "About ada: home: Bergen; work: Initech (employer), nurse (role)."; empty without
    any."""
    values: dict[str, list[str]] = {}
    for one in fields:
        value = text_of(one.value)
        values.setdefault(one.name, []).append(f"{value} ({one.detail})" if one.detail else value)
    listed = "; ".join(f"{name}: {', '.join(each)}" for name, each in values.items())
    return f"About {user}: {listed}." if listed else ""


def text_of(value: Scalar) -> str:
    """Return a value as it is written in a sentence."""
    return value if isinstance(value, str) else dumps(value).decode()


def version_of(fields: Sequence[ProfileField]) -> str:
    """Return a digest that changes with what a profile shows."""
    shown = [[one.name, one.detail, one.value, [str(id_) for id_ in one.memory_ids]] for one in fields]
    return hashlib.sha256(dumps(shown)).hexdigest()[:16]


_Stated = tuple[str, str | None, bool, str, Known]
"""Field, detail, whether it has one value at a time, value, and the memory that says so."""


def _stated(user: str, memory: Known) -> Iterator[_Stated]:
    """Yield what a memory says of which field."""
    if memory.type == "goal":
        yield "goals", None, False, memory.content, memory
    owned = _owned(user, memory.slot or "")
    if owned is not None and memory.value:
        relative, attribute = owned
        yield from _of_relative(relative, attribute, memory) if relative else _of_user(attribute, memory)
    else:
        yield from _named_in_passing(user, memory)


def _owned(user: str, slot: str) -> tuple[str, str] | None:
    """Return whose attribute a slot is, the user's ("") or that of one of theirs ("sister maria"), and which; None for
    another's."""
    for owner in {normalize(user), " ".join(user.split()).casefold()}:
        if slot.startswith(f"{owner}/"):
            return "", slot[len(owner) + 1 :]
        if slot.startswith(f"{owner}'s "):
            relative, _, attribute = slot[len(owner) + 3 :].partition("/")
            return relative, attribute
    return None


def _of_user(attribute: str, memory: Known) -> Iterator[_Stated]:
    value = _as_said(memory.value or "", memory.content)
    if attribute in SINGLE:
        name, detail = SINGLE[attribute]
        value = _ZONE.sub("", value) if name == "time zone" else value
        yield name, detail, True, value, memory
        return
    first, _, rest = attribute.partition("/")
    if rest and first in SEVERAL:
        name, detail = SEVERAL[first]
        disliked = name == "likes" and memory.polarity == "negative"
        yield "dislikes" if disliked else name, detail, False, value, memory
    elif rest and first == "prefers" and memory.polarity == "positive":
        yield "likes", "preferred", False, value, memory
    elif attribute.startswith("favorite ") and memory.polarity == "positive":
        yield "likes", attribute.removeprefix("favorite "), True, value, memory
    elif first not in GROUPS:
        yield first, None, not rest, value, memory


def _of_relative(relative: str, attribute: str, memory: Known) -> Iterator[_Stated]:
    """Yield a relative or pet whose name the slot is about, or names beside another attribute of theirs."""
    kind, _, called = relative.partition(" ")
    name = field_of_kind(kind)
    if name is None:
        return
    if attribute.partition("/")[0] in ("named", "name"):
        yield name, kind, False, _as_said(memory.value or "", memory.content), memory
    elif called:
        yield name, kind, False, _as_said(called, memory.content), memory


def _named_in_passing(user: str, memory: Known) -> Iterator[_Stated]:
    """Yield a relative or pet that a statement is about and names: "ada's sister Maria visits every Sunday"."""
    for possessive in (f"{user}'s ", f"{user}’s "):
        if memory.content.startswith(possessive):
            match = _RELATIVE_NAMED.match(memory.content[len(possessive) :])
            name = field_of_kind(match["kind"]) if match else None
            if match and name:
                yield name, match["kind"], False, match["name"], memory


def field_of_kind(kind: str) -> str | None:
    """Return the field of somebody's relatives or animals."""
    return "family" if kind in _RELATIVES else "pets" if kind in _PETS else None


def _as_said(value: str, content: str) -> str:
    """Return the value as the memory has it: a slot folds its case, and has "hike" for "hiking"."""
    folded = content.casefold()
    if len(folded) != len(content):
        return value
    verb, _, rest = value.casefold().partition(" ")
    gerunds = (f"{verb}ing", f"{verb[:-1]}ing", f"{verb}{verb[-1:]}ing")
    for written in (value.casefold(), *(f"{gerund} {rest}".strip() for gerund in gerunds)):
        at = folded.find(written)
        if at >= 0 and not folded[at + len(written) : at + len(written) + 1].isalpha():
            return content[at : at + len(written)]
    return value


def _without_contradiction(fields: Iterable[ProfileField]) -> list[ProfileField]:
    """Without what is both liked and disliked: the newer holds."""
    kept = list(fields)
    stances = sorted((one for one in kept if one.name in _STANCES), key=lambda one: one.since)
    latest = {normalize(str(one.value)): one.name for one in stances}
    return [one for one in kept if one.name not in _STANCES or latest[normalize(str(one.value))] == one.name]


_STANCES = ("likes", "dislikes")


def _recent(newest_first: Iterable[Known], as_of: datetime) -> list[ProfileField]:
    """Return what happened to the user last."""
    within = timedelta(days=RECENT_DAYS)
    events = [one for one in newest_first if one.type == "event" and timedelta() <= as_of - one.since < within]
    return [ProfileField("recent", None, one.content, (one.id,), one.since, "recent") for one in events[:RECENT_MAX]]
