"""How the work of a function grows with its text, by the processor time of its thread.

Neither the speed of the machine nor what else runs on it decides: two lengths of one shape are compared with each
other, each by the least of several tries, and only where the work is more than a clock's noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import thread_time

from tests.patterns.shapes import Shape

FACTOR = 4
GROWTH_MAX = 10.0
"""For a text four times as long: linear work takes 4 times as long, quadratic 16."""
SCREENED_MAX = 18.0
"""For one eight times as long: linear work takes 8 times as long, quadratic 64. Work that is as much linear as
quadratic at a length is at this limit, or beyond it, between a quarter of the length and its double."""
FLOOR_S = 0.000_012
LENGTH_MAX = 1_048_576
SLOW_S = 0.4
USUAL_S = 0.000_4
USUAL_MIN, USUAL_MAX = 2_048, 8_192
EXPLOSION_CHARS = 20
EXPLOSION_S = 0.005
EXPLOSION_MAX = 6.0
"""For ``FACTOR`` characters more: work that doubles with each takes 16 times as long, cubic work 1.7 times."""
TRIES = 5
"""Of both lengths in turn, before a failure is reported."""

Run = Callable[[str], object]


def seconds(run: Run, text: str, tries: int = 1) -> float:
    """Processor time of one run: the least of ``tries``; of what is too long for noise to matter, the first."""
    least = float("inf")
    for _ in range(tries):
        began = thread_time()
        run(text)
        least = min(least, thread_time() - began)
        if least > SLOW_S:
            break
    return least


def usual_length(run: Run) -> int:
    """How long a text of words takes it some 0.4 ms: long enough to be measured, short enough for many."""
    length = USUAL_MIN
    words = Shape("", ("Ann told me. ",))
    while length < USUAL_MAX and seconds(run, words.text(length), 2) < USUAL_S:
        length *= 2
    return length


def growth(run: Run, shape: Shape, length: int) -> float | None:
    """How many times the work grows with a shape four times as long as ``length``; None where it is linear.

    A quarter of ``length`` and its double decide for most. What grows faster between them is measured at longer
    lengths: repeats that are bounded reach their bound there.
    """
    brief = shape.text(EXPLOSION_CHARS)
    if seconds(run, brief) > EXPLOSION_S:
        grown = _ratio(run, brief, shape.text(EXPLOSION_CHARS + FACTOR), EXPLOSION_MAX)
        if grown > EXPLOSION_MAX:
            return float("inf")
    text = shape.text(length // 4)
    short = seconds(run, text)
    if short >= FLOOR_S:
        short = min(short, seconds(run, text))
    if short < FLOOR_S or seconds(run, shape.text(length * 2)) <= SCREENED_MAX * short:
        return None
    while True:
        grown = _ratio(run, shape.text(length), shape.text(length * FACTOR))
        if grown <= GROWTH_MAX:
            return None
        if seconds(run, shape.text(length * FACTOR)) > SLOW_S or length * FACTOR * FACTOR > LENGTH_MAX:
            return grown
        length *= 2


def _ratio(run: Run, short: str, long: str, usual: float = GROWTH_MAX) -> float:
    """How many times the work of ``short`` ``long`` takes, each by the least of tries that alternate: a processor whose
    speed changes meanwhile changes both. The first that is no more than ``usual`` is the answer."""
    shorter, longer = float("inf"), float("inf")
    for _ in range(TRIES):
        shorter = min(shorter, seconds(run, short, 3))
        longer = min(longer, seconds(run, long))
        if longer <= usual * shorter:
            break
    return longer / max(shorter, FLOOR_S * FACTOR)


def superlinear(run: Run, shapes: Iterable[Shape], length: int, found_max: int = 3) -> list[str]:
    """Shapes for which the work grows faster than the text, as they are told in a failure."""
    found: list[str] = []
    for shape in shapes:
        grown = growth(run, shape, length)
        if grown is not None:
            found.append(f"{grown:.0f} times the work for {FACTOR} times {shape}")
            if len(found) == found_max:
                break
    return found
