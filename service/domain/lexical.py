"""What the ranking needs to know of a text besides its words and its vector, worked out once at write."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPEAKER = re.compile(r"^\s*([^\s:\[\]][^:\n\[\]]{0,39}):\s")
_TAIL = re.compile(r"\s*\[[^\]]*\]\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CLOSERS = "\"')]*_"
WORDS_MAX = 32_767


@dataclass(frozen=True, slots=True)
class Shape:
    """Features of one text.

    ``words`` counts white-space separated words. ``speaker`` is who says it: given, or written in front as ``Name: …``.
    ``asks``: it ends in a question. ``question_share`` is the share, 0 to 1, of its characters in question sentences.
    """

    words: int
    speaker: str | None
    asks: bool
    question_share: float


def shape_of(content: str, speaker: str | None = None) -> Shape:
    """The features of a text."""
    named = _SPEAKER.match(content)
    if speaker is None and named:
        speaker = named.group(1).strip()
    body = content[named.end() :] if named else content
    sentences = [sentence for sentence in _SENTENCE_END.split(body.strip()) if sentence]
    asked = sum(len(sentence) for sentence in sentences if sentence.endswith("?"))
    return Shape(
        words=min(len(content.split()), WORDS_MAX),
        speaker=speaker.casefold()[:40] if speaker else None,
        asks=_TAIL.sub("", content).rstrip().rstrip(_CLOSERS).endswith("?"),
        question_share=asked / max(1, sum(map(len, sentences))),
    )


def language_of(_: str) -> str:
    """The text-search configuration of a text."""
    return "english"
