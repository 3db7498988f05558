"""The text that stands for a memory in the index, for words and vectors alike."""

from __future__ import annotations

from datetime import datetime


def indexed_text(content: str, occurred_at: datetime | None) -> str:
    """The content with the day it speaks of in front, since questions name days: ``[8 May 2023] …``."""
    if occurred_at is None:
        return content
    return f"[{occurred_at.day} {occurred_at:%B %Y}] {content}"


def language_of(_: str) -> str:
    """The text-search configuration of a text."""
    return "english"
