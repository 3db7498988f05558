"""No regular expression, and no function that takes a text, does more work than grows with the text's length."""

from __future__ import annotations

import re

import pytest

from tests.patterns.compiled import Call, Compiled, calls, compiled, imported_otherwise
from tests.patterns.shapes import Shape, general, of_pattern
from tests.patterns.takers import EXCLUDED, METHODS, takers, taking
from tests.patterns.work import Run, superlinear, usual_length

PATTERN_CHARS = 1_024
SHAPES_MIN = 200
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
@pytest.mark.parametrize("part", range(PARTS))
def test_patterns_are_linear(patterns: list[Compiled], part: int) -> None:
    slow = []
    for each in patterns[part::PARTS]:
        slow += [f"{each.file}:{each.line}: {told}" for told in _superlinear(re.compile(each.pattern, each.flags))]
    assert not slow, "\n".join(slow)


def _superlinear(pattern: re.Pattern[str], found_max: int = 3) -> list[str]:
    def scan(text: str) -> None:
        for _ in pattern.finditer(text):
            pass

    def scan_whole(text: str) -> None:
        scan(text)
        pattern.fullmatch(text)

    own, known = of_pattern(pattern.pattern, pattern.flags), general()
    assert len({*own, *known}) >= SHAPES_MIN
    return superlinear(scan_whole, own, PATTERN_CHARS, found_max) or superlinear(scan, known, PATTERN_CHARS, found_max)


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


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*\[[^\]]*\]\s*$",
        r"(?:\b(?:on|in|of)\s+)*\x00",
        r"(?:[\w.~-]*/)*[\w-][\w.-]*\.[a-z]",
        r"\w+@\w",
        r"(?:a|a)*b",
        r"(?:\w+\s?)+:",
        r"<!--.*?-->",
        r"x[^;]*y",
    ],
)
def test_a_pattern_that_is_not_linear_is_told(pattern: str) -> None:
    assert _superlinear(re.compile(pattern), found_max=1)


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


def _copies(text: str) -> None:
    for end in range(0, len(text), 4):
        text[:end].count("x")


def _half_quadratic(text: str) -> None:
    """As much linear as quadratic for 1,500 characters."""
    for _ in range(len(text) * 4 + len(text) ** 2 // 375):
        pass


@pytest.mark.parametrize(
    ("run", "shape"),
    [
        (_copies, Shape("", ("a",))),
        (lambda text: [text.count("[", at) for at in range(0, len(text), 8)], Shape("", ("[",))),
        (_half_quadratic, Shape("", ("a",))),
        (lambda text: [word in text.split()[: len(text) // 9] for word in text.split()], Shape("", ("Aa ",), "x")),
    ],
)
def test_a_function_that_is_not_linear_is_told(run: Run, shape: Shape) -> None:
    """A processor whose speed changes between two tries may hide it once."""
    assert any(superlinear(run, [shape], usual_length(run)) for _ in range(3))
