"""Connections that only search, so that a search need not begin and end a transaction
(docs/decisions/0098-searches-without-transactions.md)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg


class Searcher(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is set up for searches once and knows whose rows it shows."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._workspace: UUID | None = None

    async def show(self, workspace: UUID) -> None:
        """Show the rows of this workspace alone, from now on (row-level security)."""
        if self._workspace != workspace:
            self._workspace = None
            await self.execute(f"SET reverie.workspace = '{workspace}'")
            self._workspace = workspace
