"""Where the memory block goes among a client's messages; the client's own are passed on as they are."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from service.domain.context import Placement

Payload = dict[str, Any]


def takes_memory(payload: Payload) -> bool:
    """Whether memory can be added to a request: it has messages, one of them a user's."""
    messages = payload.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return False
    return last_user(messages) is not None


def last_user(messages: Sequence[Payload]) -> int | None:
    """The position of the last message of a user."""
    return next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)


def last_words(messages: Sequence[Payload]) -> str | None:
    """What a user said last; None where no user says anything."""
    at = last_user(messages)
    return None if at is None else text_of(messages[at])


def text_of(message: Payload) -> str:
    """The words of a message, whatever parts it comes in."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def placement_for(model: object, wanted: Placement, no_system_models: Sequence[str]) -> Placement:
    """``wanted``, but ``user`` for a model that knows no system role (patterns as in file names, any case)."""
    name = str(model or "").lower()
    if any(fnmatchcase(name, pattern.lower()) for pattern in no_system_models):
        return "user"
    return wanted
