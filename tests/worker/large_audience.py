"""Many notes of one agent, and limits so low that they are a large audience."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store.hnsw import HnswLimits
from service.store.search.plan import SearchLimits

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


LOW_LIMITS = SearchLimits(exact_rows=100, exact_rows_filtered=100)
"""A hundred and one rows are no longer scanned exactly."""


LOW_HNSW_LIMITS = HnswLimits(counted_from=20, large_from=50, cost_rows=40)
"""A hundred and one rows are worth an index."""


@asynccontextmanager
async def opened(
    settings: Settings, limits: SearchLimits = LOW_LIMITS, hnsw_limits: HnswLimits = LOW_HNSW_LIMITS
) -> AsyncIterator[Runtime]:
    """A runtime with the static embedder whose searches and whose index have these limits."""
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as runtime:
        runtime.search_limits, runtime.hnsw_limits = limits, hnsw_limits
        yield runtime
