"""Sessions and their messages."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.store.memories import Embedded

SEQ_END = 2**31 - 1


async def lock(connection: Connection, workspace: UUID, session_id: UUID) -> Row:
    """The session's row under its lock, in which sequence numbers are given out."""
    row = await connection.row("lock_session", workspace=workspace, id=session_id)
    assert row is not None
    return row


async def append(
    connection: Connection,
    workspace: UUID,
    session_id: UUID,
    items: list[dict[str, Any]],
    *,
    first_seq: int,
    fresh_window: bool,
    user: str | None,
    now: datetime,
) -> list[dict[str, Any]]:
    """Append messages under the session's lock; the messages as stored, in order."""
    rows = await connection.fetch(
        "append_messages",
        workspace=workspace,
        session_id=session_id,
        items=items,
        first_seq=first_seq,
        fresh_window=fresh_window,
        user=user,
        now=now,
    )
    return [message(row) for row in rows]


async def make_searchable(
    connection: Connection, workspace: UUID, words: list[dict[str, Any]], embedded: Embedded
) -> None:
    """Index the words of stored messages (``ordinal`` from 1 in ``embedded``'s order)."""
    if words:
        await connection.run(
            "index_messages", workspace=workspace, items=words, embeddings=embedded.halfvecs(), model=embedded.model
        )


async def find(connection: Connection, workspace: UUID, agent: str, session: str) -> Row | None:
    """The agent's session of that name."""
    return await connection.row("find_session", workspace=workspace, agent=agent, session=session)


async def messages(
    connection: Connection,
    workspace: UUID,
    session_id: UUID,
    *,
    after: int = 0,
    before: int = SEQ_END,
    descending: bool = False,
    limit: int,
) -> list[dict[str, Any]]:
    """Messages with ``after < seq < before``, in order."""
    rows = await connection.fetch(
        "session_messages",
        workspace=workspace,
        session_id=session_id,
        after=after,
        before=before,
        descending=descending,
        limit=limit,
    )
    return [message(row) for row in rows]


def message(row: Row) -> dict[str, Any]:
    """A message as the API shows it: content is the JSON it was given as, where it was."""
    fields = dict(row)
    structured = fields.pop("content_json")
    if structured is not None:
        fields["content"] = structured
    return fields
