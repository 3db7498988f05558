"""The statements that searches send: made of the parts that each needs, they have no text of their own to look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from service.db.pool import Connection
from service.db.queries import NO_FLAGS, Flags, Query, query


@dataclass(frozen=True, slots=True)
class CapturedQuery:
    """One of them: the query's name, its flags, and the values of its parameters."""

    name: str
    flags: dict[str, Any]
    values: dict[str, Any]

    @property
    def statement(self) -> Query:
        return query(self.name, self.flags)


def capture_queries(monkeypatch: pytest.MonkeyPatch) -> list[CapturedQuery]:
    """What is sent to find candidates from now on, as it comes."""
    sent: list[CapturedQuery] = []
    fetch = Connection.fetch

    async def noting(self: Connection, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> list[Any]:
        if name.endswith("_candidates"):
            sent.append(CapturedQuery(name, dict(flags), values))
        return list(await fetch(self, name, flags, **values))

    monkeypatch.setattr(Connection, "fetch", noting)
    return sent
