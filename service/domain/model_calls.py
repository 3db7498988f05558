"""A call of a language model as a workspace keeps it: what was asked and answered, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["answered", "invalid", "timeout", "unavailable", "refused", "cancelled"]
TEXT_CHARACTERS_MAX: Final = 32_000
"""Of an input or output that is kept; what is left out of a longer one is its middle."""
ERROR_CHARACTERS_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class Exchange:
    """One attempt at a model. ``error`` says why it did not end as ``answered``. ``attempt`` counts from 1 within a
    request. ``failover``: at an alternative of the model that is called first."""

    input: str
    output: str
    outcome: Outcome
    error: str | None = None
    attempt: int = 1
    failover: bool = False


def shortened(text: str) -> str:
    """Return the beginning and the end of a long text, with a mark in between of how much is left out."""
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    half = TEXT_CHARACTERS_MAX // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters left out]\n{text[-half:]}"
