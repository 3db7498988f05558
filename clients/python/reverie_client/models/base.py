"""What all answers share, and what they can do besides having fields. Answers may carry more fields than are named."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

__all__ = ["Answer", "Id", "Item", "Json", "MemoryType", "Moment", "Page", "attribution"]

MemoryType = str
"""fact, preference, decision, identity, event, observation, goal, todo or insight, or one of the workspace's own."""
Json = dict[str, Any]
Id = UUID | str
Moment = datetime | str
Item = TypeVar("Item")


class Answer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Page(Answer, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = None


def attribution(hearsay_by: str | None, user: str | None) -> str:
    """Return whose word a memory of ``user`` rests on where it is hearsay, in words; else empty."""
    if not hearsay_by:
        return ""
    return f"according to {'somebody under that name' if hearsay_by == user else hearsay_by}"


class Hearsay(Answer):
    """What may be hearsay."""

    @property
    def attribution(self: Any) -> str:
        """Return whose word it rests on where it is hearsay, in words; else empty."""
        return attribution(self.hearsay_by, self.user)


class Found(Answer):
    """What a search found."""

    @property
    def text(self: Any) -> str:
        """Return what a found memory or turn says; empty for what is no text."""
        found = self.memory or self.message
        return found.content if found is not None and isinstance(found.content, str) else ""

    @property
    def line(self: Any) -> str:
        """Return a line for a prompt: who said it, where it is a turn, or whose word it rests on, where it is
        hearsay."""
        if self.message is not None:
            return f"- {self.message.role}: {self.text}"
        whose = self.memory.attribution if self.memory is not None else ""
        return f"- {self.text}" + (f" ({whose})" if whose else "")
