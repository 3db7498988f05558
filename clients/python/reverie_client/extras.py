"""Imports of what only an extra installs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """For the imports of an extra. Raises ImportError, which names it, where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"{error.name} is not installed: install the extra {name} of reverie-client") from error
