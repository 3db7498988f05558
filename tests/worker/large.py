"""Many notes of one agent, and bounds so low that they are a large audience."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.store import large, search

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
THINGS = ("cups of green tea", "a roof to repair", "the quarterly budget", "a train to Bergen", "two old maps")


def notes(count: int, start: int = 0, **fields: Any) -> list[MemoryDraft]:
    """Facts about five things in turn; every other is tagged ``odd``, and every fiftieth is of user ``u``."""
    return [
        MemoryDraft(
            agent="a",
            type="fact",
            content=f"Note {n} is about {THINGS[n % 5]} and shelf {n % 37}",
            tags=["odd"] if n % 2 else [],
            user="u" if n % 50 == 0 else None,
            **fields,
        )
        for n in range(start, start + count)
    ]


def lower_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred and one rows are no longer scanned exactly, and worth an index."""
    monkeypatch.setattr(large, "COUNTED_FROM", 20)
    monkeypatch.setattr(large, "LARGE_FROM", 50)
    monkeypatch.setattr(large, "WALK_ROWS", 40)
    monkeypatch.setattr(search, "EXACT_ROWS_MAX", 100)
    monkeypatch.setattr(search, "EXACT_BEHIND_FILTER_MAX", 100)
