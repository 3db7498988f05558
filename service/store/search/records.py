"""What is returned of what was found: memories, messages and parts of documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from service.db.pool import Connection, Row
from service.store import memories
from service.store.search.plan import KINDS
from service.store.sessions import message

Kind = Literal["memory", "message", "document"]
PREFIXES = ("message_", "chunk_", "found_")
"""Of columns that are none of a memory."""


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """What is to be told of a result, and how many tokens its text has."""

    kind: Kind
    fields: dict[str, Any]
    tokens: int


async def records(
    connection: Connection, workspace: UUID, ids: Sequence[UUID], *, kinds: Collection[int], whole: bool
) -> dict[UUID, FoundRecord]:
    """Those of these ids that are still there; ``kinds`` they may be of. Not ``whole``, memories come with no more than
    a context tells of them."""
    if not ids:
        return {}
    flags = {
        "whole": whole,
        "with_messages": KINDS["messages"] in kinds,
        "with_documents": KINDS["documents"] in kinds,
    }
    rows = await connection.fetch("records", flags, workspace=workspace, ids=list(ids))
    if not rows:
        return {}
    columns = list(rows[0].keys())
    of_memory = [
        (name, name) for name in columns if not name.startswith(PREFIXES) and name not in memories.INTERNAL_COLUMNS
    ]
    of_message, of_chunk = (
        [(name, name.removeprefix(prefix)) for name in columns if name.startswith(prefix)]
        for prefix in ("message_", "chunk_")
    )
    found: dict[UUID, FoundRecord] = {}
    for row in rows:
        if row["id"] is not None:
            found[row["found_id"]] = FoundRecord("memory", _fields(row, of_memory), row["tokens"])
        elif of_message and row["message_id"] is not None:
            fields = message(_fields(row, of_message))
            found[row["found_id"]] = FoundRecord("message", fields, row["message_tokens"])
        elif of_chunk and row["chunk_id"] is not None:
            found[row["found_id"]] = FoundRecord("document", _fields(row, of_chunk), row["chunk_tokens"])
    return found


def _fields(row: Row, names: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The values of these columns, each by the name it has in the record."""
    return {own: row[column] for column, own in names}
