"""What a language model noted, checked and brought into the form of candidates. It is not believed blindly."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from service.domain.field_types import reject_unstorable, reject_unstorable_json
from service.domain.guards import normalize
from service.domain.json import JsonObject
from service.domain.own_types import NO_KINDS, NO_TYPES, EntityKind, OwnType, check_entity, check_memory, like
from service.domain.placeholders import holds_placeholder
from service.domain.types import POLICIES, MemoryType
from service.extraction.candidates import Candidate, Mention, Turn
from service.extraction.english.dates import ground
from service.memory.dreams.prompts import Noted, NotedEntity, NotedOfOwnKind, NotedOfOwnType, Notes

_OF_THE_USER = frozenset({MemoryType.PREFERENCE, MemoryType.IDENTITY, MemoryType.GOAL})
_YEARS_AROUND = 150


def candidates_of(
    notes: Notes,
    turns: Sequence[Turn],
    types: Mapping[str, OwnType] = NO_TYPES,
    kinds: Mapping[str, EntityKind] = NO_KINDS,
) -> tuple[list[Candidate], int]:
    """The statements that hold, and how much did not: statements that cite no turn that was shown, quote the assistant,
    cannot be stored, or have metadata that does not fit their type; and metadata that does not fit the kind of its
    entity, which is left out alone."""
    kept: list[Candidate] = []
    rejected = 0
    for noted in notes.memories:
        described = [_metadata_of_entity(entity, kinds) for entity in noted.entities]
        candidate = _candidate(noted, turns, types, described)
        if candidate is None:
            rejected += 1
        else:
            kept.append(candidate)
            rejected += described.count(None)
    return kept, rejected


def _candidate(
    noted: Noted, turns: Sequence[Turn], types: Mapping[str, OwnType], described: Sequence[JsonObject | None]
) -> Candidate | None:
    numbers = list(dict.fromkeys(noted.evidence))
    if not all(1 <= number <= len(turns) for number in numbers):
        return None
    cited = [turns[number - 1] for number in numbers]
    if any(turn.role == "system" for turn in cited):
        return None
    base = like(types, noted.type)
    if base in _OF_THE_USER and not any(turn.role == "user" for turn in cited):
        return None
    content = _clean(noted.content)
    metadata = _metadata(noted, types)
    if not content or metadata is None:
        return None
    last = max(cited, key=lambda turn: turn.at)
    grounded = ground(content, last.at, future=base in (MemoryType.TODO, MemoryType.GOAL))
    happened = _moment(noted.occurred_on, last.at) or grounded.at
    if happened is None and POLICIES[base].happens:
        happened = last.at
    slot = normalize(_clean(noted.slot or "")) or None
    value = normalize(_clean(noted.value or "")) or None
    return Candidate(
        type=noted.type if noted.type in types else base,
        content=grounded.text,
        evidence=tuple(turn.id for turn in cited),
        subject=_subject(noted, last),
        polarity=noted.polarity,
        slot=slot if value else None,
        value=value if slot else None,
        occurred_at=happened,
        importance=round(noted.importance, 2),
        confidence=round(noted.confidence, 2),
        own_like=base if noted.type in types else None,
        metadata=metadata,
        mentions=tuple(
            Mention(name, entity.kind, metadata or {})
            for entity, metadata in zip(noted.entities, described, strict=True)
            if (name := _printable(entity.name)) and name.casefold() in content.casefold()
        ),
    )


def _metadata(noted: Noted, types: Mapping[str, OwnType]) -> JsonObject | None:
    """The metadata of a statement of a type of the workspace's own; None where it does not fit the type's schema."""
    if not isinstance(noted, NotedOfOwnType) or noted.type not in types or types[noted.type].metadata_schema is None:
        return {}
    return _json_object(noted.metadata, lambda metadata: check_memory(types, noted.type, metadata))


def _metadata_of_entity(entity: NotedEntity, kinds: Mapping[str, EntityKind]) -> JsonObject | None:
    """The metadata of an entity of a kind with a schema; None where it does not fit."""
    kind = kinds.get(entity.kind)
    if not isinstance(entity, NotedOfOwnKind) or kind is None or kind.metadata_schema is None:
        return {}
    return _json_object(entity.metadata, lambda metadata: check_entity(kinds, entity.kind, metadata))


def _json_object(text: str | None, check: Callable[[JsonObject], None]) -> JsonObject | None:
    """The object that a text holds, an empty one where there is none; None where it is none or does not pass."""
    try:
        value = reject_unstorable_json(json.loads(text or "{}"))
        if not isinstance(value, dict):
            return None
        check(value)
    except (ValueError, RecursionError):
        return None
    return value


def _clean(text: str) -> str:
    """One line of text that Postgres can store; nothing for what it cannot."""
    try:
        return reject_unstorable(" ".join(text.replace("\x00", " ").split()))
    except ValueError:
        return ""


def _printable(name: str) -> str:
    return "".join(char for char in _clean(name) if char.isprintable()).strip()[:200]


def _subject(noted: Noted, turn: Turn) -> str | None:
    """The subject by the name its session knows it by, so that it is one person whatever the model calls them; none for
    masked personal data, which may be anybody's."""
    named = _printable(noted.subject or "")
    if not named:
        return None
    for known in (turn.speaker, turn.user):
        if known and known.casefold() == named.casefold():
            return known
    return None if holds_placeholder(named) else named


def _moment(date_text: str | None, spoken_at: datetime) -> datetime | None:
    """The ISO date or time told, if it is one and not absurdly far away."""
    if not date_text:
        return None
    try:
        at = datetime.fromisoformat(date_text.strip())
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at.astimezone(UTC) if abs(at.year - spoken_at.year) <= _YEARS_AROUND and 1 < at.year < 9999 else None
