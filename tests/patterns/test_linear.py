"""No regular expression, and no function that takes a text, does more work than grows with the text's length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from tests.patterns.compiled import Call, Compiled, calls, compiled, imported_otherwise
from tests.patterns.shapes import general, of_pattern
from tests.patterns.takers import EXCLUDED, METHODS, takers, taking
from tests.patterns.work import superlinear, usual_length

PATTERN_CHARS = 1_024
SHAPES_MIN = 200
NEAREST = 2
PARTS = 8
"""Tests that the functions, and the patterns, are divided among."""

together = pytest.mark.xdist_group("patterns")
"""Of tests of all patterns, for one process to find them once."""


@pytest.fixture(scope="module")
def patterns() -> list[Compiled]:
    """All, those written out in calls among them."""
    written = [Compiled(call.pattern, re.UNICODE, call.file, call.line) for call in calls() if call.pattern]
    return list({(each.pattern, each.flags): each for each in (*written, *compiled())}.values())


@together
def test_patterns_are_linear_by_their_near_misses(patterns: list[Compiled]) -> None:
    """The few texts that each pattern comes closest to matching."""
    slow = []
    for each in patterns:
        pattern = re.compile(each.pattern, each.flags)
        near = of_pattern(each.pattern, each.flags)[:NEAREST]
        slow += [f"{each.file}:{each.line}: {told}" for told in superlinear(pattern.search, near, PATTERN_CHARS)]
    assert not slow, "\n".join(slow)


@together
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_patterns_are_linear(patterns: list[Compiled], part: int) -> None:
    slow = []
    for each in patterns[part::PARTS]:
        slow += [f"{each.file}:{each.line}: {told}" for told in _superlinear(re.compile(each.pattern, each.flags))]
    assert not slow, "\n".join(slow)


def _superlinear(pattern: re.Pattern[str]) -> list[str]:
    def scan(text: str) -> None:
        for _ in pattern.finditer(text):
            pass

    def scan_whole(text: str) -> None:
        scan(text)
        pattern.fullmatch(text)

    own, known = of_pattern(pattern.pattern, pattern.flags), general()
    assert len({*own, *known}) >= SHAPES_MIN
    return superlinear(scan_whole, own, PATTERN_CHARS) or superlinear(scan, known, PATTERN_CHARS)


@together
def test_possessive_repeats_are_of_single_characters(patterns: list[Compiled]) -> None:
    """CPython before 3.11.5 keeps the first characters of a turn that fails, in a group repeated by ``*+`` (gh-106052).

    An atomic group, ``(?>(?:...)*)``, does the same there and is right.
    """
    wrong = [
        f"{each.file}:{each.line}"
        for each in patterns
        if not all(map(_is_of_one_character, _possessive(parser.parse(each.pattern, each.flags))))
    ]
    assert not wrong, wrong


def _is_of_one_character(body: parser.SubPattern) -> bool:
    if len(body) == 1 and body[0][0] is ops.BRANCH:
        return all(map(_is_of_one_character, body[0][1][1]))
    return len(body) == 1 and body[0][0] in (ops.IN, ops.LITERAL, ops.NOT_LITERAL, ops.ANY)


def _possessive(parsed: object) -> Iterator[parser.SubPattern]:
    """The bodies of all possessive repeats within a parsed pattern."""
    if isinstance(parsed, tuple) and parsed and parsed[0] is ops.POSSESSIVE_REPEAT:
        yield parsed[1][2]
    if isinstance(parsed, list | tuple | parser.SubPattern):
        for part in parsed:
            yield from _possessive(part)


@pytest.mark.parametrize(
    ("pattern", "bodies"), [(r"a*+", 1), (r"(?:ab|c)++d", 1), (r"(?>(?:ab)*)", 0), (r"(x(?=(?:yz)*+))", 1), (r"a*", 0)]
)
def test_possessive_repeats_are_found(pattern: str, bodies: int) -> None:
    assert len(list(_possessive(parser.parse(pattern)))) == bodies


@together
def test_every_pattern_is_found(patterns: list[Compiled]) -> None:
    known = {(each.file, each.line) for each in compiled()}
    unseen: list[Call] = [
        call
        for call in calls()
        if call.pattern is None and not any((call.file, line) in known for line in range(call.line, call.line + 3))
    ]
    assert not unseen, "patterns that are neither written out nor compiled at import"
    assert not imported_otherwise()
    assert len(patterns) > 250


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_functions_that_take_a_text_are_linear(part: int) -> None:
    shapes = general()
    assert len(shapes) >= SHAPES_MIN
    slow = []
    for name, run in takers()[part::PARTS]:
        slow += [f"{name}: {told}" for told in superlinear(run, shapes, usual_length(run))]
    assert not slow, "\n".join(slow)


def test_functions_are_left_out_for_a_reason() -> None:
    known = {name for name, _ in taking()}
    assert set(EXCLUDED) <= known, "left out although there is no such function"
    assert all(any(name.startswith(owner) for name in known) for owner in METHODS)
