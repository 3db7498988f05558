"""LoCoMo's questions whose published answer is wrong, as an audit of its answer key lists them.

Numbers of questions within ``qa`` of each chat, counted from 0, that https://github.com/dial481/locomo-audit
(CC BY-NC 4.0, commit 9493fb4) marks as hallucinated, wrong in time, misattributed, ambiguous or incomplete. Those whose
answer is right and whose evidence alone is wrong are not among them.
"""

from __future__ import annotations

from typing import Final

WRONG_KEYS: Final[dict[str, tuple[int, ...]]] = {
    "conv-26": (2, 5, 23, 26, 32, 43, 56, 66, 77, 94, 135, 137, 138, 144, 149),
    "conv-30": (31, 47, 57, 63),
    "conv-41": (48, 63, 68, 69, 129),
    "conv-42": (4, 5, 24, 34, 43, 52, 58, 61, 66, 68, 73, 81, 91, 119),
    "conv-43": (6, 9, 16, 56, 60, 74, 86, 128, 135, 136, 164, 165, 166),
    "conv-44": (2, 4, 5, 18, 37, 41, 57),
    "conv-47": (2, 11, 17, 31, 37, 61, 65, 88),
    "conv-48": (0, 75, 87, 116, 123, 174, 179),
    "conv-49": (4, 18, 24, 33, 36, 37, 43, 54, 74, 80, 102, 103, 106, 144),
    "conv-50": (1, 19, 29, 50, 60, 62, 63, 72, 88, 137, 147, 151),
}


def wrong_keys() -> frozenset[str]:
    """Return the ids of these questions."""
    return frozenset(f"{chat}/{number}" for chat, numbers in WRONG_KEYS.items() for number in numbers)
