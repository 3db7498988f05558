"""What streams answer."""

from __future__ import annotations

from typing import Literal

from reverie_client.models.answers import AskAnswer
from reverie_client.models.base import Answer, Json

__all__ = ["AskEvent"]


class AskEvent(Answer):
    """What comes of a question: ``memories`` that were found, and then the ``answer`` once it has been checked."""

    event: Literal["memories", "answer"]
    memories: list[Json] | None = None
    answer: AskAnswer | None = None
