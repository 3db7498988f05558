"""What all models of answers share. Answers may carry more fields than are named."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

MemoryType = str
"""fact, preference, decision, identity, event, observation, goal, todo or insight, or one of the workspace's own."""
Origin = Literal["own_user", "api", "assistant", "other_user", "imported", "document", "tool"]
"""Who said a memory, or by which way it arrived."""
Scope = Literal["agent", "team", "task", "session", "prime"]
Role = Literal["system", "user", "assistant", "tool"]
Json = dict[str, Any]
Item = TypeVar("Item")


class Answer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Page(Answer, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = None


class Degraded(Answer):
    """Why an answer is less than was asked for, and what was done instead."""

    reason: str
    fallback: str | None = None
