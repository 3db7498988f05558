"""The statements that are sent: made of the parts that each needs, they have no text of their own to look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.db.pool import Connection, Database
from service.db.queries import NO_FLAGS, Flags, Query, query

CANDIDATES = ("exact_candidates", "large_candidates", "recent_candidates")
"""What a search sends to find candidates."""


@dataclass(frozen=True, slots=True)
class CapturedQuery:
    """One of them: the query's name, its flags, and the values of its parameters."""

    name: str
    flags: dict[str, Any]
    values: dict[str, Any]

    @property
    def statement(self) -> Query:
        return query(self.name, self.flags)


def queries_sent_by(db: Database, names: tuple[str, ...] = CANDIDATES) -> list[CapturedQuery]:
    """The queries of these names that are sent from now on, as they come."""
    sent: list[CapturedQuery] = []

    def note(name: str, flags: Flags, values: dict[str, Any]) -> None:
        if name in names:
            sent.append(CapturedQuery(name, dict(flags), values))

    class Noting(Connection):
        async def fetch(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> list[Any]:
            note(name, flags, values)
            return await super().fetch(name, flags, **values)

        async def row(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> Any:
            note(name, flags, values)
            return await super().row(name, flags, **values)

    db.connections = Noting
    return sent
