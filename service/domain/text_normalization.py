"""How the words of a text are spelled for keyword search, the same for what is stored and what is asked.

Compatible characters become one (NFKC: ligatures, widths), and those that show nothing are dropped. Accents fold
(é → e, ё → е, ß → ss), and cases too. Scripts that write without spaces, which Postgres does not split, become
overlapping pairs of characters ("東京都" → 東京 京都), which find about as well as dictionaries do (Nie, Gao, Zhang,
Zhou 2000). A character that can be a word of its own stands alone as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_KANA: Final = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL: Final = "\uac00-\ud7a3"
# Thai, Lao, Myanmar and Khmer; each with the marks that are written over or under a letter.
_SOUTHEAST: Final = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a\u1780-\u17b3"
)
_MARKS: Final = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"

UNSPACED: Final = re.compile(f"(?:[{_HAN}{_KANA}{_HANGUL}]|[{_SOUTHEAST}][{_MARKS}]*)+")
"""A run of letters of scripts without spaces (and of Hangul, whose words carry their particles)."""

_SIGNS: Final = "./@:+~#?=&%\\-"
_COMPOUND: Final = re.compile(r"[\w./@:+~#?=&%\\-]+")
"""What may be a path, an address, a host, a file or an identifier."""
_STEP: Final = re.compile(r"[/\\:?#&=@]+")
_JOINED: Final = re.compile(r"(?<=[^\W_])[./@](?=[^\W_])")
_PART: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNIT: Final = re.compile(f".[{_MARKS}]*", re.DOTALL)
_IDEOGRAPH: Final = re.compile(f"[{_HAN}]")
_SYLLABLES: Final = re.compile(f"[{_HANGUL}]{{2}}")
_IGNORABLE: Final = (
    "\u00ad \u034f \u061c \u115f-\u1160 \u17b4-\u17b5 \u180b-\u180f \u200b-\u200f \u202a-\u202e \u2060-\u206f \u3164"
    " \ufe00-\ufe0f \ufeff \uffa0 \ufff0-\ufff8 \U0001bca0-\U0001bca3 \U0001d173-\U0001d17a \U000e0000-\U000e0fff"
)
"""Default_Ignorable_Code_Point of Unicode 16: soft hyphens, zero widths, direction marks, variation selectors."""
_JOINERS: Final = "\u200c\u200d"
"""Spelling in Persian, in the scripts of India and in emoji, which stay what they are where a text is read."""
_DROPPED: Final = re.compile(f"[{_IGNORABLE.replace(' ', '')}]+")
_UNREAD: Final = re.compile(f"(?:(?![{_JOINERS}\ufe00-\ufe0f])[{_IGNORABLE.replace(' ', '')}])+|[\ufb00-\ufb06]+")
# What Unicode does not take apart into a letter and its mark.
_WHOLE: Final = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ё": "е",
    "’": "'", "ʼ": "'",
}  # fmt: skip
_COMBINING: Final = range(0x300, 0x370)
_FOLDED_RANGES: Final = (range(0xC0, 0x250), range(0x370, 0x400), range(0x1E00, 0x2000))


def _diacritic_map() -> dict[int, str | None]:
    """Latin and Greek letters to themselves without marks; marks standing alone to nothing."""
    folds: dict[int, str | None] = dict.fromkeys(_COMBINING)
    for block in _FOLDED_RANGES:
        for code in block:
            plain = "".join(c for c in unicodedata.normalize("NFD", chr(code)) if ord(c) not in _COMBINING)
            if plain and plain != chr(code):
                folds[code] = plain
    return folds | {ord(letter): plain for letter, plain in _WHOLE.items()}


_DIACRITIC_MAP: Final = _diacritic_map()


def normalize_for_search(text: str) -> str:
    """Return the text as its words are looked for, followed by the parts of paths, addresses, hosts and identifiers,
    which Postgres takes for one word each; it folds the case of plain ASCII itself."""
    if text.isascii():
        return _with_parts(text)
    text = _with_parts(unicodedata.normalize("NFKC", without_ignorable(text)))
    return UNSPACED.sub(lambda run: f" {' '.join(_grams(run.group()))} ", text.lower().translate(_DIACRITIC_MAP))


def _with_parts(text: str) -> str:
    """Return a text followed by the parts of its compounds, their words and the words of those in turn
    (``src/mainMenu.py``: mainMenu.py, src, main, Menu, py)."""
    parts = [part for compound in _COMPOUND.findall(text) for part in _parts(compound)]
    return f"{text} {' '.join(parts)}" if parts else text


def _parts(compound: str) -> Iterator[str]:
    steps = _STEP.split(compound)
    joined = _JOINED.search(compound) is not None
    for step in steps:
        inner = _JOINED.search(step) is not None
        if inner and len(steps) > 1 and not UNSPACED.search(step):
            yield step.strip(_SIGNS)
        for word in _PART.findall(step):
            humps = _HUMP.split(word)
            if joined and len(word) > 1 and not word.isdigit() and not UNSPACED.search(word):
                yield word
            if len(humps) > 1:
                yield from (hump for hump in humps if len(hump) > 1)


def without_ignorable(text: str) -> str:
    """Return a text without the characters that show nothing (Default_Ignorable_Code_Point)."""
    return text if text.isascii() else _DROPPED.sub("", text)


def legible(text: str) -> str:
    """Return a text as it is read: without what shows nothing and spells nothing, ligatures as their letters."""
    return (
        text
        if text.isascii()
        else _UNREAD.sub(lambda run: without_ignorable(unicodedata.normalize("NFKC", run.group())), text)
    )


def cjk_char_count(text: str) -> int:
    """Return how many characters of the text are of scripts without spaces."""
    return 0 if text.isascii() else sum(len(_UNIT.findall(run)) for run in UNSPACED.findall(text))


def _grams(run: str) -> Iterator[str]:
    units = _UNIT.findall(run)
    if len(units) == 1:
        yield run
        return
    for first, second in pairwise(units):
        yield first + second
    yield from _IDEOGRAPH.findall(run)
    if _SYLLABLES.fullmatch(run):
        # Mostly a noun of one syllable and its particle.
        yield units[0]


def holds_letters(text: str) -> bool:
    """Return whether a text has any letter, and not figures and signs alone."""
    return any(map(str.isalpha, text))
