"""A plain-ASCII reading of a text that remembers where each character came from.

People and pages write one address in many alphabets of digits, dashes and invisible characters. The finders read
the folded text; what they find is cut out of the original, so text without findings stays byte for byte the same.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_INVISIBLE_MARKS = {"\u034f", *map(chr, range(0xFE00, 0xFE10))}
_DASHES = {"\u2212", "\u2043"}


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` to search in; ``origin[i]`` is the original position of its i-th character, ``None``: the same."""

    text: str
    origin: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span behind ``text[start:end]`` (not empty), invisible characters inside included."""
        if self.origin is None:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


def fold(text: str) -> Folded:
    """Digits and dashes of all scripts become ASCII, compatibility forms NFKC; invisible characters are dropped."""
    if text.isascii():
        return Folded(text, None)
    pieces: list[str] = []
    origin: list[int] = []
    for position, character in enumerate(text):
        piece = character if character.isascii() else _fold_character(character)
        pieces.append(piece)
        origin.extend([position] * len(piece))
    return Folded("".join(pieces), origin)


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" or character in _INVISIBLE_MARKS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character in _DASHES:
        return "-"
    if category == "No":  # NFKC would turn "10²" into "102"
        return character
    return unicodedata.normalize("NFKC", character)
