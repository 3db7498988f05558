"""What a message says in words, and what of it is searched."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

from service.domain.json import JsonValue, dumps
from service.domain.languages import language_of
from service.domain.text_features import extract_features
from service.domain.text_normalization import normalize_for_search
from service.domain.word_lists import word_set

SEARCHED_ROLES = frozenset({"user", "assistant", "tool"})
SEARCHABLE_MAX = 8_000
"""Characters of a message that are searched: what a person writes. The rest of a long paste is only kept."""


PART_TYPES = word_set("""
    text input_text output_text refusal image_url input_image input_audio video_url file input_file""")
"""``type`` of content parts: OpenAI's Chat Completions and Responses APIs, vLLM."""


def text_of(content: JsonValue) -> str:
    """Return a message's content as text: itself, the texts of its content parts, or any other JSON as it is
    written."""
    if isinstance(content, str):
        return content
    text = text_of_parts(content)
    return dumps(content).decode() if text is None else text


def text_of_parts(content: JsonValue) -> str | None:
    """Return the texts of a list of content parts (``[{"type": "text", "text": "…"}, {"type": "image_url", …}]``), a
    line each; None for anything but such a list."""
    if not isinstance(content, list) or not content or not all(map(_is_part, content)):
        return None
    texts = (part.get("text", part.get("refusal")) for part in content)
    return "\n".join(text for text in texts if isinstance(text, str))


def _is_part(part: JsonValue) -> bool:
    return isinstance(part, dict) and isinstance(part.get("type"), str) and part["type"] in PART_TYPES


def plain_text(content: JsonValue) -> str:
    """Return the words of a message's content: the text itself, or the texts among its parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return plain_text(content.get("content") or content.get("text") or "")
    return "\n".join(plain_text(part) for part in content) if isinstance(content, list) else ""


def searchable_text(role: str, content: JsonValue) -> str:
    """Return the text a message is found by; empty when it is not to be found."""
    return plain_text(content)[:SEARCHABLE_MAX].strip() if role in SEARCHED_ROLES else ""


def said_by(role: str, name: str | None, user: str | None) -> str | None:
    """Return the name of who says a message, where one is given."""
    return name or (user if role == "user" else None)


def with_speaker(text: str, speaker: str | None) -> str:
    """Return a message's text as it is indexed and embedded: behind the name of who says it."""
    return f"{speaker}: {text}" if speaker else text


@dataclass(frozen=True, slots=True)
class SearchedMessage:
    """What the index keeps of a message's text; ``ordinal`` is its place among those indexed together, from 1."""

    ordinal: int
    id: UUID
    lexical: str
    language: str
    words: int
    speaker: str | None
    asks: bool
    question_share: float


def search_row(ordinal: int, id_: UUID, text: str, speaker: str | None, role: str) -> SearchedMessage:
    """Return what the index keeps of a message's text."""
    return SearchedMessage(
        ordinal,
        id_,
        normalize_for_search(with_speaker(text, speaker)),
        language_of(text),
        **asdict(extract_features(text, role if role == "assistant" else speaker or role)),
    )
