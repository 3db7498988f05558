"""Pages as the API keeps them: made, changed, shown and removed. Each belongs to an agent, and is written as that agent
reads."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from service.db.failures import BEING_DELETED
from service.db.pool import Connection
from service.db.records import make_all
from service.domain import cursors
from service.domain.citations import differences
from service.domain.ids import new_id
from service.domain.pages import PAGES_MAX, AnsweredPage, PageContent, PageDraft, PageSentence, PageVersion, next_time
from service.domain.principal import Principal
from service.errors import Conflict, InvalidInput, NotFound
from service.memory.access import audit
from service.memory.access.redaction import kept_where, masking_of, redact_fields
from service.memory.access.workspace import check_filters, get_settings
from service.memory.engine import Engine
from service.memory.pages.answers import Answer, answer
from service.memory.pages.shown import shown_of, shown_pages
from service.store import agents, pages
from service.store.pages import StoredPage

ATTEMPTS_MAX = 5
ABSENT = "There is no such page here."
CHANGING = "The memories that the page is written from keep changing; try again."

Content = TypeVar("Content", bound=PageContent)


async def add_page(engine: Engine, principal: Principal, draft: PageDraft) -> AnsweredPage | None:
    """Make a page of the acting agent and answer it at once; None, and nothing made, with memory off.

    Raises Forbidden, InvalidInput, and Conflict when there are too many.
    """
    principal.require_write()
    agent = principal.acting_agent(draft.agent)
    if principal.no_memory:
        return None
    draft, due_at = await _checked(engine, principal, draft)
    workspace, page_id = principal.workspace_id, new_id()
    for _ in range(ATTEMPTS_MAX):
        new = await answer(engine, principal, agent, draft)
        assert new is not None
        async with engine.db.transaction(workspace, viewer=principal.writes_as) as connection:
            agent_id = await agents.ensure_agent(connection, workspace, agent)
            await agents.hold(connection, workspace, agent_id, Conflict(BEING_DELETED))
            count: int = await connection.value("count_pages", workspace=workspace, agent_id=agent_id)
            if count >= PAGES_MAX:
                raise Conflict(f"An agent may have {PAGES_MAX} pages.")
            now = engine.now()
            if not await pages.hold_inputs(connection, workspace, new.inputs, now):
                continue
            await pages.add(
                connection, workspace, page_id, draft,
                agent_id=agent_id, due_at=due_at, created_by=principal.actor, now=now,
            )  # fmt: skip
            await pages.add_version(connection, workspace, page_id, new.version, None, now)
            await audit.record(connection, principal, "page.created", target=str(page_id))
            return await _shown(connection, workspace, page_id, now)
    raise Conflict(CHANGING)


async def get_page(engine: Engine, principal: Principal, page_id: UUID) -> AnsweredPage:
    """Return a page with its newest answer, as far as that still holds. Raises NotFound."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        page = await _owned(connection, principal, page_id)
        (shown,) = await shown_pages(connection, principal.workspace_id, [page], engine.now())
    engine.read_audit.note(principal, "page", [page.agent])
    return shown


async def list_pages(
    engine: Engine, principal: Principal, agent: str | None, *, limit: int, cursor: str | None
) -> tuple[list[AnsweredPage], str | None]:
    """Return some pages, newest first, as ``get_page`` gives them, and the cursor of the next."""
    (before,) = cursors.decode(cursor, UUID)
    named = principal.reader_agent(agent)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "list_pages", workspace=principal.workspace_id, agent=named, before=before, limit=limit + 1
        )
        rows, more = cursors.paginate(rows, limit, "id")
        shown = await shown_pages(connection, principal.workspace_id, make_all(StoredPage, rows), engine.now())
    engine.read_audit.note(principal, "page", [named, *(page.agent for page in shown)])
    return shown, more


async def put_page(engine: Engine, principal: Principal, page_id: UUID, content: PageContent) -> AnsweredPage:
    """Give a page another question, scope, trigger and length, and answer it at once. Raises Forbidden, NotFound."""
    principal.require_write()
    content, due_at = await _checked(engine, principal, content)
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id, change=True)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(engine, principal, page.agent, content, known=page.inputs_hash)
        async with engine.db.transaction(workspace, viewer=principal.writes_as) as connection:
            now = engine.now()
            await agents.hold(connection, workspace, page.agent_id, NotFound(ABSENT))
            if new is not None and not await pages.hold_inputs(connection, workspace, new.inputs, now):
                continue
            if await connection.row("lock_page", workspace=workspace, id=page_id) is None:
                raise NotFound(ABSENT)
            await pages.change(connection, workspace, page_id, content, due_at=due_at, now=now)
            if new is not None:
                await pages.add_version(connection, workspace, page_id, new.version, None, now)
            await audit.record(connection, principal, "page.updated", target=str(page_id))
            return await _shown(connection, workspace, page_id, now)
    raise Conflict(CHANGING)


async def rewrite_page(engine: Engine, principal: Principal, page_id: UUID) -> AnsweredPage:
    """Answer a page now. Where nothing that it is made of has changed, its newest version stays."""
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id, change=True)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(engine, principal, page.agent, page.content, known=page.inputs_hash)
        if await write(engine, workspace, page, new):
            return await get_page(engine, principal, page_id)
        async with engine.db.transaction(workspace) as connection:
            page = await _owned(connection, principal, page_id)
    raise Conflict(CHANGING)


async def delete_page(engine: Engine, principal: Principal, page_id: UUID) -> None:
    """Remove a page with its versions. Raises Forbidden, NotFound."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        page = await _owned(connection, principal, page_id, change=True)
        await agents.hold(connection, principal.workspace_id, page.agent_id, NotFound(ABSENT))
        await connection.run("delete_page", workspace=principal.workspace_id, id=page_id)
        await audit.record(connection, principal, "page.deleted", target=str(page_id))


async def page_versions(
    engine: Engine, principal: Principal, page_id: UUID, *, compared_to: int | None, limit: int, cursor: str | None
) -> tuple[list[PageVersion], str | None]:
    """Return some versions of a page, newest first, each with what it says and the one before, or the one of that
    number, does not; and the other way round. Raises NotFound for a page or version that does not exist."""
    (before,) = cursors.decode(cursor, int)
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id)
        rows = await connection.fetch(
            "page_versions", workspace=workspace, page_id=page_id, before=before, limit=limit + 1
        )
        base: list[PageSentence] | None = None
        if compared_to is not None:
            base = await connection.value("page_version", workspace=workspace, page_id=page_id, version=compared_to)
            if base is None:
                raise NotFound(f"The page has no version {compared_to}.")
        said = [sentence for one in rows for sentence in one["sentences"]]
        states = await pages.cited_states(connection, workspace, {page_id: [*said, *(base or [])]}, engine.now())
    engine.read_audit.note(principal, "page", [page.agent])
    shown = [shown_of(page_id, one["sentences"], states).all for one in rows]
    changes = differences(shown, shown_of(page_id, base, states).all if base is not None else None)
    kept, more = cursors.paginate(rows, limit, "version")
    return [
        PageVersion(
            version=one["version"], writer=one["writer"], dropped=one["dropped"], dream_id=one["dream_id"],
            written_at=one["written_at"], sentences=sentences, added=changed.added, removed=changed.removed,
        )
        for one, sentences, changed in zip(kept, shown, changes, strict=False)
    ], more  # fmt: skip


async def write(engine: Engine, workspace: UUID, page: StoredPage, new: Answer | None) -> bool:
    """Store a new answer of a page, if it has not been changed since it was read and the memories hold; and note that
    what was due is done. ``new``: None leaves the newest version. Return whether it was stored, or was not to be."""
    async with engine.db.transaction(workspace) as connection:
        now = engine.now()
        await agents.hold(connection, workspace, page.agent_id, NotFound(ABSENT))
        if new is not None and not await pages.hold_inputs(connection, workspace, new.inputs, now):
            return False
        locked = await connection.row("lock_page", workspace=workspace, id=page.id)
        if locked is None:
            raise NotFound(ABSENT)
        now_due = (locked["revision"], locked["due_at"], locked["due_dream_id"])
        if now_due != (page.revision, page.due_at, page.due_dream_id):
            return False
        if new is not None:
            await pages.add_version(connection, workspace, page.id, new.version, page.due_dream_id, now)
        await connection.run("settle_page", workspace=workspace, id=page.id, due_at=_next(page.trigger, now))
    return True


def _next(trigger: str, after: datetime) -> datetime | None:
    try:
        return next_time(trigger, after)
    except ValueError:
        return None


async def _owned(connection: Connection, principal: Principal, page_id: UUID, *, change: bool = False) -> StoredPage:
    """Return a page of the caller's agent, or of the workspace. Raises NotFound, and Forbidden where the caller may
    not ``change`` it."""
    page = await connection.first(
        StoredPage, "get_page", workspace=principal.workspace_id, id=page_id, agent=principal.agent
    )
    if page is None:
        raise NotFound(ABSENT)
    if change:
        principal.check_changes(page.owners)
    return page


async def _shown(connection: Connection, workspace: UUID, page_id: UUID, now: datetime) -> AnsweredPage:
    page = await connection.first(StoredPage, "get_page", workspace=workspace, id=page_id, agent=None)
    assert page is not None
    (shown,) = await shown_pages(connection, workspace, [page], now)
    return shown


async def _checked(engine: Engine, principal: Principal, content: Content) -> tuple[Content, datetime | None]:
    """Return the content as it may be stored, and when a crontab makes it due first. Raises InvalidInput."""
    try:
        due_at = await asyncio.to_thread(next_time, content.trigger, engine.now())
    except ValueError as error:
        raise InvalidInput(("body", "trigger"), f"must be dream, manual or a crontab of five fields: {error}") from None
    check_filters((await get_settings(engine, principal)).memory_types, ("body", "scope", "types"), content.scope.types)
    scope = content.scope
    kept = await redact_fields(engine, principal, {"question": content.question, "metadata": scope.metadata})
    masking, loc = await masking_of(engine, principal), ("body", "scope", "where")
    where = await kept_where(engine, principal.workspace_id, masking, scope.where, loc)
    user = principal.acting_user(scope.user)
    scope = scope.model_copy(update={"metadata": kept["metadata"], "where": where, "user": user})
    return content.model_copy(update={"question": kept["question"], "scope": scope}), due_at
