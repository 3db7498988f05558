"""Whose statement may replace, confirm or stand for whose memory: by whose word each is, and by how far its origin is
trusted (``docs/dreams.md``)."""

from __future__ import annotations

from service.domain.origin import outranks
from service.extraction.candidates import Candidate
from worker.dreaming.plan import Statement


def may_replace(by: Candidate | Statement, statement: Statement) -> bool:
    """Whether a statement may close a memory: by whose word each is, and never one of a more trusted origin."""
    return may_speak_for(by, statement) and not outranks(statement.origin, by.origin)


def may_speak_for(by: Candidate | Statement, statement: Statement) -> bool:
    """Whether a statement may confirm or be merged into a memory, by whose word each is (``docs/dreams.md``).

    A person's own word, and what was saved for them: by their own word only. Hearsay: by the person's own word, or by
    that of its speaker, unless it has been edited. Anything else: by whatever is not hearsay.
    """
    if by.hearsay_by is not None:
        return by.hearsay_by == statement.hearsay_by and by.subject == statement.subject and not statement.edited
    if statement.hearsay_by is not None:
        return by.word_of is not None and by.subject == statement.subject
    if statement.word_of is None:
        return True
    return by.subject == statement.subject and by.word_of in (statement.word_of, statement.subject)


def vouched_alike(held: Statement, candidate: Candidate | Statement) -> bool:
    """Whether a memory that says the same is the word of the candidate's speaker, or of the person it is about."""
    if held.subject == candidate.subject:
        return held.hearsay_by in (None, candidate.hearsay_by)
    return not (held.word_of or held.hearsay_by or candidate.word_of or candidate.hearsay_by)


def stands_for(held: Statement, candidate: Candidate | Statement) -> bool:
    """Whether a memory that says the same in other words is enough, as the word of one who may say so and of an origin
    that is trusted no less."""
    return vouched_alike(held, candidate) and not outranks(candidate.origin, held.origin)
