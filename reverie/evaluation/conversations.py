"""What every evaluation set is read into: conversations of turns, and questions with the turns that answer them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from service.domain.field_types import CONTENT_MAX

TURN_S = 30
"""Seconds between two turns of a session where the set has a date of the session only."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, as the memory it becomes: its content begins with the speaker's name, where it has one."""

    id: str
    session: str
    content: str
    at: datetime
    speaker: str | None = None
    role: str = "user"

    @property
    def said(self) -> str:
        """Return what was said, without who did."""
        return self.content.removeprefix(f"{self.speaker}: ") if self.speaker else self.content


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, when, and the turns (and sessions) that answer it.

    ``answer`` is the published answer, empty where there is none; ``refusal``: the right answer is that nothing is
    known.
    """

    text: str
    now: datetime
    evidence: frozenset[str]
    sessions: frozenset[str]
    id: str = ""
    category: str = ""
    answer: str = ""
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns one agent remembers, and what it is asked about them."""

    agent: str
    turns: list[Turn]
    questions: list[Question]

    def without(self, questions: frozenset[str]) -> Conversation:
        """Return the same conversation without the questions of these ids."""
        return replace(self, questions=[one for one in self.questions if one.id not in questions])


def storable(text: object) -> str:
    """Return a text as a memory can hold it: without NUL characters, at most ``CONTENT_MAX`` characters."""
    return str(text).replace("\0", "")[:CONTENT_MAX]


def sessions_of(turns: list[Turn], evidence: frozenset[str]) -> frozenset[str]:
    """Return the sessions in which the evidence was said."""
    return frozenset(turn.session for turn in turns if turn.id in evidence)
