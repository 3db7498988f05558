"""Reads of what belongs to others, for the audit log: counted in memory and written each second.

One line per reader, kind of read and agent read, so that reading stays cheap; a crash can lose the last second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.pool import Database
from service.domain.principal import Principal
from service.errors import Unavailable
from service.store import audit, workspaces


class ReadCounter(WriteBehindBuffer):
    """Counts reads of what belongs to others: an admin's or a reader's, and an agent's of memories shared with it."""

    def __init__(self, db: Database) -> None:
        super().__init__()
        self._db = db
        self._counts: Counter[tuple[UUID, audit.Line]] = Counter()

    def note(self, principal: Principal, what: str, agents: Iterable[str | None]) -> None:
        """The caller has read ``what`` of these agents (None: of the whole workspace)."""
        for agent in set(agents):
            if principal.agent is None or agent != principal.agent:
                line = audit.Line(principal.actor, principal.key_id, f"read.{what}", agent, None)
                self._counts[(principal.workspace_id, line)] += 1

    async def write(self) -> None:
        """Write the counts, but those of a deleted workspace. What cannot be written is kept for the next time."""
        counts, self._counts = self._counts, Counter()
        by_workspace: dict[UUID, list[tuple[audit.Line, int]]] = {}
        for (workspace, line), count in counts.items():
            by_workspace.setdefault(workspace, []).append((line, count))
        for workspace, lines in by_workspace.items():
            try:
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    if not await workspaces.hold(connection, workspace):
                        continue
                    for line, count in lines:
                        await audit.add(connection, workspace, line, {"count": count})
            except Unavailable:
                self._counts.update({(workspace, line): count for line, count in lines})
