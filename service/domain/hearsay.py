"""How hearsay is shown: what is remembered of a user by the word of somebody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def attribution(memory: Mapping[str, Any]) -> str:
    """Whose word a memory rests on, to be put behind its content: ``according to mallory``; empty unless hearsay.

    Where the name is the user's own, somebody spoke under it in a session that is not the user's.
    """
    by = memory.get("hearsay_by")
    if not by:
        return ""
    return "according to somebody under that name" if by == memory.get("user") else f"according to {by}"


def attributed(text: str, memory: Mapping[str, Any]) -> str:
    """``text``, which tells what a memory says, with whose word it is where it is hearsay."""
    whose = attribution(memory)
    return f"{text} ({whose})" if whose else text


def attributed_to_all(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A model's sentence with whose word it is, where it does not say so itself of the hearsay it rests on."""
    whose = dict.fromkeys(
        attribution(memory) for memory in rows if memory["hearsay_by"] and memory["hearsay_by"] not in text
    )
    return f"{text.rstrip('.')} ({', '.join(whose)})" if whose else text
