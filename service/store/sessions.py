"""Sessions and their messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make_all
from service.domain.ids import new_id
from service.domain.json import JsonObject, JsonValue
from service.domain.message_text import SearchedMessage
from service.domain.session import Message
from service.store import agents, memories
from service.store.vectors import EmbeddingBatch

SEQ_END = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SessionWindow:
    """Where the window of a session stands; ``agent_settings`` are the agent's own."""

    id: UUID
    window_seq: int
    window_started_at: datetime | None
    last_message_at: datetime | None
    agent_settings: JsonObject | None


@dataclass(frozen=True, slots=True)
class LockedSession(SessionWindow):
    """A session under its lock, in which sequence numbers are given out."""

    agent_id: UUID
    members: list[str]
    last_seq: int
    window_from_seq: int


class MessageColumns(TypedDict):
    """The columns of ``messages`` for a new message; ``content_json`` is set for what is no text."""

    id: UUID
    role: str
    content: str
    content_json: JsonValue
    name: str | None
    tool_call_id: str | None
    user_name: str | None
    tokens: int
    created_at: datetime | None
    time_zone: str | None
    searchable: bool


async def lock_or_begin(
    connection: Connection, workspace: UUID, agent: str, session: str, user: str | None
) -> LockedSession:
    """Lock the agent's session of that name, made with its agent on first use."""
    name = {"workspace": workspace, "agent": agent, "session": session}
    row = await connection.first(LockedSession, "lock_named_session", **name) or await connection.first(
        LockedSession, "begin_named_session", id=new_id(), user=user, **name
    )
    if row is None:
        agent_id = await agents.ensure_agent(connection, workspace, agent)
        await agents.ensure_session(connection, workspace, agent_id, session, user)
        row = await connection.first(LockedSession, "lock_named_session", **name)
        assert row is not None
    return row


async def append(
    connection: Connection,
    workspace: UUID,
    moved: LockedSession,
    items: Sequence[MessageColumns],
    *,
    user: str | None,
    owners: list[str],
    key_id: UUID,
    now: datetime,
) -> tuple[list[Message], int, int]:
    """Append messages under the session's lock; return the messages as stored, in order, and how many messages and
    tokens are in the window with them.

    ``moved``: the locked session with its window and members as they are to be with them, ``last_seq`` still without.
    """
    rows = await connection.fetch(
        "append_messages",
        workspace=workspace,
        session_id=moved.id,
        items=items,
        first_seq=moved.last_seq + 1,
        window_seq=moved.window_seq,
        window_from_seq=moved.window_from_seq,
        window_started_at=moved.window_started_at,
        user=user,
        members=moved.members,
        owners=owners,
        key_id=key_id,
        now=now,
    )
    messages, tokens = (rows[0]["window_messages"], rows[0]["window_tokens"]) if rows else (0, 0)
    return make_all(Message, rows), messages, tokens


async def index_messages(
    connection: Connection, workspace: UUID, words: Sequence[SearchedMessage], embedded: EmbeddingBatch
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
) -> list[Message]:
    """Return the messages with ``after < seq < before``, in order; with ``text`` those that have it."""
    return await connection.many(
        Message,
        "session_messages",
        {"descending": descending},
        workspace=workspace,
        session_id=session_id,
        after=after,
        before=before,
        text=text,
        limit=limit,
    )


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


async def ask_to_compact(connection: Connection, workspace: UUID, agent_id: UUID, now: datetime) -> None:
    """Have a worker fold a full window of the agent now."""
    if await connection.run("ask_to_compact", workspace=workspace, agent_id=agent_id, now=now):
        await connection.run("wake_workers")
