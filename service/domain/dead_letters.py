"""What is said of a text that workers died over."""

from __future__ import annotations


def reason(step: str, attempts: int) -> str:
    """Why a text was set aside."""
    return (
        f"A worker died over it {attempts} times in the step {step!r}: "
        "it was killed, crashed, ran out of memory, or did not finish in time."
    )
