"""Sessions: the permanent history and the rolling window over it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any
from uuid import UUID, uuid4

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection, Row
from service.domain.drafts import MessageDraft
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.memory import Memory
from service.domain.message_text import said_by, search_row, searchable_text, with_speaker
from service.domain.principal import Principal
from service.domain.workspace import WindowSettings, WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.errors import InvalidInput, NotFound
from service.memory.access.redaction import redact_messages
from service.memory.access.workspace import get_settings
from service.memory.engine import Engine
from service.memory.sessions.attempts import Attempt, is_kept_already
from service.memory.sessions.compaction import compact
from service.store import agents, memories, sessions
from service.store.settings import workspace_settings
from service.store.vectors import EmbeddingBatch

BACKFILL_SKEW = timedelta(days=1)
SUMMARY_TOKENS_MAX = 1_500
Record = dict[str, Any]
Said = tuple[UUID, str, str | None, str]
"""Of a message: its id, the text that is searched, who said it, and the role."""

EMPTY_WINDOW: Record = {"messages": [], "summary": None, "tokens": 0, "started_at": None, "expires_at": None}


async def start_session(
    engine: Engine, principal: Principal, agent: str | None, session: str | None, user: str | None
) -> Record:
    """Make a session, named by a fresh UUID when no name is given, with an empty window; or the one that is there."""
    principal.require_write()
    acting = principal.acting_agent(agent)
    name = session or str(uuid4())
    async with engine.db.transaction(principal.workspace_id) as connection:
        agent_id = await agents.ensure_agent(connection, principal.workspace_id, acting)
        await agents.ensure_session(connection, principal.workspace_id, agent_id, name, user)
        row = await sessions.find(connection, principal.workspace_id, acting, name)
    assert row is not None
    return session_record(row)


@dataclass(frozen=True, slots=True)
class _PreparedMessages:
    """Messages ready to be stored, the words of those that are searched, and the vectors of these, as far as they are
    there."""

    items: list[Record]
    words: list[Record]
    embedded: EmbeddingBatch


async def append_messages(
    engine: Engine,
    principal: Principal,
    agent: str | None,
    session: str,
    drafts: Sequence[MessageDraft],
    *,
    user: str | None,
    searchable: bool = True,
) -> tuple[list[Record], Record]:
    """Append turns to a session, numbered without a gap whatever else writes to it; the turns and the window.

    After the idle time without a message the first of them starts a fresh window. With the caller's memory off
    nothing is kept, and both are empty. Not ``searchable``, they are not embedded, and no search finds them.
    """
    principal.require_write()
    acting = principal.acting_agent(agent)
    if principal.no_memory:
        return [], dict(EMPTY_WINDOW)
    now = engine.now()
    turns = await _prepare_messages(engine, principal, drafts, user, now, searchable=searchable)
    settings = await get_settings(engine, principal)
    try:
        async with engine.db.transaction(principal.workspace_id) as connection:
            row, bounds = await _lock_session(connection, principal, acting, session, user, settings)
            row, stored = await _append(connection, principal, row, turns, user, now, bounds)
            contents = await _window_messages(connection, principal, row, bounds)
            folded = row["window_seq"] > 1
            summaries = await sessions.window_summaries(connection, principal.workspace_id, row["id"]) if folded else []
    except _MemoryOff:
        return [], dict(EMPTY_WINDOW)
    return stored, _window(row, contents, summaries, now, bounds)


async def append_turns(
    engine: Engine,
    principal: Principal,
    agent: str,
    session: str,
    drafts: Sequence[MessageDraft],
    *,
    user: str | None,
    attempt: Attempt | None = None,
) -> None:
    """``append_messages`` for who wants to know neither the turns as stored nor the window. Nothing is appended where
    another ``attempt`` of the client has done so."""
    principal.require_write()
    if principal.no_memory:
        return
    now = engine.now()
    turns = await _prepare_messages(engine, principal, drafts, user, now, searchable=True)
    settings = await get_settings(engine, principal)
    with suppress(_MemoryOff):
        async with engine.db.generic_plan_transaction(principal.workspace_id) as connection:
            acting = principal.acting_agent(agent)
            row, bounds = await _lock_session(connection, principal, acting, session, user, settings)
            if attempt is None or not await is_kept_already(connection, principal, attempt, now):
                await _append(connection, principal, row, turns, user, now, bounds)


async def _prepare_messages(
    engine: Engine,
    principal: Principal,
    drafts: Sequence[MessageDraft],
    user: str | None,
    now: datetime,
    *,
    searchable: bool,
) -> _PreparedMessages:
    for position, draft in enumerate(drafts):
        if draft.created_at is not None and draft.created_at > now + BACKFILL_SKEW:
            raise InvalidInput(("body", "messages", position, "created_at"), "is in the future")
    drafts = await redact_messages(engine, principal, drafts)
    items = await engine.executor.each(lambda draft: message_columns(draft, user), drafts, message_characters)
    said = said_in(zip(items, drafts, strict=True)) if searchable else []
    words = await search_words(engine.executor, said)
    texts = [with_speaker(text, speaker) for _, text, speaker, _ in said]
    return _PreparedMessages(items, words, await engine.embed_if_cheap(texts))


def said_in(messages: Iterable[tuple[Record, MessageDraft]]) -> list[Said]:
    """What is searched of messages, by their columns."""
    return [
        (columns["id"], text, said_by(draft.role, draft.name, columns["user_name"]), draft.role)
        for columns, draft in messages
        if (text := searchable_text(draft.role, draft.content))
    ]


async def search_words(executor: FairExecutor, said: Sequence[Said]) -> list[Record]:
    """The words of messages as ``index_messages`` takes them."""
    numbered = [(number, *one) for number, one in enumerate(said, start=1)]
    return await executor.each(lambda one: search_row(*one), numbered, lambda one: len(one[2]))


class _MemoryOff(Exception):
    """The agent's memory is switched off: the transaction is rolled back."""


async def _lock_session(
    connection: Connection,
    principal: Principal,
    agent: str,
    session: str,
    user: str | None,
    settings: WorkspaceSettings,
) -> tuple[Row, WindowSettings]:
    """The session's row under its lock, agent and session made on first use, and the bounds of its window. Raises
    _MemoryOff where the settings, the workspace's under the agent's own, say so."""
    workspace = principal.workspace_id
    row = await sessions.lock_named(connection, workspace, agent, session) or await sessions.begin_named(
        connection, workspace, agent, session, user
    )
    if row is None:
        agent_id = await agents.ensure_agent(connection, workspace, agent)
        await agents.ensure_session(connection, workspace, agent_id, session, user)
        row = await sessions.lock_named(connection, workspace, agent, session)
        assert row is not None
    settings = settings.of_agent(row["agent_settings"])
    if not settings.memory.enabled:
        raise _MemoryOff
    return row, settings.window


async def _append(
    connection: Connection,
    principal: Principal,
    row: Row,
    turns: _PreparedMessages,
    user: str | None,
    now: datetime,
    bounds: WindowSettings,
) -> tuple[Record, list[Record]]:
    """Store turns in a locked session, and have a full window folded; the session's row after that, and the turns as
    stored."""
    workspace = principal.workspace_id
    moved = _advance_window(row, now, bounds)
    stored, messages, tokens = await sessions.append(
        connection, workspace, moved, turns.items, user=user, key_id=principal.key_id, now=now
    )
    await sessions.index_messages(connection, workspace, turns.words, turns.embedded)
    if messages > bounds.messages_max or tokens > bounds.tokens_max:
        await sessions.ask_to_compact(connection, workspace, moved["agent_id"], now)
    return moved, stored


def _advance_window(row: Row, now: datetime, bounds: WindowSettings) -> Record:
    """The session's row with a message of now in it: after the idle time in a fresh window."""
    first = row["last_seq"] + 1
    if _is_idle(row["last_message_at"], now, bounds):
        window: Record = {"window_seq": first, "window_from_seq": first, "window_started_at": now}
    else:
        window = {"window_started_at": row["window_started_at"] or now}
    return dict(row) | window | {"last_message_at": now}


async def get_session(engine: Engine, principal: Principal, agent: str | None, session: str) -> Record:
    """A session of the acting agent. Raises NotFound."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        return session_record(await find_session(connection, principal, agent, session))


async def window(engine: Engine, principal: Principal, agent: str | None, session: str) -> Record:
    """The messages that still go to the model verbatim, the newest within the bounds; empty after the idle time."""
    now = engine.now()
    async with engine.db.transaction(principal.workspace_id) as connection:
        settings = await workspace_settings(connection, principal.workspace_id)
        row = await find_session(connection, principal, agent, session)
        bounds = settings.of_agent(row["agent_settings"]).window
        engine.read_audit.note(principal, "window", [row["agent"]])
        contents = await _window_messages(connection, principal, row, bounds)
        summaries = await sessions.window_summaries(connection, principal.workspace_id, row["id"])
    return _window(row, contents, summaries, now, bounds)


async def compact_window(engine: Engine, principal: Principal, agent: str | None, session: str) -> Record:
    """Fold the older half of the window into a summary now; the window after it.

    A window of fewer than two messages stays as it is.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await find_session(connection, principal, agent, session)
    await compact(engine, principal.workspace_id, row["id"], even_if_room=True)
    return await window(engine, principal, agent, session)


async def clear_window(engine: Engine, principal: Principal, agent: str | None, session: str) -> None:
    """Empty the window; history and memories stay."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await find_session(connection, principal, agent, session)
        await sessions.clear_window(connection, principal.workspace_id, row["id"])


async def message_memories(engine: Engine, principal: Principal, message_id: UUID) -> list[Memory]:
    """Return the memories made of a message. Raises NotFound for a message of another agent's session."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        owner = await sessions.message_agent(connection, principal.workspace_id, message_id)
        if owner is None or (principal.agent is not None and owner != principal.agent):
            raise NotFound("There is no such message here.")
        return await memories.of_message(connection, principal.workspace_id, message_id)


async def find_session(connection: Any, principal: Principal, agent: str | None, session: str) -> Row:
    """A session of the acting agent. Raises NotFound."""
    row = await sessions.find(connection, principal.workspace_id, principal.acting_agent(agent), session)
    if row is None:
        raise NotFound(f"There is no session {session!r} here.")
    return row


def message_characters(draft: MessageDraft) -> int:
    """How long a message is."""
    return len(draft.content) if isinstance(draft.content, str) else len(dumps(draft.content))


def message_columns(draft: MessageDraft, user: str | None) -> Record:
    """The columns of ``messages`` for a draft, with a new id."""
    text = draft.content if isinstance(draft.content, str) else dumps(draft.content).decode()
    return {
        "id": new_id(),
        "role": draft.role,
        "content": text,
        "content_json": None if isinstance(draft.content, str) else draft.content,
        "name": draft.name,
        "tool_call_id": draft.tool_call_id,
        "user_name": user,
        "tokens": count_tokens(text),
        "created_at": draft.created_at,
    }


def _is_idle(last_message_at: datetime | None, now: datetime, window: WindowSettings) -> bool:
    return last_message_at is not None and (now - last_message_at).total_seconds() > window.idle_s


async def _window_messages(
    connection: Any, principal: Principal, row: Row | Record, bounds: WindowSettings
) -> list[Record]:
    """The newest messages of the window, the last one in any case, as many as its bounds allow: a worker folds those
    past them later."""
    newest_first = await sessions.messages(
        connection, principal.workspace_id, row["id"],
        after=row["window_seq"] - 1, descending=True, limit=bounds.messages_max,
    )  # fmt: skip
    tokens = list(accumulate(message["tokens"] for message in newest_first))
    fitting = max(1, bisect_right(tokens, bounds.tokens_max))
    return newest_first[:fitting][::-1]


def _window(
    row: Row, contents: list[Record], summaries: Sequence[Row], now: datetime, bounds: WindowSettings
) -> Record:
    idle = _is_idle(row["last_message_at"], now, bounds)
    shown = [] if idle else contents
    last = row["last_message_at"]
    return {
        "messages": shown,
        "summary": None if idle else _summary(summaries),
        "tokens": sum(message["tokens"] for message in shown),
        "started_at": row["window_started_at"] if shown else None,
        "expires_at": last + timedelta(seconds=bounds.idle_s) if shown else None,
    }


def _summary(summaries: Sequence[Row]) -> Record | None:
    """What stands for the messages that have left the window: the newest summaries, as many as are fit to be read."""
    shown: list[Row] = []
    tokens = 0
    for row in reversed(summaries):
        if shown and tokens + row["tokens"] > SUMMARY_TOKENS_MAX:
            break
        shown.insert(0, row)
        tokens += row["tokens"]
    if not shown:
        return None
    return {
        "id": shown[-1]["memory_id"],
        "content": "\n".join(row["content"] for row in shown),
        "memory_ids": [row["memory_id"] for row in summaries],
        "from_seq": summaries[0]["from_seq"],
        "to_seq": summaries[-1]["to_seq"],
        "tokens": tokens,
    }


def session_record(row: Row) -> Record:
    """A session as the API shows it."""
    return {name: row[name] for name in ("id", "session", "agent", "user", "messages", "last_message_at", "created_at")}
