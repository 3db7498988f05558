"""One call of the API: what is sent, and what its answer is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from reverie_client.models import Id, Item, Page

__all__ = ["Call", "Id", "Parameters", "drop_none", "part", "plain"]

T = TypeVar("T")
Parameters = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request. ``agent_in`` and ``user_in`` say where the client's own agent and user are named when the call names
    none.

    ``only_reads``: a POST that writes nothing, and needs no key to be sent again.
    """

    method: str
    path: str
    answer: Any
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    agent_in: Literal["query", "body", "nowhere"] = "nowhere"
    user_in: Literal["query", "body"] = "query"
    only_reads: bool = False

    def parse(self, content: bytes) -> T:
        """Return the answer of a body; None for an answer without one."""
        if self.answer is None:
            return None  # type: ignore[return-value]
        found: T = TypeAdapter(self.answer).validate_json(content)
        return found

    def parameters(self, agent: str | None, user: str | None) -> Parameters:
        """Return the query; lists are repeated."""
        named = {**self._own("query", agent, user), **drop_none(self.query)}
        return [
            (name, plain(one))
            for name, value in named.items()
            for one in (value if isinstance(value, list | tuple) else [value])
        ]

    def after(self, cursor: str) -> Call[T]:
        """Return the same call for the page that ``cursor`` opens."""
        return replace(self, query={**self.query, "cursor": cursor})

    def following(self: Call[Page[Item]], page: Page[Item]) -> Call[Page[Item]] | None:
        """Return the call for what comes after a page; None after the last one."""
        return self.after(page.next_cursor) if page.next_cursor is not None else None

    def content(self, agent: str | None, user: str | None) -> bytes | None:
        """Return the body as JSON."""
        if self.body is None:
            return None
        own = self._own("body", agent, user)
        body = {**self.body, **{name: own[name] for name in own if self.body.get(name) is None}} if own else self.body
        return json.dumps(body, default=jsonable, ensure_ascii=False).encode()

    def _own(self, place: str, agent: str | None, user: str | None) -> dict[str, str]:
        """Return the client's own agent and user, as far as this place names them."""
        named = {"agent": (self.agent_in, agent), "user": (self.user_in, user)}
        return {name: value for name, (there, value) in named.items() if there == place and value}


def jsonable(value: Any) -> Any:
    """Return what JSON can write of a value that it has no form for."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Sequence) else plain(value)


def plain(value: Any) -> str:
    """Return a value as the API reads it in a query."""
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def drop_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def part(name: Id | int) -> str:
    """Return a name as one part of a path."""
    return quote(str(name), safe="")
