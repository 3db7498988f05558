"""Requests of keys, counted in memory and written in batches off the request path."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.pool import Database
from service.domain.principal import Principal
from service.errors import Unavailable
from service.store import keys


class KeyUsage(WriteBehindBuffer):
    """Counts the requests of each key, by minute: that is how precisely its last use is known."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._db = db
        self._now = now
        self._used: dict[UUID, dict[UUID, tuple[int, datetime]]] = {}

    def count(self, principal: Principal) -> None:
        """Note one request of a key."""
        minute = self._now().replace(second=0, microsecond=0)
        self._add(principal.workspace_id, principal.key_id, 1, minute)

    async def write(self) -> None:
        """Write what has been counted. What cannot be written is kept for the next time."""
        used, self._used = self._used, {}
        for workspace, by_key in used.items():
            try:
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    await keys.add_usage(connection, workspace, by_key)
            except Unavailable:
                for key_id, (requests, at) in by_key.items():
                    self._add(workspace, key_id, requests, at)

    def _add(self, workspace: UUID, key_id: UUID, requests: int, at: datetime) -> None:
        by_key = self._used.setdefault(workspace, {})
        before, last = by_key.get(key_id, (0, at))
        by_key[key_id] = (before + requests, max(last, at))
