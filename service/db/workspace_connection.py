"""Connections dedicated to one kind of statement, so that each statement is its own transaction
(docs/decisions/0098-searches-without-transactions.md, docs/decisions/0099-saves-in-one-round-trip.md)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg


class WorkspaceConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that is set up once and knows whose rows it shows."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._workspace: UUID | None = None

    async def set_workspace(self, workspace: UUID) -> None:
        """Show the rows of this workspace alone, from now on (row-level security)."""
        if self._workspace != workspace:
            self._workspace = None
            await self.execute(f"SET reverie.workspace = '{workspace}'")
            self._workspace = workspace
