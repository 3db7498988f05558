"""Requests that a client's library sends again: it counts its attempts in a header, and sends the same bytes."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from service.memory.sessions.attempts import Attempt

ATTEMPT_HEADER: Final = "x-stainless-retry-count"
"""Of the official clients of OpenAI and Anthropic: 0 for a first attempt."""
COUNTED_MAX: Final = 100


def attempt_number(header: str | None) -> int | None:
    """How many attempts went before; None for a client that does not count them."""
    if header is None or not (header.isascii() and header.isdigit()) or len(header) > len(str(COUNTED_MAX)):
        return None
    return min(int(header), COUNTED_MAX)


def attempt_at(content: bytes, place: tuple[str, ...], number: int, now: datetime) -> Attempt:
    """The attempt at a request with these bytes, whose turn would be kept at ``place``."""
    digest = hashlib.sha256("\x00".join(("turn", *place, "")).encode("utf-8", "replace"))
    digest.update(content)
    return Attempt(digest.digest(), number, now)
