"""What is searched of a message."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

from service.domain.json import JsonValue
from service.domain.languages import language_of
from service.domain.recall_blocks import without_recall
from service.domain.text_features import extract_features
from service.domain.text_normalization import legible, normalize_for_search
from service.domain.turns import text_of, words_of

SEARCHED_ROLES = frozenset({"user", "assistant", "tool"})
SEARCHABLE_MAX = 8_000
"""Characters of a message that are searched: what a person writes. The rest of a long paste is only kept."""


def searchable_text(role: str, content: JsonValue) -> str:
    """Return the text a message is found by; empty when it is not to be found."""
    if role not in SEARCHED_ROLES:
        return ""
    text = words_of(content)
    return (without_recall(text) if role == "user" else text)[:SEARCHABLE_MAX].strip()


def read_text(role: str, content: JsonValue) -> str:
    """Return what is made of a message: its text without what shows nothing, of a user without recall blocks."""
    text = legible(text_of(content))
    return without_recall(text) if role == "user" else text


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
