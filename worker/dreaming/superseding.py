"""Superseding: which statement may replace, confirm or stand for which memory, when, and why.

A later statement replaces an earlier memory if three answers allow it:

1. *What it says beside it.* In one slot: ``IN_SLOT``. Elsewhere the guards, or a model within them (``reconcile``).
2. *Whose word each is.* ``SPEAKS_FOR``.
3. *How far each origin is trusted.* No memory gives way to a less trusted origin (``service.domain.origin.RANKS``).

Where the first says that the two disagree and another answer is no, both stand, with a link ``contradicts``. Which of
the two is the later: ``order``. Which of two memories that say the same stays: ``kept_of``. What has happened is
replaced by nothing: it stays true whatever follows. ``docs/dreams.md`` has the same for users.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final, Literal

from service.domain.guards import may_merge, name_others
from service.domain.origin import RANKS, outranks
from service.domain.types import MemoryType
from service.domain.verdicts import Outcome
from service.extraction.candidates import Candidate
from worker.dreaming.neighbours import ExistingMemory
from worker.dreaming.plan import NewMemory, Statement

IN_SLOT: Final[Mapping[tuple[bool, bool, bool], Outcome | None]] = {
    # same value, earlier affirms, later affirms
    (True, True, True): "duplicate",
    (True, True, False): "update",  # "no longer lives in Oslo" ends "lives in Oslo"
    (True, False, True): "update",  # and "lives in Oslo again" ends the denial
    (True, False, False): "duplicate",
    (False, True, True): "update",  # the slot holds one value: the later
    (False, True, False): None,  # "does not live in Rome" does not say what holds instead
    (False, False, True): None,  # "lives in Rome" leaves "does not live in Oslo" true
    (False, False, False): None,
}
"""What a later statement is to an earlier one that fills the same slot of the same person or thing."""

Word = Literal["own", "hearsay", "of a thing"]
"""Whose word a statement is: the person's whom it is about, what another said of them, or neither, as it is about no
user."""

_NAMES_USERS = ("user", "user_id", "email")
_NEVER = datetime.max.replace(tzinfo=UTC)


def word(statement: Candidate | Statement) -> Word:
    """Return whose word a statement is."""
    if statement.hearsay_by is not None:
        return "hearsay"
    return "own" if statement.word_of is not None else "of a thing"


def _of_same_person(by: Candidate | Statement, held: Statement) -> bool:
    return by.subject == held.subject


def _by_that_person(by: Candidate | Statement, held: Statement) -> bool:
    return by.subject == held.subject and by.word_of in (held.word_of, held.subject)


def _of_same_speaker(by: Candidate | Statement, held: Statement) -> bool:
    return by.subject == held.subject and by.hearsay_by == held.hearsay_by and not held.edited


def _always(_: Candidate | Statement, __: Statement) -> bool:
    return True


SPEAKS_FOR: Final[Mapping[tuple[Word, Word], Callable[[Candidate | Statement, Statement], bool]]] = {
    # (whose word speaks, whose memory it is)
    ("own", "own"): _by_that_person,
    ("own", "hearsay"): _of_same_person,  # people know better what others say of them
    ("own", "of a thing"): _always,
    ("hearsay", "hearsay"): _of_same_speaker,  # speakers may correct what they said, until somebody has edited it
    ("of a thing", "of a thing"): _always,
}
"""Whose word may confirm, merge into or replace whose memory; a pair that is not here may not. Hearsay says nothing of
a person's own word, and nothing of things: it stands beside them."""


def may_speak_for(by: Candidate | Statement, held: Statement) -> bool:
    """Return whether a statement may confirm or be merged into a memory, by whose word each is."""
    allowed = SPEAKS_FOR.get((word(by), word(held)))
    return allowed is not None and allowed(by, held)


def may_replace(by: Candidate | Statement, held: Statement) -> bool:
    """Return whether a statement may close a memory: by whose word each is, and never one of a more trusted origin."""
    return may_speak_for(by, held) and not outranks(held.origin, by.origin)


def vouched_alike(held: Statement, candidate: Candidate | Statement) -> bool:
    """Return whether a memory that says the same is the word of the candidate's speaker, or of the person it is
    about."""
    if held.subject == candidate.subject:
        return held.hearsay_by in (None, candidate.hearsay_by)
    return word(held) == word(candidate) == "of a thing"


def stands_for(held: Statement, candidate: Candidate | Statement) -> bool:
    """Return whether a memory that says the same in other words is enough, as the word of one who may say so and of an
    origin that is trusted no less."""
    return vouched_alike(held, candidate) and not outranks(candidate.origin, held.origin)


def happened(statement: Statement) -> bool:
    """Return whether it is an event, which stays true whatever follows."""
    return statement.policy_type == MemoryType.EVENT


def in_slot(held: Statement, new: Statement) -> Outcome | None:
    """Return what a later statement is to an earlier one of the same slot; None where they have nothing to do with
    each other, as the slot is another person's or what fills it has happened."""
    if not new.slot or held.slot != new.slot or not _of_one(held, new) or happened(held):
        return None
    return IN_SLOT[held.value == new.value, held.polarity == "positive", new.polarity == "positive"]


def outdates(new: NewMemory, held: Statement) -> bool:
    """Return whether a statement that fills the slot of a current memory leaves it outdated.

    An affirmation outdates all that others had said of its speaker, or a less trusted origin, too: what they filled
    the slot with need not be wrong to be no longer what the memory rests on.
    """
    if in_slot(held, new) == "update":
        return True
    filled = held.slot == new.slot and _of_one(held, new) and not happened(held)
    better = _speaks_for_themselves(held, new) or outranks(new.origin, held.origin)
    return filled and new.polarity == "positive" and better


def same_in_slot(held: Statement, new: NewMemory) -> bool:
    """Return whether a current memory fills the slot of a statement with the same value, said by one who may."""
    if happened(held) or happened(new) or not stands_for(held, new.candidate):
        return False
    same = held.value == new.value and held.polarity == new.polarity
    return same and not _liked_apart(held, new)


def order(held: Statement, new: NewMemory) -> tuple[Statement, Statement]:
    """Return which of two that disagree is the later, and which the earlier: an old conversation that is read late
    changes nothing current, unless it bears the person's own word for what only others had said."""
    late = isinstance(held, ExistingMemory) and held.since > new.since and not _confirmed_by_themselves(held, new)
    return (held, new) if late else (new, held)


def kept_of(a: ExistingMemory, b: ExistingMemory) -> tuple[ExistingMemory, ExistingMemory] | None:
    """Return the memory that stays and the one that becomes one with it; None where both have to stay.

    The one of the more trusted origin stays; one with a key, as the key is how its owner finds it; one that does not
    fade before one that does, the one that lasts longer; then the one that is used more, and the older. Where these
    disagree, where both have keys, where one is done and the other open, or where they name different users or days,
    they are two.
    """
    if (a.key is not None and b.key is not None) or a.status != b.status or a.hearsay_by != b.hearsay_by:
        return None
    if a.at and b.at and a.at.date() != b.at.date():
        return None
    if any(a.metadata.get(name) != b.metadata.get(name) for name in _NAMES_USERS):
        return None
    kept, merged = sorted((a, b), key=_worth, reverse=True)
    lasts = kept.decay_exempt >= merged.decay_exempt and _ends(kept) >= _ends(merged)
    return (kept, merged) if lasts and merged.key is None else None


def _worth(memory: ExistingMemory) -> tuple[int, bool, bool, datetime, int, float]:
    return (
        -RANKS[memory.origin],
        memory.key is not None,
        memory.decay_exempt,
        _ends(memory),
        memory.uses,
        -memory.since.timestamp(),
    )


def _ends(memory: ExistingMemory) -> datetime:
    return memory.expires_at or _NEVER


def _of_one(held: Statement, new: Statement) -> bool:
    """Return whether two that fill one slot are about one person or thing: slots fold the case of names, users do
    not."""
    return held.subject == new.subject or not (held.word_of or held.hearsay_by or new.hearsay_by)


def _speaks_for_themselves(held: Statement, new: NewMemory) -> bool:
    """Return whether a person now speaks for themselves where only others had, also before the person was known."""
    return new.word_of is not None and (held.hearsay_by is not None or held.subject != new.subject)


def _confirmed_by_themselves(held: Statement, new: NewMemory) -> bool:
    """Return whether a person says what only others had said of them before."""
    if not _speaks_for_themselves(held, new):
        return False
    filled = (held.slot, held.value, held.polarity) == (new.slot, new.value, new.polarity)
    return (filled and held.slot is not None) or may_merge(held.content, new.content)


def _liked_apart(held: Statement, new: NewMemory) -> bool:
    """Return whether two that like one thing name different instances of it: hiking in Norway, hiking in Spain."""
    return "/likes/" in (new.slot or "") and name_others(held.content, new.content)
