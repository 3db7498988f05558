"""The search statements: filters in, ranked rows out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from service.db.pool import Connection, Row
from service.domain.search import Ranking
from service.domain.timex import Window
from service.store.agents import Reader

MEMORY = 0
"""The kind of a memory's row in ``search_index``."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions a memory must meet to be a candidate; None does not restrict."""

    as_of: datetime
    types: list[str] | None = None
    scopes: list[str] | None = None
    tags_any: list[str] | None = None
    tags_all: list[str] | None = None
    user: str | None = None
    session_id: UUID | None = None
    task_id: UUID | None = None
    metadata: dict[str, Any] | None = None
    min_importance: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_faded: bool = False

    def parameters(self) -> dict[str, Any]:
        """As the search queries name them."""
        return {name: getattr(self, name) for name in self.__slots__}


async def hybrid(
    connection: Connection,
    workspace: UUID,
    reader: Reader,
    filters: Filters,
    ranking: Ranking,
    *,
    text: str,
    language: str,
    windows: Sequence[Window],
    model: int | None,
    embedding: np.ndarray[Any, Any] | None,
    limit: int,
) -> list[Row]:
    """The best ``limit`` memories by fused score; an empty ``text`` or no ``embedding`` leaves that list empty.

    ``windows`` are the times the query names.
    """
    return await connection.fetch(
        "hybrid_search",
        workspace=workspace,
        audiences=reader.audiences,
        kinds=[MEMORY],
        text=text,
        window_starts=[window.since for window in windows],
        window_ends=[window.until for window in windows],
        language=language,
        model=model,
        embedding=None if embedding is None else HalfVector(embedding),
        limit=limit,
        **filters.parameters(),
        **ranking.parameters(),
    )


async def recent(connection: Connection, workspace: UUID, reader: Reader, filters: Filters, limit: int) -> list[Row]:
    """The newest memories."""
    return await connection.fetch(
        "recent_search", workspace=workspace, audiences=reader.audiences, limit=limit, **filters.parameters()
    )
