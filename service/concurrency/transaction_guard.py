"""Never hold a connection across a network call: a rule that fails loudly instead of being hoped for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_in_transaction: ContextVar[bool] = ContextVar("reverie_in_transaction", default=False)


@contextmanager
def transaction_open() -> Iterator[None]:
    """Mark the current task as holding a database transaction."""
    token = _in_transaction.set(True)
    try:
        yield
    finally:
        _in_transaction.reset(token)


def assert_outside_transaction() -> None:
    """Raise RuntimeError when called while this task holds a transaction.

    Embedders, LLM and HTTP clients call it first, so that a slow peer can never pin a connection or a lock.
    """
    if _in_transaction.get():
        raise RuntimeError("an outside call was made while a database transaction is open")
