"""What every compared system does, and a context packed from a ranking for those that assemble none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reverie.evaluation.conversations import Conversation, Question, Turn
from service.embedding.tokens import count_tokens


class SystemUnavailable(Exception):
    """A system cannot be compared here; the message says why. The others are."""


@dataclass(frozen=True, slots=True)
class Found:
    """A result of a search: the turns it is, or was made of, and what it says."""

    turns: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """What a model would be given: the text, the turns that it shows, and its length in tokens (o200k)."""

    text: str
    turns: frozenset[str]
    tokens: int


class System(Protocol):
    """One compared system. Conversations are ingested once; questions come afterwards, in any order."""

    def ingest(self, conversation: Conversation) -> None:
        """Take in the turns of a conversation. Called again after a kill, it adds nothing twice."""

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """Return the best results, best first; empty of a system that ranks nothing."""

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """Return what a model would be given within so many tokens."""

    def described(self) -> dict[str, str]:
        """Return what is worth noting of the system: version, model, settings."""


def line_of(turn: Turn) -> str:
    """Return a turn as a line of a context: its day, and what was said."""
    return f"[{turn.at.day} {turn.at:%B %Y}] {turn.content}"


def packed(lines: Sequence[tuple[Sequence[str], str]], tokens_max: int) -> Context:
    """Return the first of these lines, each with the turns it stands for, that fit together into so many tokens."""
    taken: list[str] = []
    turns: set[str] = set()
    tokens = 0
    for stands_for, line in lines:
        needs = count_tokens(line) + 1
        if tokens + needs > tokens_max:
            continue
        tokens += needs
        taken.append(line)
        turns.update(stands_for)
    return Context("\n".join(taken), frozenset(turns), tokens)


def packed_found(conversation: Conversation, found: Sequence[Found], tokens_max: int) -> Context:
    """Return the first results that fit, as lines with their days."""
    by_id = {turn.id: turn for turn in conversation.turns}
    lines = [(one.turns, line_of(by_id[one.turns[0]]) if one.turns else one.text) for one in found]
    return packed(lines, tokens_max)
