"""Sessions: the permanent history and the rolling window over it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate
from typing import TypeVar
from uuid import UUID, uuid4

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.db.viewing import current_viewer, viewing_as
from service.domain.drafts import MessageDraft
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.memory import Memory
from service.domain.message_text import SearchedMessage, said_by, search_row, searchable_text, with_speaker
from service.domain.owners import viewer_of, with_owner
from service.domain.principal import Principal
from service.domain.session import AppendMessagesResponse, Message, Session, Window, WindowSummary
from service.domain.workspace import WindowSettings, WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.errors import Forbidden, InvalidInput, NotFound
from service.memory.access.redaction import redact_messages
from service.memory.access.workspace import get_settings
from service.memory.engine import Engine
from service.memory.sessions.attempts import Attempt, is_kept_already
from service.memory.sessions.compaction import compact
from service.store import agents, sessions
from service.store.sessions import LockedSession, MessageColumns, SessionWindow
from service.store.settings import workspace_settings
from service.store.vectors import EmbeddingBatch

BACKFILL_SKEW = timedelta(days=1)
SUMMARY_TOKENS_MAX = 1_500
Found = TypeVar("Found")
Said = tuple[UUID, str, str | None, str]
"""Of a message: its id, the text that is searched, who said it, and the role."""

NOTHING_KEPT = AppendMessagesResponse([], Window([], None, 0, None, None), kept=False)
"""The answer with the memory off."""


async def start_session(
    engine: Engine, principal: Principal, agent: str | None, session: str | None, user: str | None
) -> Session:
    """Make a session, named by a fresh UUID when no name is given, with an empty window; or the one that is there."""
    principal.require_write()
    acting, user = principal.acting_agent(agent), principal.acting_user(user)
    name = session or str(uuid4())
    async with engine.db.transaction(principal.workspace_id) as connection:
        agent_id = await agents.ensure_agent(connection, principal.workspace_id, acting)
        await agents.ensure_session(connection, principal.workspace_id, agent_id, name, user)
        return await find_session(connection, Session, principal, acting, name)


@dataclass(frozen=True, slots=True)
class _Part:
    """A summary of what has left the present window of a session."""

    memory_id: UUID
    from_seq: int
    to_seq: int
    content: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _PreparedMessages:
    """Messages ready to be stored, the words of those that are searched, and the vectors of these, as far as they are
    there."""

    items: list[MessageColumns]
    words: list[SearchedMessage]
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
) -> AppendMessagesResponse:
    """Append turns to a session, numbered without a gap whatever else writes to it; return the turns and the window.

    After the idle time without a message the first of them starts a fresh window. With the caller's memory off
    nothing is kept, and both are empty. Not ``searchable``, they are not embedded, and no search finds them.
    """
    principal.require_write()
    acting, user = principal.acting_agent(agent), principal.acting_user(user)
    if principal.no_memory:
        return NOTHING_KEPT
    now = engine.now()
    turns = await _prepare_messages(engine, principal, drafts, user, now, searchable=searchable)
    settings = await get_settings(engine, principal)
    try:
        async with engine.db.transaction(principal.workspace_id, viewer="everybody") as connection:
            row, settings = await _lock_session(connection, principal, acting, session, user, settings)
            row, stored = await _append(connection, principal, row, turns, user, now, settings)
            bounds = settings.window
            if not set(row.members) <= {user}:
                await connection.view_as(viewer_of(user, row.members, settings.users, prompt=False))
            contents = await _window_messages(connection, principal, row, bounds)
            summaries = await _summaries(connection, principal, row) if row.window_seq > 1 else []
    except _MemoryOff:
        return NOTHING_KEPT
    return AppendMessagesResponse(stored, _window(row, contents, summaries, now, bounds))


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
    now, user = engine.now(), principal.acting_user(user)
    turns = await _prepare_messages(engine, principal, drafts, user, now, searchable=True)
    settings = await get_settings(engine, principal)
    with suppress(_MemoryOff):
        async with engine.db.generic_plan_transaction(principal.workspace_id, viewer="everybody") as connection:
            acting = principal.acting_agent(agent)
            row, settings = await _lock_session(connection, principal, acting, session, user, settings)
            if attempt is None or not await is_kept_already(connection, principal, attempt, now):
                await _append(connection, principal, row, turns, user, now, settings)


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


def said_in(messages: Iterable[tuple[MessageColumns, MessageDraft]]) -> list[Said]:
    """Return what is searched of messages, by their columns."""
    return [
        (columns["id"], text, said_by(draft.role, draft.name, columns["user_name"]), draft.role)
        for columns, draft in messages
        if (text := searchable_text(draft.role, draft.content))
    ]


async def search_words(executor: FairExecutor, said: Sequence[Said]) -> list[SearchedMessage]:
    """Return the words of messages as ``index_messages`` takes them."""
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
) -> tuple[LockedSession, WorkspaceSettings]:
    """Lock a session, agent and session made on first use; return it and the settings of its agent. Raises _MemoryOff
    where the settings, the workspace's under the agent's own, say so, and Forbidden where a key of a user would join a
    session of others, and see what they say from then on."""
    row = await sessions.lock_or_begin(connection, principal.workspace_id, agent, session, user)
    if principal.user is not None and row.members and principal.user not in row.members:
        raise Forbidden("This session belongs to other users.")
    settings = settings.of_agent(row.agent_settings)
    if not settings.memory.enabled:
        raise _MemoryOff
    return row, settings


async def _append(
    connection: Connection,
    principal: Principal,
    row: LockedSession,
    turns: _PreparedMessages,
    user: str | None,
    now: datetime,
    settings: WorkspaceSettings,
) -> tuple[LockedSession, list[Message]]:
    """Store turns in a locked session, and have a full window folded; return the session with the window after that,
    and the turns as stored."""
    workspace, bounds = principal.workspace_id, settings.window
    moved = replace(_advance_window(row, now, bounds), members=with_owner(row.members, user))
    stored, messages, tokens = await sessions.append(
        connection, workspace, moved, turns.items, user=user,
        owners=[] if settings.users == "shared" else moved.members, key_id=principal.key_id, now=now,
    )  # fmt: skip
    await sessions.index_messages(connection, workspace, turns.words, turns.embedded)
    if messages > bounds.messages_max or tokens > bounds.tokens_max:
        await sessions.ask_to_compact(connection, workspace, moved.agent_id, now)
    return moved, stored


def _advance_window(row: LockedSession, now: datetime, bounds: WindowSettings) -> LockedSession:
    """Return the session with a message of now in it: after the idle time in a fresh window."""
    if _is_idle(row.last_message_at, now, bounds):
        first = row.last_seq + 1
        return replace(row, window_seq=first, window_from_seq=first, window_started_at=now, last_message_at=now)
    return replace(row, window_started_at=row.window_started_at or now, last_message_at=now)


async def get_session(engine: Engine, principal: Principal, agent: str | None, session: str) -> Session:
    """Return a session of the acting agent. Raises NotFound."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        return await find_session(connection, Session, principal, agent, session)


async def window(engine: Engine, principal: Principal, agent: str | None, session: str) -> Window:
    """Return what still goes to the model verbatim, the newest messages within the bounds; nothing after the idle
    time."""
    now = engine.now()
    async with engine.db.transaction(principal.workspace_id) as connection:
        settings = await workspace_settings(connection, principal.workspace_id)
        row = await find_session(connection, SessionWindow, principal, agent, session)
        bounds = settings.of_agent(row.agent_settings).window
        engine.read_audit.note(principal, "window", [principal.acting_agent(agent)])
        contents = await _window_messages(connection, principal, row, bounds)
        summaries = await _summaries(connection, principal, row)
    return _window(row, contents, summaries, now, bounds)


async def compact_window(engine: Engine, principal: Principal, agent: str | None, session: str) -> Window:
    """Fold the older half of the window into a summary now; return the window after it.

    A window of fewer than two messages stays as it is.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        found = await find_session(connection, Session, principal, agent, session)
    with viewing_as("everybody"):
        await compact(engine, principal.workspace_id, found.id, even_if_room=True)
    return await window(engine, principal, agent, session)


async def clear_window(engine: Engine, principal: Principal, agent: str | None, session: str) -> None:
    """Empty the window; history and memories stay."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        found = await find_session(connection, Session, principal, agent, session)
        await connection.run("clear_window", workspace=principal.workspace_id, id=found.id)


async def message_memories(engine: Engine, principal: Principal, message_id: UUID) -> list[Memory]:
    """Return the memories made of a message. Raises NotFound for a message of another agent's session."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        owner: str | None = await connection.value(
            "message_agent", workspace=principal.workspace_id, message_id=message_id
        )
        if owner is None or (principal.agent is not None and owner != principal.agent):
            raise NotFound("There is no such message here.")
        return await connection.many(
            Memory, "message_memories", workspace=principal.workspace_id, message_id=message_id
        )


async def find_session(
    connection: Connection, record: type[Found], principal: Principal, agent: str | None, session: str
) -> Found:
    """Return a session of the acting agent, as a record of the query ``find_session``. Raises NotFound.

    Where the call would read for nobody, the rest of the transaction reads for all members of the session.
    """
    named = {"workspace": principal.workspace_id, "agent": principal.acting_agent(agent), "session": session}
    if current_viewer() == "nobody":
        members: list[str] | None = await connection.value("members_of_session", **named)
        await connection.view_as(viewer_of(None, members, "separate", prompt=True))
    found = await connection.first(record, "find_session", **named)
    if found is None:
        raise NotFound(f"There is no session {session!r} here.")
    return found


def message_characters(draft: MessageDraft) -> int:
    """Return how long a message is."""
    return len(draft.content) if isinstance(draft.content, str) else len(dumps(draft.content))


def message_columns(draft: MessageDraft, user: str | None, id_: UUID | None = None) -> MessageColumns:
    """Return the columns of ``messages`` for a draft; without an id, it has a new one."""
    text = draft.content if isinstance(draft.content, str) else dumps(draft.content).decode()
    return {
        "id": id_ or new_id(),
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
    connection: Connection, principal: Principal, row: SessionWindow, bounds: WindowSettings
) -> list[Message]:
    """Return the newest messages of the window, the last one in any case, as many as its bounds allow: a worker folds
    those past them later."""
    newest_first = await sessions.messages(
        connection, principal.workspace_id, row.id,
        after=row.window_seq - 1, descending=True, limit=bounds.messages_max,
    )  # fmt: skip
    tokens = list(accumulate(message.tokens for message in newest_first))
    fitting = max(1, bisect_right(tokens, bounds.tokens_max))
    return newest_first[:fitting][::-1]


async def _summaries(connection: Connection, principal: Principal, row: SessionWindow) -> list[_Part]:
    return await connection.many(_Part, "window_summaries", workspace=principal.workspace_id, session_id=row.id)


def _window(
    row: SessionWindow,
    contents: list[Message],
    summaries: Sequence[_Part],
    now: datetime,
    bounds: WindowSettings,
) -> Window:
    last = row.last_message_at
    idle = _is_idle(last, now, bounds)
    shown = [] if idle else contents
    return Window(
        messages=shown,
        summary=None if idle else _summary(summaries),
        tokens=sum(message.tokens for message in shown),
        started_at=row.window_started_at if shown else None,
        expires_at=last + timedelta(seconds=bounds.idle_s) if shown and last else None,
    )


def _summary(summaries: Sequence[_Part]) -> WindowSummary | None:
    shown: list[_Part] = []
    tokens = 0
    for part in reversed(summaries):
        if shown and tokens + part.tokens > SUMMARY_TOKENS_MAX:
            break
        shown.insert(0, part)
        tokens += part.tokens
    if not shown:
        return None
    return WindowSummary(
        id=shown[-1].memory_id,
        content="\n".join(part.content for part in shown),
        memory_ids=[part.memory_id for part in summaries],
        from_seq=summaries[0].from_seq,
        to_seq=summaries[-1].to_seq,
        tokens=tokens,
    )
