"""Long texts in overlapping windows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s(?=[^\W\d_])")
CORE_CHARS = 32_768
_MARGIN_CHARS = 2_048
"""Many times as long as any form of personal data with the words around it that decide."""
_SEEK_CHARS = 8_192


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that is searched at once. What is found counts where it reaches into the core."""

    start: int
    core_start: int
    core_end: int
    end: int


def windows(text: str, core_chars: int = CORE_CHARS) -> Iterator[Window]:
    """A long text in windows with cores of ``core_chars`` characters: a regular expression keeps all other threads
    waiting until it has its next match.

    The margins beside a core hold every finding that reaches into it, with the words around that decide; they end
    between two words, so that they cut no run of digits or characters, unless it is longer than ``_SEEK_CHARS``.
    """
    for core_start in range(0, max(1, len(text)), core_chars):
        core_end = min(core_start + core_chars, len(text))
        left, right = max(0, core_start - _MARGIN_CHARS), min(len(text), core_end + _MARGIN_CHARS)
        start, end = max(0, left - _SEEK_CHARS), min(len(text), right + _SEEK_CHARS)
        if start:
            start = next((gap.end() for gap in _BETWEEN_WORDS.finditer(text, start, left)), start)
        if end < len(text):
            end = next((gap.start() for gap in _BETWEEN_WORDS.finditer(text, right, end)), end)
        yield Window(start, core_start, core_end, end)
