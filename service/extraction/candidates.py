"""Turns, candidates and extractions: what the extractors read, and what they propose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from service.domain.dream_filter import DreamFilter
from service.domain.origin import Origin
from service.domain.times import Period
from service.domain.types import MemoryType

Polarity = Literal["positive", "negative"]
NOBODY = "The user"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as the extractors see it, ``at`` its local time.

    ``role`` is system, user, assistant or tool. ``speaker`` is the message's ``name`` where it has one
    (two people in one chat both write as user). ``user`` is the person the session belongs to, if known.
    """

    id: UUID
    session: str
    seq: int
    role: str
    content: str
    at: datetime
    speaker: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says something. ``alone``: they speak with the assistant, not with another named person."""

    name: str  # as told
    subject: str  # exactly as given
    key: str
    alone: bool


def speaker_of(turn: Turn) -> Speaker:
    """Return the speaker of a turn: its own, else the session's user, else "The user"."""
    named = _printable(turn.speaker) or _printable(turn.user)
    given = turn.speaker if _printable(turn.speaker) else turn.user
    return Speaker(
        named or NOBODY, given if named and given else NOBODY, named.casefold() or "user", alone=not turn.speaker
    )


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named by a candidate: ``kind`` is person, project, company, product, place, thing or one of the
    workspace's own, with ``metadata``."""

    name: str
    kind: str = "thing"
    metadata: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory proposed by an extractor, not yet reconciled with what is known.

    ``content`` is a self-contained statement in the third person. ``evidence`` are the ids of the turns
    it came from (never empty). ``slot`` names an exclusive attribute of one subject
    (``"caroline/lives_in"``): a later candidate of the same slot with another value supersedes the earlier
    memory. ``value`` is what fills the slot. ``occurred`` is when it happened, as exact as it was said, by the
    local time of the turn; None where that is not known. ``importance`` and ``confidence`` are in 0..1.

    ``word_of`` and ``hearsay_by`` are set by ``attest`` on what is about a person: the user in whose turns they say
    so themselves, or who else does. With neither the statement is about something else.

    ``held``: why it waits in the inbox, however sure it is; set by ``held_back``.

    ``origin``: the least trusted one of the turns it rests on; set by ``with_origins``.

    ``own_like``: of a type of the workspace's own, the built-in one that it is like; with ``metadata``.
    """

    type: str
    content: str
    evidence: tuple[UUID, ...]
    subject: str | None = None
    polarity: Polarity = "positive"
    slot: str | None = None
    value: str | None = None
    occurred: Period | None = None
    importance: float = 0.5
    confidence: float = 0.7
    tags: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = field(default=())
    word_of: str | None = None
    hearsay_by: str | None = None
    own_like: MemoryType | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    held: str | None = None
    origin: Origin = "own_user"

    @property
    def begins(self) -> datetime | None:
        """Return when it began to happen; None where that is not known."""
        return self.occurred.begin if self.occurred else None

    @property
    def policy_type(self) -> MemoryType:
        """Return the built-in type whose policies apply."""
        return self.own_like or MemoryType(self.type)


def stated_in(turn: Turn) -> tuple[UUID, str]:
    """Return the message a turn is, and its text."""
    return turn.id, turn.content


def proposed_in(candidate: Candidate) -> tuple[UUID, str]:
    """Return the first message a candidate came from, and its text."""
    return candidate.evidence[0], candidate.content


def names_in(candidate: Candidate) -> list[str]:
    """Return whom and what a candidate is about or names."""
    about = [candidate.subject] if candidate.subject else []
    return about + [mention.name for mention in candidate.mentions]


def evidence_of(candidates: Iterable[Candidate]) -> list[UUID]:
    """Return the messages these came from."""
    return list(dict.fromkeys(id_ for candidate in candidates for id_ in candidate.evidence))


@dataclass(slots=True)
class Extraction:
    """Candidates of the first ``covered`` turns of a batch.

    ``skipped``: messages nothing could be made of, with the reason. ``rejected``: proposals that did not hold to the
    rules, and were left out, by the reason. ``ignored``: candidates that the agent's settings leave out, with the
    reason. ``stopped``: why the rest of the batch was not read, None when all of it was. ``by_rules``: turns that the
    rules read in place of the model. ``steps``: the checkpoints that went into it.
    """

    covered: int
    candidates: list[Candidate] = field(default_factory=list)
    skipped: list[tuple[UUID, str]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    ignored: list[tuple[Candidate, str]] = field(default_factory=list)
    stopped: str | None = None
    by_rules: int = 0
    steps: list[str] = field(default_factory=list)

    def left_out(self) -> dict[str, int]:
        """Return how much was read and not kept, by the reason, the most frequent first."""
        return dict((self.rejected + Counter(reason for _, reason in self.ignored)).most_common())

    def keep(self, kept: DreamFilter) -> None:
        """Leave out the candidates that a filter does not keep."""
        judged = [(one, kept.objection(one.type, one.content, names_in(one))) for one in self.candidates]
        self.ignored = [(one, reason) for one, reason in judged if reason is not None]
        self.candidates = [one for one, reason in judged if reason is None]


def _printable(name: str | None) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in name or "").split())
