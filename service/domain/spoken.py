"""What of a message is searched: what was said in words (row S7)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from service.domain.languages import language_of
from service.domain.lexical import shape_of
from service.domain.spelling import spelled

SEARCHED_ROLES = frozenset({"user", "assistant", "tool"})
SEARCHABLE_MAX = 8_000
"""Characters of a message that are searched: what a person writes. The rest of a long paste is only kept."""


def words_in(content: Any) -> str:
    """The words of a message's content: the text itself, or the texts among its parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return words_in(content.get("content") or content.get("text") or "")
    return "\n".join(words_in(part) for part in content) if isinstance(content, list) else ""


def searched_text(role: str, content: Any) -> str:
    """The text a message is found by; empty when it is not to be found."""
    return words_in(content)[:SEARCHABLE_MAX].strip() if role in SEARCHED_ROLES else ""


def index_item(ordinal: int, id_: Any, text: str, speaker: str) -> dict[str, Any]:
    """What the index keeps of a message's text; ``ordinal`` is its place among those indexed together, from 1."""
    return {"ordinal": ordinal, "id": id_, "lexical": spelled(text), "language": language_of(text)} | asdict(
        shape_of(text, speaker)
    )
