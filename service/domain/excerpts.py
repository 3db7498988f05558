"""What of a long text a question is about."""

from __future__ import annotations

import re
from collections import Counter

from service.domain.text_normalization import normalize_for_search

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_WORD = re.compile(r"\w+")
STEM_CHARS = 5
"""Of a word, so many characters are compared: enough to tell words apart, few enough for their forms to agree."""
GAP = " … "


def excerpt(text: str, question: str, characters_max: int) -> str:
    """Return the sentences that have words of the question, those with the rarest first until there is no more room, in
    the order of the text; its beginning where none has any."""
    sentences = [one for one in _SENTENCE_END.split(text) if one.strip()]
    wanted = _stems(question)
    shared = [_stems(one) & wanted for one in sentences]
    held = Counter(stem for stems in shared for stem in stems)
    weights = [sum(1 / held[stem] for stem in stems) for stems in shared]
    about = [number for number, weight in enumerate(weights) if weight] or list(range(len(sentences)))
    kept: dict[int, str] = {}
    room = characters_max
    for number in sorted(about, key=lambda number: -weights[number]):
        if len(sentences[number]) <= room:
            kept[number] = sentences[number]
            room -= len(sentences[number]) + len(GAP)
    return _joined(kept) or text[:characters_max]


def _stems(text: str) -> set[str]:
    return {word[:STEM_CHARS] for word in _WORD.findall(normalize_for_search(text).lower())}


def _joined(sentences: dict[int, str]) -> str:
    """Sentences by their numbers, with a mark where some between them are missing."""
    joined, before = "", None
    for number in sorted(sentences):
        if before is not None:
            joined += " " if number == before + 1 else GAP
        joined += sentences[number]
        before = number
    return joined
