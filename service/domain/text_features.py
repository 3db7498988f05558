"""What the ranking needs to know of a text besides its words and its vector, worked out once at write."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.text_normalization import UNSPACED, cjk_char_count

_SPEAKER = re.compile(r"^\s*([^\s:\[\]][^:\n\[\]]{0,39}):\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
_QUESTION_MARKS = ("?", "？", "؟")
_CLOSERS = "\"')]*_"
WORDS_MAX = 32_767
CHARACTERS_PER_WORD = 2
"""Of scripts without spaces, roughly."""


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """Features of one text.

    ``words`` counts words. ``speaker`` is who says it: as given, or written in front as ``Name: …``, case folded.
    ``asks``: it ends in a question. ``question_share`` is the share, 0 to 1, of its characters in question sentences.
    """

    words: int
    speaker: str | None
    asks: bool
    question_share: float

    def columns(self) -> dict[str, object]:
        """Return the features by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def extract_features(content: str, speaker: str | None = None) -> TextFeatures:
    """Return the features of a text."""
    named = _SPEAKER.match(content)
    if speaker is None and named:
        speaker = named.group(1).strip().casefold()
    body = content[named.end() :] if named else content
    sentences = [sentence for sentence in _SENTENCE_END.split(body.strip()) if sentence]
    asked = sum(len(sentence) for sentence in sentences if sentence.endswith(_QUESTION_MARKS))
    return TextFeatures(
        words=min(word_count(content), WORDS_MAX),
        speaker=speaker[:40] if speaker else None,
        asks=_without_tail(content).rstrip(_CLOSERS).endswith(_QUESTION_MARKS),
        question_share=asked / max(1, sum(map(len, sentences))),
    )


def _without_tail(content: str) -> str:
    """Return the text without what stands in brackets at its end: "… [shares a photo]"."""
    text = content.rstrip()
    if not text.endswith("]"):
        return text
    opening = text.find("[", text.rfind("]", 0, -1) + 1)
    return text if opening < 0 else text[:opening].rstrip()


def word_count(text: str) -> int:
    """Return how many words a text has: by white space, and two characters to a word where there is none."""
    unspaced = cjk_char_count(text)
    spaced = UNSPACED.sub(" ", text) if unspaced else text
    return len(spaced.split()) + -(-unspaced // CHARACTERS_PER_WORD)
