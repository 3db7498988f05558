"""What the ranking needs to know of a text besides its words and its vector, worked out once at write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from service.domain.spelling import UNSPACED, unspaced_characters

_SPEAKER = re.compile(r"^\s*([^\s:\[\]][^:\n\[\]]{0,39}):\s")
_TAIL = re.compile(r"\s*\[[^\]]*\]\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
_QUESTION_MARKS = ("?", "？", "؟")
_CLOSERS = "\"')]*_"
WORDS_MAX = 32_767
CHARACTERS_PER_WORD = 2
"""Of scripts without spaces, roughly."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Features of one text.

    ``words`` counts words. ``speaker`` is who says it: given, or written in front as ``Name: …``.
    ``asks``: it ends in a question. ``question_share`` is the share, 0 to 1, of its characters in question sentences.
    """

    words: int
    speaker: str | None
    asks: bool
    question_share: float

    def columns(self) -> dict[str, Any]:
        """The features by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def shape_of(content: str, speaker: str | None = None) -> Shape:
    """The features of a text."""
    named = _SPEAKER.match(content)
    if speaker is None and named:
        speaker = named.group(1).strip()
    body = content[named.end() :] if named else content
    sentences = [sentence for sentence in _SENTENCE_END.split(body.strip()) if sentence]
    asked = sum(len(sentence) for sentence in sentences if sentence.endswith(_QUESTION_MARKS))
    return Shape(
        words=min(words_of(content), WORDS_MAX),
        speaker=speaker.casefold()[:40] if speaker else None,
        asks=_TAIL.sub("", content).rstrip().rstrip(_CLOSERS).endswith(_QUESTION_MARKS),
        question_share=asked / max(1, sum(map(len, sentences))),
    )


def words_of(text: str) -> int:
    """How many words a text has: by white space, and two characters to a word where there is none."""
    unspaced = unspaced_characters(text)
    spaced = UNSPACED.sub(" ", text) if unspaced else text
    return len(spaced.split()) + -(-unspaced // CHARACTERS_PER_WORD)
