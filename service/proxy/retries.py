"""Requests that a client's library sends again: it counts its attempts in a header, and sends the same bytes."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from service.memory.sessions.conversations import Attempt

ATTEMPT_HEADER: Final = "x-stainless-retry-count"
"""Of the official clients of OpenAI and Anthropic: 0 for a first attempt."""
COUNTED_MAX: Final = 100


def attempt_number(text: str | None) -> int | None:
    """How many attempts went before, as the header says; None for a client that does not count them."""
    if text is None or len(text) > len(str(COUNTED_MAX)) or not (text.isascii() and text.isdigit()):
        return None
    return min(int(text), COUNTED_MAX)


def attempt_at(content: bytes, wire: str, agent: str, session: str, number: int, now: datetime) -> Attempt:
    """The attempt at a request with these bytes in a format, whose turn would be kept in a session of an agent."""
    digest = hashlib.sha256("\x00".join(("turn", wire, agent, session, "")).encode("utf-8", "replace"))
    digest.update(content)
    return Attempt(digest.digest(), number, now)
