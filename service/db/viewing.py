"""For whom the transactions of a task read, as long as nobody says otherwise.

A request sets it once its caller is known, so that no transaction of the request can forget it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from service.domain.owners import Viewer

_viewer: ContextVar[Viewer] = ContextVar("viewer", default="everybody")


def current_viewer() -> Viewer:
    """Return for whom this task reads: everybody, where nothing is said (workers, commands)."""
    return _viewer.get()


def set_viewer(viewer: Viewer) -> None:
    """Let this task, and those that it starts, read for this viewer from here on."""
    _viewer.set(viewer)


@contextmanager
def viewing_as(viewer: Viewer) -> Iterator[None]:
    """Let this task read for this viewer within the block."""
    token = _viewer.set(viewer)
    try:
        yield
    finally:
        _viewer.reset(token)
