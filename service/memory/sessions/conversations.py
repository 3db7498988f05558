"""Sessions: the permanent history and the rolling window over it.

Turns that a client sends again because it saw no answer are kept once, whichever of its attempts got through first: a
note of the turn commits with it, and the lock of the session lets one attempt at a time look for the other's note.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate, zip_longest
from typing import TypeVar
from uuid import UUID, uuid4

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.db.viewing import current_viewer, viewing_as
from service.domain import cursors
from service.domain.drafts import MessageDraft
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.memory import Memory
from service.domain.message_text import SearchedMessage, said_by, search_row, searchable_text, with_speaker
from service.domain.owners import viewer_of, with_owner
from service.domain.principal import Principal
from service.domain.session import (
    AppendMessagesResponse,
    Message,
    MessagePage,
    Session,
    SkippedPart,
    Window,
    WindowSummary,
)
from service.domain.turns import tokens_of, words_of
from service.domain.workspace import WindowSettings, WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.errors import Forbidden, InvalidInput, NotFound
from service.memory.access.redaction import masking_of, redact_lenient, redact_messages
from service.memory.access.workspace import get_settings
from service.memory.counters import ReadCounter
from service.memory.sessions.compaction import compact
from service.runtime import Runtime
from service.store import agents, idempotency, sessions
from service.store.idempotency import RequestSlot, StoredResponse
from service.store.sessions import LockedSession, MessageColumns, SessionWindow
from service.store.settings import workspace_settings
from service.store.vectors import EmbeddingBatch

BACKFILL_SKEW = timedelta(days=1)
SUMMARY_TOKENS_MAX = 1_500
Found = TypeVar("Found")
Said = tuple[UUID, str, str | None, str]
"""Of a message: its id, the text that is searched, who said it, and the role."""

NOTHING_KEPT = AppendMessagesResponse([], Window([], None, 0, None, None), [], kept=False)
"""The answer with the memory off."""

ANSWERS_COMPARED = 40
"""Of the last messages of a session so many are compared with the history that a client sends."""
RETRIED_WITHIN = timedelta(minutes=15)
"""Clients give up an attempt after ten minutes, unless told otherwise."""
NO_ANSWER = ""


async def start_session(
    runtime: Runtime, principal: Principal, agent: str | None, session: str | None, user: str | None
) -> Session:
    """Make a session, named by a fresh UUID when no name is given, with an empty window; or the one that is there."""
    principal.require_write()
    acting, user = principal.acting_agent(agent), principal.acting_user(user)
    name = session or str(uuid4())
    async with runtime.db.transaction(principal.workspace_id) as connection:
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
    runtime: Runtime,
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
    nothing is kept, and both are empty. Not ``searchable``, they are not embedded, no search finds them, and no dream
    reads them.
    """
    principal.require_write()
    acting, user = principal.acting_agent(agent), principal.acting_user(user)
    if principal.no_memory:
        return NOTHING_KEPT
    now = runtime.now()
    skipped = [SkippedPart(number, name) for number, draft in enumerate(drafts) for name in draft.skipped]
    turns = await _prepare_messages(runtime, principal, drafts, user, now, searchable=searchable)
    settings = await get_settings(runtime, principal)
    try:
        async with runtime.db.transaction(principal.workspace_id, viewer="everybody") as connection:
            row, settings = await _lock_session(connection, principal, acting, session, user, settings)
            row, stored = await _append(connection, principal, row, turns, user, now, settings)
            bounds = settings.window
            if not set(row.members) <= {user}:
                await connection.view_as(viewer_of(user, row.members, settings.users, prompt=False))
            contents = await _window_messages(connection, principal, row, bounds)
            summaries = await _summaries(connection, principal, row) if row.window_seq > 1 else []
    except _MemoryOff:
        return NOTHING_KEPT
    return AppendMessagesResponse(stored, _window(row, contents, summaries, now, bounds), skipped)


async def append_turns(
    runtime: Runtime,
    principal: Principal,
    agent: str,
    session: str,
    drafts: Sequence[MessageDraft],
    *,
    user: str | None,
    attempt: Attempt | None = None,
    ids: Sequence[UUID],
    again: bool = False,
) -> None:
    """Append as ``append_messages`` does, for a caller that wants to know neither the turns as stored nor the window.
    Nothing is appended where another ``attempt`` of the client has done so, or, called ``again``, where messages with
    these ``ids`` are there."""
    principal.require_write()
    if principal.no_memory:
        return
    now, user = runtime.now(), principal.acting_user(user)
    turns = await _prepare_messages(runtime, principal, drafts, user, now, searchable=True, ids=ids)
    settings = await get_settings(runtime, principal)
    with suppress(_MemoryOff):
        async with runtime.db.generic_plan_transaction(principal.workspace_id, viewer="everybody") as connection:
            acting = principal.acting_agent(agent)
            row, settings = await _lock_session(connection, principal, acting, session, user, settings)
            if again and await connection.value("messages_present", workspace=principal.workspace_id, ids=ids):
                return
            if attempt is None or not await is_kept_already(connection, principal, attempt, now):
                await _append(connection, principal, row, turns, user, now, settings)


async def last_kept(
    runtime: Runtime, principal: Principal, agent: str, session: str, answers: Sequence[str]
) -> str | None:
    """Return the first of these answers of a model that is among the last messages of a session; None where none is."""
    async with runtime.db.transaction(principal.workspace_id, viewer="everybody") as connection:
        named = {"workspace": principal.workspace_id, "agent": principal.acting_agent(agent), "session": session}
        found = await connection.first(Session, "find_session", **named)
        if found is None:
            return None
        newest = await sessions.messages(
            connection, principal.workspace_id, found.id, descending=True, limit=ANSWERS_COMPARED
        )
    kept = {_spelled(words_of(message.content)) for message in newest if message.role == "assistant"}
    masking = await masking_of(runtime, principal)
    for answer in answers if kept else ():
        (masked,) = await redact_lenient(runtime, masking, [answer])
        if _spelled(str(masked)) in kept:
            return answer
    return None


def _spelled(text: str) -> str:
    """Return a text without its white space, which clients change."""
    return "".join(text.split())


async def _prepare_messages(
    runtime: Runtime,
    principal: Principal,
    drafts: Sequence[MessageDraft],
    user: str | None,
    now: datetime,
    *,
    searchable: bool,
    ids: Sequence[UUID] = (),
) -> _PreparedMessages:
    for position, draft in enumerate(drafts):
        if draft.created_at is not None and draft.created_at > now + BACKFILL_SKEW:
            raise InvalidInput(("body", "messages", position, "created_at"), "is in the future")
    drafts = await redact_messages(runtime, principal, [one for draft in drafts for one in draft.split()])
    items = await runtime.executor.each(
        lambda one: message_columns(one[0], user, one[1], searchable=searchable),
        list(zip_longest(drafts, ids)),
        lambda one: message_characters(one[0]),
    )
    said = said_in(zip(items, drafts, strict=True))
    words = await search_words(runtime.executor, said)
    texts = [with_speaker(text, speaker) for _, text, speaker, _ in said]
    return _PreparedMessages(items, words, await runtime.embed_if_cheap(texts))


def said_in(messages: Iterable[tuple[MessageColumns, MessageDraft]]) -> list[Said]:
    """Return what is searched of messages, by their columns."""
    return [
        (columns["id"], text, said_by(draft.role, draft.name, columns["user_name"]), draft.role)
        for columns, draft in messages
        if columns["searchable"] and (text := searchable_text(draft.role, draft.content))
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


async def get_session(runtime: Runtime, principal: Principal, agent: str | None, session: str) -> Session:
    """Return a session of the acting agent. Raises NotFound."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await find_session(connection, Session, principal, agent, session)


async def window(runtime: Runtime, principal: Principal, agent: str | None, session: str) -> Window:
    """Return what still goes to the model verbatim, the newest messages within the bounds; nothing after the idle
    time."""
    now = runtime.now()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        settings = await workspace_settings(connection, principal.workspace_id)
        row = await find_session(connection, SessionWindow, principal, agent, session)
        bounds = settings.of_agent(row.agent_settings).window
        runtime.part(ReadCounter).note(principal, "window", [principal.acting_agent(agent)])
        contents = await _window_messages(connection, principal, row, bounds)
        summaries = await _summaries(connection, principal, row)
    return _window(row, contents, summaries, now, bounds)


async def compact_window(runtime: Runtime, principal: Principal, agent: str | None, session: str) -> Window:
    """Fold the older half of the window into a summary now; return the window after it.

    A window of fewer than two messages stays as it is.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await find_session(connection, Session, principal, agent, session)
    with viewing_as("everybody"):
        await compact(runtime, principal.workspace_id, found.id, even_if_room=True)
    return await window(runtime, principal, agent, session)


async def clear_window(runtime: Runtime, principal: Principal, agent: str | None, session: str) -> None:
    """Empty the window; history and memories stay."""
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await find_session(connection, Session, principal, agent, session)
        await connection.run("clear_window", workspace=principal.workspace_id, id=found.id)


async def message_memories(runtime: Runtime, principal: Principal, message_id: UUID) -> list[Memory]:
    """Return the memories made of a message. Raises NotFound for a message of another agent's session."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
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


def message_columns(
    draft: MessageDraft, user: str | None, id_: UUID | None = None, *, searchable: bool
) -> MessageColumns:
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
        "tokens": tokens_of(draft.content, count_tokens),
        "created_at": draft.created_at,
        "time_zone": draft.time_zone,
        "searchable": searchable,
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


@dataclass(frozen=True, slots=True)
class Attempt:
    """One of a client's attempts at a request. ``digest`` is the same for all of them; ``number`` counts from 0."""

    digest: bytes
    number: int
    begun_at: datetime


async def is_kept_already(connection: Connection, principal: Principal, attempt: Attempt, now: datetime) -> bool:
    """Return whether another attempt has kept the turn; else this one is noted as the one that does.

    A first attempt gives way only to a retry that was kept while it was under way: two first attempts are two turns.
    """
    slot = RequestSlot(principal.workspace_id, principal.key_id, attempt.digest)
    since = attempt.begun_at - RETRIED_WITHIN if attempt.number else attempt.begun_at
    kept = await idempotency.find(connection, slot, since)
    if kept is not None and (attempt.number or kept.status):
        return True
    await idempotency.store(connection, slot, StoredResponse(attempt.digest, attempt.number, NO_ANSWER, None), now)
    return False


async def list_sessions(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    *,
    text: str | None = None,
    limit: int,
    cursor: str | None,
) -> tuple[list[Session], str | None]:
    """Return a page of sessions, of the caller's user or of all, newest first; with ``text`` those whose name or a
    message has it."""
    (before,) = cursors.decode(cursor, UUID)
    text = await _as_stored(runtime, principal, text)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            Session,
            "list_sessions",
            workspace=principal.workspace_id,
            agent=principal.reader_agent(agent),
            user=principal.acting_user(None),
            text=text,
            before=before,
            limit=limit + 1,
        )
    return cursors.paginate(found, limit, "id")


async def list_messages(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    session: str,
    *,
    descending: bool,
    text: str | None = None,
    around: UUID | None = None,
    limit: int,
    cursor: str | None,
) -> MessagePage:
    """Return a page of the permanent history, whatever the window or the memories became; with ``text`` the messages
    that have it.

    ``around``: the page in whose middle this message stands; ``previous_cursor`` leads, newest first, to those before.
    Raises InvalidInput for ``around`` with a cursor or newest first, and NotFound for a message that is not there.
    """
    if around is not None and (cursor is not None or descending):
        raise InvalidInput(("query", "around"), "begins a page, oldest first: leave out cursor and order")
    (seq,) = cursors.decode(cursor, int)
    text = await _as_stored(runtime, principal, text)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        of = await find_session(connection, Session, principal, agent, session)
        runtime.part(ReadCounter).note(principal, "messages", [of.agent])
        if around is not None:
            place: int | None = await connection.value(
                "message_seq", workspace=principal.workspace_id, session_id=of.id, message_id=around
            )
            if place is None:
                raise NotFound("There is no such message in this session.")
            seq = max(0, place - limit // 2 - 1)
        bound = {} if seq is None else {"before" if descending else "after": seq}
        found = await sessions.messages(
            connection, principal.workspace_id, of.id, descending=descending, text=text, limit=limit + 1, **bound
        )
    found, more = cursors.paginate(found, limit, "seq")
    previous = cursors.encode(seq + 1) if around is not None and seq else None
    return MessagePage(found, more, previous)


async def _as_stored(runtime: Runtime, principal: Principal, text: str | None) -> str | None:
    """Return a part of texts as they are stored."""
    if text is None:
        return None
    (masked,) = await redact_lenient(runtime, await masking_of(runtime, principal), [text])
    return str(masked)
