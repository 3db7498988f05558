"""Whose word a candidate is: a person's own, hearsay about a person, or a statement about something else.

The speakers of the messages it cites decide; what an extractor takes for the subject only says whom it is about. What
each may replace: ``may_replace`` in ``precedence``, and ``docs/dreams.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from service.domain.guards import content_stems, normalize
from service.extraction.candidates import Candidate, Turn
from service.extraction.people import People, Person, slot_owner

HEARSAY_CONFIDENCE = 0.5
"""What is left of the confidence in a statement about a user that somebody else made."""


def attest(candidates: Sequence[Candidate], turns: Sequence[Turn], people: People) -> list[Candidate]:
    """The candidates with ``word_of`` set on what persons say of themselves, and ``hearsay_by`` on what others say."""
    by_id = {turn.id: turn for turn in turns}
    return [_attested(candidate, by_id, people) for candidate in candidates]


def _attested(candidate: Candidate, turns: Mapping[UUID, Turn], people: People) -> Candidate:
    cited = [turns[id_] for id_ in candidate.evidence]
    person = _about(candidate, cited[-1].user, people)
    if person is None:
        return candidate
    own = [turn for turn in cited if _speaks(person, turn, people)]
    others = [turn for turn in cited if turn not in own]
    if own and _rests_on(candidate, own, [turn for turn in others if not asks(turn)]):
        kept = [turn.id for turn in cited if turn in own or asks(turn)]
        owner = slot_owner(candidate.slot)
        word_of = person.user if owner is None or is_of(owner, person.name) else None
        return replace(candidate, subject=person.name, word_of=word_of, evidence=tuple(kept))
    return replace(
        candidate,
        subject=person.name,
        hearsay_by=_author(others[-1], people),
        evidence=tuple(turn.id for turn in others),
        confidence=round(candidate.confidence * HEARSAY_CONFIDENCE, 2),
    )


def _about(candidate: Candidate, speaker: str | None, people: People) -> Person | None:
    """The person whom a statement is about: whose attribute it sets, else its subject, or, where it does not name that,
    the person it opens with."""
    subject = people.find(candidate.subject, speaker)
    opening = people.leading(candidate.content, speaker)
    owner = slot_owner(candidate.slot)
    if owner is not None and not is_of(owner, candidate.subject):
        if opening is not None and is_of(owner, opening.name):
            return opening
        owned = people.find(owner, speaker)
        if owned is not None:
            return owned
    named = candidate.subject is not None and normalize(candidate.subject) in normalize(candidate.content)
    return subject if named or opening is None else opening


def is_of(owner: str, subject: str | None) -> bool:
    """Whether an attribute of ``owner`` (folded) is one of the subject, or of what is the subject's own."""
    name = normalize(subject or "")
    return bool(name) and (normalize(owner) == name or normalize(owner).startswith(f"{name}'s "))


def asks(turn: Turn) -> bool:
    """Whether a user's turn only asks, so that its answer is rendered with it."""
    return turn.role == "user" and turn.content.rstrip().endswith("?")


def _speaks(person: Person, turn: Turn, people: People) -> bool:
    """Whether a turn is the person's own: of their user, and under no name that stands for somebody else."""
    if turn.role != "user" or person.user is None or turn.user != person.user:
        return False
    return person.name != person.user or not turn.speaker or people.find(turn.speaker, turn.user) == person


def _rests_on(candidate: Candidate, own: Sequence[Turn], others: Sequence[Turn]) -> bool:
    """Whether a statement for which others are cited as well has its words from the person's own turns."""
    if not others:
        return True
    said = content_stems(candidate.content) - content_stems(candidate.subject or "")
    mine, theirs = (frozenset[str]().union(*(content_stems(turn.content) for turn in turns)) for turns in (own, others))
    return bool(said & mine) and not said & theirs - mine


def _author(turn: Turn, people: People) -> str:
    """Who is to be named for a turn: the user, or somebody in the user's session under a name that is no user's."""
    if turn.role != "user":
        return turn.role
    under = turn.speaker if turn.speaker and turn.speaker not in people.users else None
    return under or turn.user or turn.speaker or "an unnamed user"
