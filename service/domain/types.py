"""The nine memory types and their policies: how long each is kept and when each is offered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class MemoryType(StrEnum):
    """Type of a memory: `fact` (general statement), `preference` (of a user), `decision` (taken choice), `identity`
    (trait of a user), `event` (dated occurrence), `observation` (of the agent), `goal` (aim), `todo` (task with the
    status open or done) or `insight` (conclusion of a dream from several memories)."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    IDENTITY = "identity"
    EVENT = "event"
    OBSERVATION = "observation"
    GOAL = "goal"
    TODO = "todo"
    INSIGHT = "insight"


SAVED_TYPES = tuple(type_.value for type_ in MemoryType if type_ is not MemoryType.INSIGHT)
"""What callers save, and what statements are extracted as: an insight is concluded from them."""


class Scope(StrEnum):
    """Readers of a memory besides its author: `agent` (none), `team` (its members), `task` (agents naming the task),
    `session` (calls naming the session) or `prime` (prime agents)."""

    AGENT = "agent"
    TEAM = "team"
    TASK = "task"
    SESSION = "session"
    PRIME = "prime"


Status = Literal["open", "done"]
"""State of a todo."""


@dataclass(frozen=True, slots=True)
class TypePolicy:
    """Retention and retrieval policy of one type.

    ``in_context``: when the context assembly offers it besides search: ``always``, ``user`` (their user talks),
    ``planning``, ``open`` (while the status is open) or ``search`` only. ``happens``: two memories of this type are
    identical only if they also happened at the same time. ``importance``: of a memory saved without one.
    """

    in_context: str
    happens: bool = False
    importance: float = 0.5


POLICIES: dict[MemoryType, TypePolicy] = {
    MemoryType.FACT: TypePolicy("search"),
    MemoryType.PREFERENCE: TypePolicy("user"),
    MemoryType.DECISION: TypePolicy("search"),
    MemoryType.IDENTITY: TypePolicy("always"),
    MemoryType.EVENT: TypePolicy("search", happens=True),
    MemoryType.OBSERVATION: TypePolicy("search", happens=True, importance=0.3),
    MemoryType.GOAL: TypePolicy("planning"),
    MemoryType.TODO: TypePolicy("open"),
    MemoryType.INSIGHT: TypePolicy("search"),
}

HAPPENED = frozenset(type_.value for type_, policy in POLICIES.items() if policy.happens)
"""Types of what happened; the others state something."""
