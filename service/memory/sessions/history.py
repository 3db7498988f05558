"""Reading conversations: pages of sessions and of their messages."""

from __future__ import annotations

from uuid import UUID

from service.domain import cursors
from service.domain.principal import Principal
from service.domain.session import MessagePage, Session
from service.errors import InvalidInput, NotFound
from service.memory.access.redaction import masking_of, redact_lenient
from service.memory.engine import Engine
from service.memory.sessions.conversations import find_session
from service.store import sessions


async def list_sessions(
    engine: Engine,
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
    text = await _as_stored(engine, principal, text)
    async with engine.db.transaction(principal.workspace_id) as connection:
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
    engine: Engine,
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
    text = await _as_stored(engine, principal, text)
    async with engine.db.transaction(principal.workspace_id) as connection:
        of = await find_session(connection, Session, principal, agent, session)
        engine.read_audit.note(principal, "messages", [of.agent])
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


async def _as_stored(engine: Engine, principal: Principal, text: str | None) -> str | None:
    """Return a part of texts as they are stored."""
    if text is None:
        return None
    (masked,) = await redact_lenient(engine, await masking_of(engine, principal), [text])
    return str(masked)
