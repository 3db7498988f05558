"""Small searches that come together, as one statement (docs/decisions/0103-searches-that-come-together.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.db.pool import Connection, Row
from service.embedding.storage import vector_bytes
from service.store.search import Prepared, seen

SCANNED_MAX = 4_000_000
"""Bytes. Rows of the same audiences are read once for all questions where they are no more: Postgres, as it comes,
writes what is longer to its disk (``work_mem``)."""

SCANNED_BESIDE = 80
"""What a row has beside its vector there: its id, times and saturation, and the head of the tuple."""

_OF_QUESTION = {"text": "texts", "embedding": "embeddings", "as_of": "moments"}
_OF_READER = {
    "audiences": "audience_lists",
    "counted_rows": "counts",
    "uncounted": "uncounted_lists",
    "languages": "language_lists",
    "look": "looks",
    "agent": "agents",
    "session": "sessions",
    "task": "tasks",
    "key_id": "key_ids",
    "key_hash": "key_hashes",
    "key_settings": "keys_settings",
}
_OWN = _OF_QUESTION.keys() | _OF_READER.keys()
"""What each search of one statement may have of its own, and what that calls the lists of it."""


def group(search: Prepared) -> tuple[Any, ...]:
    """Equal for those that may go together: the statement, the parts it needs, and the values they share."""
    shared = {name: value for name, value in search.values.items() if name not in _OWN}
    return search.question.statement("hybrid_search_together"), search.needs, shared


async def hybrid_together(connection: Connection, searches: Sequence[Prepared]) -> list[list[Row] | None]:
    """What each of these searches of one group, that go along with others, finds by itself: as ``hybrid_trusting``."""
    statement, needs, shared = group(searches[0])
    watched = [_watched(search) for search in searches]
    readers = {one: search.values for one, search in zip(watched, searches, strict=True)}
    numbers = {one: number for number, one in enumerate(readers, 1)}
    lists = {
        plural: [_spelled_out(values[name]) for values in readers.values()]
        for name, plural in _OF_READER.items()
        if name in searches[0].values
    }
    lists |= {plural: [search.values[name] for search in searches] for name, plural in _OF_QUESTION.items()}
    lists["readers"] = [numbers[one] for one in watched]
    one_audience = len(set(lists["audience_lists"])) == 1
    if len(searches) > 1 and one_audience and 0 < _scanned_bytes(searches[0]) <= SCANNED_MAX:
        needs = needs | {"scanned": True}
    found: list[list[Row]] = [[] for _ in searches]
    for row in await connection.fetch_with(statement, needs, **shared, **lists):
        found[row["question"] - 1].append(row)
    return [seen(rows) for rows in found]


def _scanned_bytes(search: Prepared) -> int:
    """What the rows take that a search compares its vector with, as far as they are counted."""
    question, rows = search.question, search.values["counted_rows"]
    if question.embedding is None or question.space is None:
        return 0
    bytes_: int = rows * (vector_bytes(question.space.storage, len(question.embedding)) + SCANNED_BESIDE)
    return bytes_


def _watched(search: Prepared) -> tuple[Any, ...]:
    """Equal for those whose reader and key have to be looked at again only once."""
    names = ("look", "agent", "session", "task", "key_id", "key_hash")
    return *map(search.values.get, names), id(search.values.get("key_settings"))


def _spelled_out(value: Any) -> Any:
    """A list as Postgres reads it from a text."""
    return f"{{{','.join(map(str, value))}}}" if isinstance(value, list) else value
