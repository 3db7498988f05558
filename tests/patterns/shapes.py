"""Adversarial texts: what makes a backtracking matcher, or a loop that copies, take more than linear time.

A shape is a text that can be made of any length: runs of one unit, two runs one after the other, and near misses,
which repeat what a pattern takes and then withhold its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise, product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

PER_PATTERN_MAX = 100
POOL = "a1 .,-'/@:[\"A\n<_é中!?+(\x00"
"""Characters tried first where a pattern takes any of many."""


class Shape(NamedTuple):
    """``head``, then each unit repeated for its equal part of the length, then ``tail``."""

    head: str
    units: tuple[str, ...]
    tail: str = ""

    def text(self, length: int) -> str:
        """About ``length`` characters, never fewer than one of each unit."""
        room = max(0, length - len(self.head) - len(self.tail)) // len(self.units)
        return self.head + "".join(unit * max(1, room // len(unit)) for unit in self.units) + self.tail


_RUNS = (
    *"aA1 \t\n\r\"'`.,;:!?@#$%&*()[]{}<>/\\|-_=+~^é中กж\u0301\u0e31\u200d\u00a0\u2019\u201c가\x01",
    "🙂", "👩\u200d💻", "🇳🇴", "e\u0301", "ㄱㅏ",
)  # fmt: skip
_UNITS = (
    "a ", "a.", "a/", "/a", "../", "a@", "@a", "a@a.", "a-", "a'", "a:", "a, ", "a? ", "A b. ", "Aa ", "A ", "Ab Cd ",
    "1.", "1,", "1 ", "1-", "1:", "1/", "+1 ", "(1", "1a", "a1", "1,000", "12:30 ", "2024-01-01", "127.0.0.1 ", "::1",
    "[]", "[ ", "] ", "[a](", "](", "![", "()", "((", "{\"a\":", "[[", "<a", "</", "<a>", "<!--", "&#64;", "&amp;",
    "%40", "``", "```\n", "**a", "*a ", "# a\n", "- a\n", "> a\n", "|a", "| - ", "|-|\n", "a\n", "\n\n", "\r\n", "\"a",
    "\"a\" ", "'a ", "“a", "a”", "of ", "on in ", "in May 2023 ", "May ", "last ", "last week ", "a few ", "ago ",
    "I ", "i love ", "I love you. ", "my name is ", "we and ", "not ", "said ", "that is ", "it's ", "n't ", "and so ",
    "Mr. ", "e.g. ", "...", "?!", ". ", "。", "、", "中 ", "https://", "https://a.b/", "www.", "a.txt ", "v1.",
    "<reverie-memory>", "</reverie-memory>", "<reverie-memory ", "retrieved memories:\n", "On a wrote:\n", "Ann: ",
    "user: a\n", "4111 ", "4111-1111-", "555-1234 ", "GB82 ", "GB82WEST", "123-45-6789 ", "SSN ", "iban ", "call ",
    "AAAA+/", "deadbeef", "00000000-0000-", "0x", "a\x00", "a\u0301\u0301", "ق ", "ไ", "กำ", "あ", "ｱ", "ﬁ", "ß", "İ",
)  # fmt: skip
_FIRST, _SECOND = ("a", " ", "[", "a ", "1", "-", "'a "), (" ", "]", "a", ".", "1 ", "@", "!\n")


def general() -> list[Shape]:
    """Shapes that know no pattern: runs, nestings, words, and two runs after each other."""
    runs = [Shape("", (unit,)) for unit in (*_RUNS, *_UNITS)]
    ended = [Shape("", (unit,), tail) for unit in ("a", " ", "1", "a ", "[") for tail in ("!", "\n", "x", "\x01")]
    both = [Shape("", (a, b), "x") for a, b in product(_FIRST, _SECOND) if a != b]
    nested = [Shape("", ("[", "]", " "), "x"), Shape("", ("(", "a", ")")), Shape("", ('{"a":', "1", "}"))]
    begun = [Shape("in May 2023 ", ("of ",)), Shape("I love ", ("a",)), Shape("hi ", ("a",), " stop")]
    return runs + ended + both + nested + begun


def of_pattern(pattern: str, flags: int) -> list[Shape]:
    """Near misses of one pattern, made of its own alternatives and repeats by walking its parse tree."""
    tree = parser.parse(pattern, flags & ~re.DEBUG)
    return list(islice(dict.fromkeys(shape for shape in _near_misses(tree) if any(shape.units)), PER_PATTERN_MAX))


def _near_misses(tree: Any) -> Iterator[Shape]:
    whole = next(_samples([tree]), "")
    if whole:
        yield from (Shape("", (whole,)), Shape("", (whole[:-1] or whole,)), Shape("", (whole, " "), "\x01"))
    repeats = list(_repeats("", list(tree), ""))
    for before, unit, after in repeats:
        yield Shape(before, (unit,), "\x01")
        yield Shape(before, (unit,), after[:-1])
        yield Shape("", (before + unit,))
        yield Shape("", (before + unit + after[:-1],))
    for (before, unit, _), (_, other, after) in pairwise(repeats):
        if unit != other:
            yield Shape(before, (unit, other), "\x01")
            yield Shape(before, (unit, other), after[:-1])
            yield Shape(before, (unit + other,), "\x01")
    for alternative in _alternatives(tree):
        yield Shape("", (alternative,))
        yield Shape("", (f"{alternative} ",))


def _repeats(before: str, nodes: Sequence[Any], after: str) -> Iterator[tuple[str, str, str]]:
    """Each repeat in a sequence: what leads to it, what it repeats, and what should come after it."""
    for at, node in enumerate(nodes):
        lead = before + _first(nodes[:at])
        rest = _first(nodes[at + 1 :]) + after
        op, argument = node
        if op in _REPEATS:
            _, high, body = argument
            if high > 1:
                for unit in dict.fromkeys(islice(_samples([body]), 4)):
                    if unit:
                        yield lead, unit, rest
            yield from _repeats(lead, list(body), rest)
        else:
            for inner in _inner(op, argument):
                yield from _repeats(lead, list(inner), rest)


def _alternatives(nodes: Iterable[Any]) -> Iterator[str]:
    for op, argument in nodes:
        if op is sre.BRANCH:
            yield from (text for branch in argument[1] if (text := _first(list(branch))))
        for inner in _inner(op, argument):
            yield from _alternatives(inner)


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def _inner(op: Any, argument: Any) -> list[Any]:
    """The sequences inside a node."""
    if op in _REPEATS:
        return [argument[2]]
    if op is sre.BRANCH:
        return list(argument[1])
    if op is sre.SUBPATTERN:
        return [argument[3]]
    if op is sre.ATOMIC_GROUP:
        return [argument]
    return [argument[1]] if op in (sre.ASSERT, sre.ASSERT_NOT) else []


def _first(nodes: Sequence[Any]) -> str:
    """A text that the nodes take, one after the other."""
    return "".join(next(_of_node(*node), "") for node in nodes)


def _samples(sequences: Iterable[Any]) -> Iterator[str]:
    """Texts that a sequence takes: the first of each node, then with one node changed at a time."""
    for nodes in map(list, sequences):
        yield _first(nodes)
        for at, node in enumerate(nodes):
            for other in islice(_of_node(*node), 1, 4):
                yield _first(nodes[:at]) + other + _first(nodes[at + 1 :])


def _of_node(op: Any, argument: Any) -> Iterator[str]:
    """Texts that one node takes, the likeliest first; look-around and anchors take none."""
    if op is sre.LITERAL:
        yield chr(argument)
    elif op is sre.ANY:
        yield from "a1 "
    elif op in (sre.NOT_LITERAL, sre.IN):
        given = [(sre.NEGATE, None), (sre.LITERAL, argument)] if op is sre.NOT_LITERAL else argument
        yield from _members(tuple(given))
    elif op is sre.BRANCH:
        yield from (_first(list(branch)) for branch in argument[1])
    elif op in _REPEATS:
        low, _, body = argument
        yield from (text * max(1, low) for text in _samples([body]))
    elif op in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
        yield from _samples(_inner(op, argument))


@cache
def _members(items: tuple[tuple[Any, Any], ...]) -> tuple[str, ...]:
    """Characters of a set: of the pool first, then what it lists itself."""
    listed = [chr(value) for op, value in items if op is sre.LITERAL]
    listed += [chr(value[0]) for op, value in items if op is sre.RANGE]
    return tuple(dict.fromkeys(one for one in (*POOL, *listed) if _takes(items, one)))


def _takes(items: Sequence[tuple[Any, Any]], character: str) -> bool:
    negated = items[0][0] is sre.NEGATE
    return negated != any(_is_member(op, value, character) for op, value in items[negated:])


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _is_member(op: Any, value: Any, character: str) -> bool:
    if op is sre.LITERAL:
        return ord(character) == value
    if op is sre.RANGE:
        low, high = value
        return bool(low <= ord(character) <= high)
    return re.match(_CATEGORIES[value], character) is not None
