"""A plain-ASCII reading of a text that remembers where each character came from.

People and pages write one address in many alphabets of digits, dashes and invisible characters, and pages escape the
signs in it (``bob%40ex.com``, ``bob&#64;ex.com``). The finders read the folded text; what they find is cut out of the
original, so text without findings stays byte for byte the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

INVISIBLE_MARKS = {
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0",
    *map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))),
}
"""Letters and marks that Unicode lets nobody see (Default_Ignorable_Code_Point), besides format characters."""

_DASHES = {"\u2212", "\u2043"}

# Signs of addresses and numbers, escaped as in URLs (once or more often), HTML, and JSON or JavaScript.
_ESCAPED = re.compile(
    r"%(?:25){0,4}(?P<percent>2[0-9A-F]|3A|40|5[BDF])"
    r"|&(?:amp;){0,4}(?:#0{0,7}(?P<decimal>\d{2,3});?|#x0{0,7}(?P<hex>[0-9A-F]{2});?"
    r"|(?P<name>commat|period|plus|lowbar|hyphen|dash|colon|lpar|rpar|quot|nbsp);)"
    r"|\\(?:u00|x)(?P<script>[2-7][0-9A-F])",
    re.IGNORECASE,
)
_NAMED = {
    "commat": "@", "period": ".", "plus": "+", "lowbar": "_", "hyphen": "-", "dash": "-", "colon": ":", "lpar": "(",
    "rpar": ")", "quot": '"', "nbsp": " ",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AsciiText:
    """``text`` to search in; its i-th character stands for ``original[starts[i]:ends[i]]``, ``None``: for itself."""

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span behind ``text[start:end]`` (not empty), invisible characters inside included."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def to_ascii(text: str) -> AsciiText:
    """Digits and dashes of all scripts become ASCII, compatibility forms NFKC; invisible characters are dropped, and
    escaped signs stand for themselves."""
    if text.isascii() and _ESCAPED.search(text) is None:
        return AsciiText(text, None, None)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(piece: str, start: int, end: int) -> None:
        pieces.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))

    done = 0
    for escape in _ESCAPED.finditer(text):
        sign = _unescaped(escape)
        if sign is not None:
            for position in range(done, escape.start()):
                add(_ascii_of(text[position]), position, position + 1)
            add(sign, *escape.span())
            done = escape.end()
    for position in range(done, len(text)):
        add(_ascii_of(text[position]), position, position + 1)
    return AsciiText("".join(pieces), starts, ends)


def _unescaped(escape: re.Match[str]) -> str | None:
    """The printable ASCII character that is meant, if it is one."""
    if escape["name"]:
        return _NAMED[escape["name"].lower()]
    code = (
        int(escape["decimal"]) if escape["decimal"] else int(escape["percent"] or escape["hex"] or escape["script"], 16)
    )
    return chr(code) if 0x20 <= code < 0x7F else None


def _ascii_of(character: str) -> str:
    return character if character.isascii() else _ascii_of_character(character)


@lru_cache(maxsize=4096)
def _ascii_of_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" or character in INVISIBLE_MARKS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character in _DASHES:
        return "-"
    if category == "No":  # NFKC would turn "10²" into "102"
        return character
    return unicodedata.normalize("NFKC", character)
