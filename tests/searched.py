"""The statements that searches send: made of the parts that each needs, they have no text of their own to look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from service.db.pool import Connection
from service.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class Searched:
    """One of them: the query's name, the literals that make the statement, and the values of its parameters."""

    name: str
    literals: dict[str, Any]
    values: dict[str, Any]

    @property
    def statement(self) -> Query:
        return query(self.name).with_literals(**self.literals)


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Searched]:
    """What is sent from now on, as it comes."""
    sent: list[Searched] = []
    fetch_with = Connection.fetch_with

    async def noting(self: Connection, name: str, literals: dict[str, Any], /, **values: Any) -> list[Any]:
        if not query(name).writes:
            sent.append(Searched(name, dict(literals), values))
        return list(await fetch_with(self, name, literals, **values))

    monkeypatch.setattr(Connection, "fetch_with", noting)
    return sent
