"""Read-your-writes on a replica: WAL positions (LSN) of writes, which a replica must have replayed to serve a search.

A position is a number of bytes. Those of this process's writes are known; whoever wrote through another process
says the position it was told.
"""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID

PRIMARY_ONLY = 2**63
"""A position that no replica reaches."""

_asked: ContextVar[int] = ContextVar("reverie_position", default=0)


def require_lsn(position: int) -> None:
    """Whatever this task searches from now on holds everything written up to there."""
    _asked.set(position)


class LsnTracker:
    """The ``last`` write of this process, and the last of each workspace that may not have reached the replica."""

    def __init__(self) -> None:
        self.last = 0
        self._of: dict[UUID, int] = {}

    def note(self, workspace: UUID, position: int) -> None:
        """Record that a write of the workspace was committed before this position."""
        self.last = max(self.last, position)
        self._of[workspace] = max(self._of.get(workspace, 0), position)

    def required_lsn(self, workspace: UUID) -> int:
        """Up to where a search of the workspace has to see."""
        return max(self._of.get(workspace, 0), _asked.get())

    def advance(self, position: int) -> None:
        """Record that the replica has replayed to this position."""
        self._of = {workspace: needed for workspace, needed in self._of.items() if needed > position}
