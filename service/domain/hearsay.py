"""How hearsay is shown: what is remembered of a user by the word of somebody else."""

from __future__ import annotations

from collections.abc import Sequence


def attribution(by: str | None, user: str | None) -> str:
    """Name whose word a memory of ``user`` rests on: ``according to mallory``; empty unless it is hearsay.

    Where the name is the user's own, somebody spoke under it in a session that is not the user's.
    """
    if not by:
        return ""
    return "according to somebody under that name" if by == user else f"according to {by}"


def attributed(text: str, by: str | None, user: str | None) -> str:
    """Return ``text``, which tells what a memory of ``user`` says, with whose word it is where it is hearsay."""
    whose = attribution(by, user)
    return f"{text} ({whose})" if whose else text


def attributed_to_all(text: str, said: Sequence[tuple[str | None, str | None]]) -> str:
    """Return a model's sentence with whose word it is, where it does not say so itself of the hearsay it rests on.

    ``said``: the speaker of hearsay, if it is any, and the user of each memory that it rests on.
    """
    whose = dict.fromkeys(attribution(by, user) for by, user in said if by and by not in text)
    return f"{text.rstrip('.')} ({', '.join(whose)})" if whose else text
