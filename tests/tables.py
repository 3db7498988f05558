"""Tables of cases in one test: every row is tried, and all failures are reported together, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Row = Callable[..., AbstractContextManager[None]]


@contextmanager
def table() -> Iterator[Row]:
    """Open a table; a block under ``row(name, …)`` is one row of it. Raises ExceptionGroup of the rows that failed."""
    failures: list[Exception] = []

    @contextmanager
    def row(*name: object) -> Iterator[None]:
        try:
            yield
        except Exception as failure:  # noqa: BLE001
            failure.add_note(f"in row {', '.join(f'{part!r:.200}' for part in name)}")
            failures.append(failure)

    yield row
    if failures:
        raise ExceptionGroup("rows that failed", failures)
