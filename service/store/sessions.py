"""Sessions and their messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id
from service.store import memories
from service.store.vectors import EmbeddingBatch

SEQ_END = 2**63 - 1


async def lock(connection: Connection, workspace: UUID, session_id: UUID) -> Row:
    """The session's row under its lock, in which sequence numbers are given out."""
    return await connection.one("lock_session", workspace=workspace, id=session_id)


async def lock_named(connection: Connection, workspace: UUID, agent: str, session: str) -> Row | None:
    """The same for the agent's session of that name, which may not be there yet."""
    return await connection.row("lock_named_session", workspace=workspace, agent=agent, session=session)


async def begin_named(
    connection: Connection, workspace: UUID, agent: str, session: str, user: str | None
) -> Row | None:
    """The same for one made now; None where the agent is not there yet, or the session is by now."""
    return await connection.row(
        "begin_named_session", workspace=workspace, agent=agent, session=session, id=new_id(), user=user
    )


async def append(
    connection: Connection,
    workspace: UUID,
    moved: Row,
    items: list[dict[str, Any]],
    *,
    user: str | None,
    key_id: UUID,
    now: datetime,
) -> tuple[list[dict[str, Any]], int, int]:
    """Append messages under the session's lock; the messages as stored, in order, and how many messages and tokens
    are in the window with them.

    ``moved``: the locked row with its window as it is to be with them, ``last_seq`` still without.
    """
    rows = await connection.fetch(
        "append_messages",
        workspace=workspace,
        session_id=moved["id"],
        items=items,
        first_seq=moved["last_seq"] + 1,
        window_seq=moved["window_seq"],
        window_from_seq=moved["window_from_seq"],
        window_started_at=moved["window_started_at"],
        user=user,
        key_id=key_id,
        now=now,
    )
    stored = [message(row) for row in rows]
    sizes = [(each.pop("window_messages"), each.pop("window_tokens")) for each in stored]
    return stored, *(sizes[0] if sizes else (0, 0))


async def index_messages(
    connection: Connection, workspace: UUID, words: list[dict[str, Any]], embedded: EmbeddingBatch
) -> None:
    """Index the words of stored messages (``ordinal`` from 1 in ``embedded``'s order)."""
    if words:
        await connection.run(
            "index_messages",
            embedded.flags,
            workspace=workspace,
            items=words,
            embeddings=embedded.stored(),
            model=embedded.model,
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
    text: str | None = None,
    limit: int,
) -> list[dict[str, Any]]:
    """Messages with ``after < seq < before``, in order; with ``text`` those that have it."""
    rows = await connection.fetch(
        "session_messages",
        {"descending": descending},
        workspace=workspace,
        session_id=session_id,
        after=after,
        before=before,
        text=text,
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


async def by_id(connection: Connection, workspace: UUID, session_id: UUID) -> Row | None:
    """The session's row by its id."""
    return await connection.row("session_by_id", workspace=workspace, id=session_id)


async def window_messages(connection: Connection, workspace: UUID, session_id: UUID) -> list[dict[str, Any]]:
    """The messages in a session's window, oldest first, whether it has gone idle or not."""
    rows = await connection.fetch("window_messages", workspace=workspace, session_id=session_id)
    return [message(row) for row in rows]


async def full_windows(
    connection: Connection, workspace: UUID, agent_id: UUID, messages_max: int, tokens_max: int
) -> list[UUID]:
    """The agent's sessions whose windows are past these bounds."""
    rows = await connection.fetch(
        "full_windows", workspace=workspace, agent_id=agent_id, messages_max=messages_max, tokens_max=tokens_max
    )
    return [row["id"] for row in rows]


async def compact_window(
    connection: Connection, workspace: UUID, session_id: UUID, *, from_seq: int, to_seq: int, memory_id: UUID
) -> None:
    """Note that a memory stands for these messages, and move the window past them."""
    await connection.run(
        "add_window_summary",
        workspace=workspace,
        session_id=session_id,
        from_seq=from_seq,
        to_seq=to_seq,
        memory_id=memory_id,
    )
    await memories.post_again(connection, workspace, memory_id)
    await connection.run("move_window", workspace=workspace, id=session_id, seq=to_seq + 1)


async def window_summaries(connection: Connection, workspace: UUID, session_id: UUID) -> list[Row]:
    """The live summaries of what has left the session's present window, oldest first."""
    return await connection.fetch("window_summaries", workspace=workspace, session_id=session_id)


async def ask_to_compact(connection: Connection, workspace: UUID, agent_id: UUID, now: datetime) -> None:
    """A window of the agent is full: have a worker fold it now."""
    if await connection.run("ask_to_compact", workspace=workspace, agent_id=agent_id, now=now):
        await connection.run("wake_workers")


async def list_(
    connection: Connection, workspace: UUID, *, agent: str | None, user: str | None, text: str | None,
    before: UUID | None, limit: int,
) -> list[Row]:  # fmt: skip
    """Sessions, newest first; with ``text`` those whose name or a message has it."""
    return await connection.fetch(
        "list_sessions", workspace=workspace, agent=agent, user=user, text=text, before=before, limit=limit
    )


async def place_of(connection: Connection, workspace: UUID, session_id: UUID, message_id: UUID) -> int | None:
    """The number of a message in a session; None where it is not there."""
    return await connection.value("message_seq", workspace=workspace, session_id=session_id, message_id=message_id)


async def clear_window(connection: Connection, workspace: UUID, session_id: UUID) -> None:
    """Move the window of a session past its last message."""
    await connection.run("clear_window", workspace=workspace, id=session_id)


async def message_agent(connection: Connection, workspace: UUID, message_id: UUID) -> str | None:
    """The name of the agent to which a message was said."""
    return await connection.value("message_agent", workspace=workspace, message_id=message_id)


async def count_present(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> int:
    """How many of these messages are still there."""
    return await connection.value("messages_present", workspace=workspace, ids=ids)


async def claim_compaction(connection: Connection, *, now: datetime, until: datetime) -> Row | None:
    """An agent whose windows are to be compacted, leased until then; None when there is none. Outside any workspace."""
    return await connection.row("claim_compaction", now=now, until=until)


async def finish_compaction(connection: Connection, claim: Row) -> None:
    """Give a claim back as done, unless compaction was asked for again meanwhile. Outside any workspace."""
    await connection.run(
        "finish_compaction",
        workspace=claim["workspace_id"],
        agent_id=claim["agent_id"],
        claimed=claim["compact_at"],
    )
