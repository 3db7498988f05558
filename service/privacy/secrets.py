"""Where secrets stand in a text: keys, tokens, passwords, cookies, private keys.

Needs nothing but the standard library and is quick to load. Takes time linear in the text.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from service.privacy.ascii_map import INVISIBLE_MARKS, to_ascii
from service.privacy.patterns import BARRIER
from service.privacy.secret_issuers import ISSUERS, Issuer
from service.privacy.secrets_named import NamedSpan, find_named
from service.privacy.windows import CORE_CHARS, windows

# Invisible characters and full-width letters inside of a token, and escaped signs (``%40``, ``\u003d``).
_DISGUISED = re.compile(
    r"[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff\uff01-\uff5e\U000e0000-\U000e007f"
    + "".join(sorted(INVISIBLE_MARKS))
    + r"]|\\u00[2-7]|&#"
)


# A line break inside of a token, as mail, terminals and pasted tables make it: with the signs that quote and continue
# lines. Lines of a private key are one secret anyway.
_BREAK = re.compile(r"(?<=[A-Za-z0-9_+/=.-])\\?\r?\n[ \t]{0,16}(?:> ?)?(?=[A-Za-z0-9_+/=.-])")
_RUN = re.compile(r"[A-Za-z0-9_+/=.-]{1,4000}")
_LINE_ENDS = re.compile(r"[\"'`,;)\\]{0,4}[ \t]{0,16}(?:\r?\n|\Z)")
_CONTINUED_MIN = 6


# Every form of an issuer has a run of so many characters, which words in sentences seldom have.
_LONG_RUN = re.compile(r"\S{16}")
_SHORTEST = 8
"""``pwd=a1b2``."""
_LITERALS = [(literal, issuer) for issuer in ISSUERS for literal in issuer.literals]


def find_secrets(text: str) -> list[NamedSpan]:
    """Disjoint spans of secrets, each with its kind, in order."""
    if len(text) < _SHORTEST:
        return []
    if _DISGUISED.search(text) is None:
        return _merged(_found(text))
    folded = to_ascii(text)
    return _merged((*folded.span(start, end), kind) for start, end, kind in _found(folded.text) if end > start)


def _found(text: str) -> Iterator[NamedSpan]:
    if _LONG_RUN.search(text):
        issued = [*_issued(text), *_broken(text)]
        yield from issued
        text = _without(text, issued)
    yield from _in_windows(text, find_named)


def _issued(text: str) -> list[NamedSpan]:
    return [
        span
        for literal, issuer in _LITERALS
        if literal in text
        for span in (_inside(text, issuer) if issuer.inside else _beginning(text, literal, issuer))
    ]


def _broken(text: str) -> Iterator[NamedSpan]:
    """Tokens that go on in the next lines: what an issuer's form finds once these breaks are gone."""
    breaks = [match.span() for match in _BREAK.finditer(text) if _continues(text, match.end())]
    if not breaks:
        return
    ends = [0, *(end for _, end in breaks)]
    pieces = [text[start:end] for start, end in zip(ends, [*(start for start, _ in breaks), len(text)], strict=True)]
    places = [0, *itertools.accumulate(map(len, pieces))]
    for start, end, kind in _issued("".join(pieces)):
        first, last = bisect_right(places, start) - 1, bisect_left(places, end) - 1
        if last > first:
            yield ends[first] + start - places[first], ends[last] + end - places[last], kind


def _continues(text: str, at: int) -> bool:
    """Whether a line begins with what may be the rest of a token: all of the line, or with a digit in it. A sentence
    behind a whole token is none of it."""
    run = _RUN.match(text, at)
    if run is None or len(run[0]) < _CONTINUED_MIN:
        return False
    return _LINE_ENDS.match(text, run.end()) is not None or any(map(str.isdigit, run[0]))


def _without(text: str, spans: list[NamedSpan]) -> str:
    pieces, done = [], 0
    for start, end, _ in _merged(spans):
        pieces += [text[done:start], BARRIER * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])


def _in_windows(text: str, find: Callable[[str], Iterator[NamedSpan]]) -> Iterator[NamedSpan]:
    if len(text) <= CORE_CHARS:
        yield from find(text)
        return
    for window in windows(text):
        for start, end, kind in find(text[window.start : window.end]):
            if start + window.start < window.core_end and end + window.start > window.core_start:
                yield start + window.start, end + window.start, kind


def _inside(text: str, issuer: Issuer) -> Iterator[NamedSpan]:
    def find(part: str) -> Iterator[NamedSpan]:
        return ((*match.span(), issuer.kind) for match in issuer.pattern.finditer(part) if _holds(match, issuer))

    return _in_windows(text, find)


def _beginning(text: str, literal: str, issuer: Issuer) -> Iterator[NamedSpan]:
    at = text.find(literal)
    while at >= 0:
        found = issuer.pattern.match(text, at)
        if found is not None and _holds(found, issuer):
            yield *found.span(), issuer.kind
        at = text.find(literal, max(at + 1, found.end() if found else 0))


def _holds(match: re.Match[str], issuer: Issuer) -> bool:
    if issuer.certain is not None:
        if issuer.certain(match[0]):
            return True
        before, after = match.string[match.start() - 1 : match.start()], match.string[match.end() : match.end() + 1]
        if issuer.plausible is None or before.isalnum() or after.isalnum():
            return False
    return issuer.plausible is None or issuer.plausible(match[0])


def _merged(found: Iterable[NamedSpan]) -> list[NamedSpan]:
    """Disjoint, in order, covering all: of overlapping ones the first names the whole."""
    merged: list[NamedSpan] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, kind))
    return merged
