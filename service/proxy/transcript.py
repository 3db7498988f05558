"""What a request adds to the conversation: the client's new messages and the model's answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from service.domain.drafts import MessageDraft
from service.domain.field_types import MESSAGE_MAX, replace_unstorable
from service.domain.json import dumps

Payload = dict[str, Any]

NAME_MAX = 200
KEPT_ROLES = ("user", "tool")
ELIDED = "(not kept)"
_INLINE_DATA_MAX = 2_000


def derived_session(user: str | None, messages: Sequence[Payload]) -> str:
    """A name for a conversation whose client names none: the same for as long as it begins the same."""
    opening = next((message for message in messages if message.get("role") == "user"), {})
    seed = dumps([user, opening.get("content")])
    return f"chat-{hashlib.sha256(seed).hexdigest()[:32]}"


def new_turns(messages: Sequence[Payload], answer: Payload) -> list[MessageDraft]:
    """What this request adds: whatever the user and the tools said since the last answer, and the answer.

    A client sends its whole history every time; what came before was kept when it was said. System messages are
    the client's instructions, not part of the conversation.
    """
    last_answer = max((at for at, message in enumerate(messages) if message.get("role") == "assistant"), default=-1)
    said = [message for message in messages[last_answer + 1 :] if message.get("role") in KEPT_ROLES]
    says_something = answer.get("content") or answer.get("tool_calls") or answer.get("refusal")
    return [_draft(message) for message in said] + ([_draft(answer)] if says_something else [])


def _draft(message: Payload) -> MessageDraft:
    content: Any = message.get("content") or message.get("refusal") or ""
    if message.get("tool_calls"):
        content = {"content": message.get("content"), "tool_calls": message["tool_calls"]}
    return MessageDraft(
        role=message["role"],
        content=_storable(content),
        name=name_of(message.get("name")),
        tool_call_id=name_of(message.get("tool_call_id")),
    )


def _storable(content: Any) -> Any:
    """Content as it can be kept: images and sounds sent inline, and what no database takes, are left out."""
    if isinstance(content, str):
        return content.encode("utf-8", "replace").decode().replace("\x00", " ")[:MESSAGE_MAX]
    if isinstance(content, list):
        return [_storable(part) for part in content]
    if isinstance(content, dict):
        return {replace_unstorable(str(name)): _part(name, value) for name, value in content.items()}
    return content


def _part(name: Any, value: Any) -> Any:
    inline = isinstance(value, str) and (value.startswith("data:") or name in ("data", "file_data"))
    return ELIDED if inline and len(value) > _INLINE_DATA_MAX else _storable(value)


def name_of(value: Any) -> str | None:
    """The value where it can serve as a name, else None."""
    fits = isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= NAME_MAX
    return value if fits else None
