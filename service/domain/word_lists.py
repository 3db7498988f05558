"""Tables of words, written as blocks of text."""

from __future__ import annotations


def listed(block: str) -> tuple[str, ...]:
    """Return the words of a block of text, in order."""
    return tuple(block.split())


def word_set(block: str) -> frozenset[str]:
    """Return the words of a block of text."""
    return frozenset(block.split())


def pairs(block: str) -> dict[str, str]:
    """Return what the words of a block stand for, as in ``wk=week gonna=going~to``; ``~`` is a blank."""
    return dict(pair.replace("~", " ").split("=") for pair in block.split())


def places(block: str, first: int = 1) -> dict[str, int]:
    """Return the place of each word of a block, counted from ``first``; words joined by ``/`` share one; ``~`` is a
    blank."""
    groups = enumerate(block.split(), first)
    return {word.replace("~", " "): place for place, group in groups for word in group.split("/")}
