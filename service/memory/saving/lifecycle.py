"""One memory's life after its save: read, list, change, delete, restore, history."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import Literal
from uuid import UUID

from pydantic import ValidationError

from service.db.pool import Columns, Connection
from service.db.queries import Flags
from service.db.records import make
from service.db.viewing import current_viewer
from service.domain import cursors
from service.domain.drafts import MemoryDraft, MemoryPatch
from service.domain.memory import (
    Memory,
    MemoryFields,
    MemoryPage,
    MemorySource,
    MemoryStats,
    MemoryVersion,
    StoredMemory,
    TypeStats,
)
from service.domain.origin import least_trusted
from service.domain.principal import Principal
from service.domain.validation import reason_of
from service.domain.where import Where
from service.errors import Conflict, Forbidden, InvalidInput, NotFound, StaleVersion
from service.memory.access import audit
from service.memory.access.redaction import BODY, masking_of, redact_lenient, redact_patch, where_query
from service.memory.access.workspace import check_filters, get_settings
from service.memory.counters import ReadCounter
from service.memory.saving.remember import check_expiry, check_types, insert_of
from service.memory.saving.scopes import resolve_scope
from service.runtime import Runtime
from service.store import agents, memories
from service.store.settings import workspace_settings
from service.store.where import where_flag

NEVER_NULL = {"importance", "owners"} | {
    name for name, field in MemoryDraft.model_fields.items() if field.is_required() or field.default is not None
}
"""Fields that a change may not empty."""
FEEDBACK_STEP = 0.1
TOTAL_MAX = 100_000
"""Memories of a list are counted up to here."""
MemorySort = Literal["newest", "oldest", "happened", "recalled", "importance"]
ABSENT = "There is no such memory here."


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Which memories to list; None does not restrict."""

    types: list[str] | None = None
    scopes: list[str] | None = None
    session: str | None = None
    user: str | None = None
    tag: str | None = None
    key: str | None = None
    source: str | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    created_since: datetime | None = None
    created_until: datetime | None = None
    with_deleted: bool = False
    with_superseded: bool = False
    with_expired: bool = False
    min_importance: float | None = None
    where: Where | None = None
    as_of: datetime | None = None
    """When they held, as they were then; None for now."""

    def columns(self) -> Columns:
        """Everything but ``where`` and ``as_of``, as the queries of lists name it."""
        return {name: getattr(self, name) for name in self.__slots__ if name not in ("where", "as_of")}


async def resolve_reader(connection: Connection, principal: Principal, named: str | None) -> agents.Reader | None:
    """Return the reader of a read: an agent, or None for a key that sees the workspace and names no agent.

    From here on the transaction reads as the agent's own setting ``users`` says. Raises NotFound for an unknown
    agent.
    """
    agent = principal.reader_agent(named)
    if agent is None:
        return None
    reader = await agents.reader(connection, principal.workspace_id, agents.ReaderKey(agent))
    if reader is None:
        raise NotFound(f"There is no agent {agent!r} here.")
    if reader.settings.users == "shared":
        await connection.view_as("everybody")
    elif reader.settings.users == "strict" and current_viewer() == "everybody":
        await connection.view_as("nobody")
    return reader


async def get_memory(runtime: Runtime, principal: Principal, memory_id: UUID, *, include: frozenset[str]) -> Memory:
    """Return one memory that the caller may see. Deleted and expired ones are NotFound unless included."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        memory = await _load_visible(connection, principal, memory_id)
    if (memory.deleted_at is not None and "deleted" not in include) or (
        memory.expires_at is not None and memory.expires_at <= runtime.now() and "expired" not in include
    ):
        raise NotFound(ABSENT)
    runtime.part(ReadCounter).note(principal, "memory", [memory.agent])
    return memory


async def list_memories(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    filter_: ListFilter,
    *,
    sort: MemorySort = "newest",
    with_total: bool = False,
    limit: int,
    cursor: str | None,
) -> MemoryPage:
    """Return a page of memories, with ``with_total`` how many there are, counted up to TOTAL_MAX; an unknown agent has
    none."""
    if filter_.as_of is not None:
        filter_ = _of_the_past(filter_, sort)
    before_key, before_id = cursors.decode(cursor, str if sort == "importance" else datetime, UUID)
    if sort == "importance" and before_key is not None:
        before_key = cursors.number(before_key)
    check_filters((await get_settings(runtime, principal)).memory_types, ("query", "type"), filter_.types)
    filter_ = await masked_filter(runtime, principal, filter_)
    where = await where_query(runtime, principal, filter_.where)
    past = filter_.as_of
    flags: Flags = {"where": where_flag(where), "past": past is not None}
    values = filter_.columns() | {"now": past or runtime.now(), "where_values": where and where.values, "as_of": past}
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        try:
            reader = await resolve_reader(connection, principal, agent)
        except NotFound:
            return MemoryPage([], None, 0 if with_total else None)
        values |= {"workspace": workspace, **agents.seen_by(reader)}
        found = await connection.many(
            Memory, "list_memories", {**flags, "order": sort}, before_key=before_key, before_id=before_id,
            limit=limit + 1, **values,
        )  # fmt: skip
        total: int | None = None
        if with_total:
            total = (await connection.one("count_memories", flags, bound=TOTAL_MAX, **values))["count"]
    more = cursors.encode(_sort_key(found[limit - 1], sort), found[limit - 1].id) if len(found) > limit else None
    found = found[:limit]
    runtime.part(ReadCounter).note(
        principal, "memories", [principal.reader_agent(agent), *(one.agent for one in found)]
    )
    return MemoryPage(found, more, total)


def _of_the_past(filter_: ListFilter, sort: MemorySort) -> ListFilter:
    """Return the filter with what held then whatever has replaced it since. Raises InvalidInput for what is known of
    now alone."""
    if filter_.with_deleted or filter_.with_superseded or filter_.with_expired:
        raise InvalidInput(("query", "include"), "cannot be combined with as_of: a list of the past has what held then")
    if sort == "recalled":
        raise InvalidInput(("query", "sort"), "recalled cannot be combined with as_of: recalls are those until now")
    return replace(filter_, with_superseded=True)


def _sort_key(memory: Memory, sort: MemorySort) -> str | datetime:
    """Return where a memory stands in an order."""
    match sort:
        case "importance":
            return repr(memory.importance)
        case "happened":
            return memory.occurred_at or memory.created_at
        case "recalled":
            return memory.last_accessed_at or datetime.fromtimestamp(0, UTC)
        case _:
            return memory.created_at


async def memory_stats(runtime: Runtime, principal: Principal, agent: str | None) -> MemoryStats:
    """Count the live memories the caller may see, all together and by type; an unknown agent has none."""
    workspace, rows = principal.workspace_id, []
    async with runtime.db.transaction(workspace) as connection:
        with suppress(NotFound):
            reader = await resolve_reader(connection, principal, agent)
            rows = await connection.fetch(
                "memory_stats", workspace=workspace, now=runtime.now(), **agents.seen_by(reader)
            )
    types = {row["type"]: make(TypeStats, row) for row in rows}
    counted = types.values()
    return MemoryStats(
        memories=sum(one.memories for one in counted), tokens=sum(one.tokens for one in counted),
        pending=sum(one.pending for one in counted), recalled=sum(one.recalled for one in counted), types=types,
    )  # fmt: skip


async def masked_filter(runtime: Runtime, principal: Principal, filter_: ListFilter) -> ListFilter:
    """Return the filter as what it filters was stored."""
    names = ("source", "text")
    values = await redact_lenient(
        runtime, await masking_of(runtime, principal), [getattr(filter_, name) for name in names]
    )
    return replace(filter_, **dict(zip(names, values, strict=True)))


async def change_memory(runtime: Runtime, principal: Principal, memory_id: UUID, patch: MemoryPatch) -> Memory:
    """Change a memory and keep the former version. New content is embedded again.

    Raises StaleVersion when it changed since ``patch.version``, NotFound when it is not visible or deleted,
    Forbidden when it belongs to another agent, Conflict when it would repeat another memory.
    """
    principal.require_write()
    given = patch.model_fields_set - {"version", "reason"}
    for field in given & NEVER_NULL:
        if getattr(patch, field) is None:
            raise InvalidInput(("body", field), "must not be null")
    now = runtime.now()
    check_expiry(patch.expires_at, now, BODY)
    patch = await redact_patch(runtime, principal, patch)
    principal.owners_of(patch.owners, None, "separate")
    async with runtime.db.transaction(principal.workspace_id) as connection:
        present = await load_owned(connection, principal, memory_id)
        types = (await workspace_settings(connection, principal.workspace_id)).memory_types
    draft = _patched(present, patch, given)
    if given & {"type", "metadata"}:
        await check_types(runtime, types, [draft], [BODY])
    embedded = await runtime.embed([draft.content]) if draft.content != present.content else None
    async with runtime.db.transaction(principal.workspace_id, viewer=principal.writes_as) as connection:
        locked = await memories.lock(connection, principal.workspace_id, memory_id)
        if locked is None or locked.deleted_at is not None:
            raise NotFound(ABSENT)
        if locked.version != patch.version:
            raise StaleVersion(
                f"The memory is at version {locked.version}, not {patch.version}; read it again.",
                version=locked.version,
            )
        moved = bool(given & {"scope", "team", "task"})
        place = await resolve_scope(connection, principal, draft, owner=present.agent, moved=moved)
        wanted = insert_of(draft, place, principal.actor, now, types=types).memory
        duplicate = await memories.find_duplicate(connection, principal.workspace_id, wanted)
        if duplicate is not None and duplicate != memory_id:
            raise Conflict("Another memory says the same already.", memory_id=str(duplicate))
        await memories.rewrite(
            connection, principal.workspace_id, memory_id, wanted, embedded,
            actor=principal.actor, reason=patch.reason or "changed", now=now,
        )  # fmt: skip
        (changed,) = await memories.get(connection, principal.workspace_id, [memory_id], None)
    return changed


async def delete_memory(runtime: Runtime, principal: Principal, memory_id: UUID, *, hard: bool = False) -> None:
    """Delete a memory: hidden at once everywhere, restorable until it is collected. ``hard`` removes it and its
    versions at once, also one that is deleted already; that is for admins, and goes into the audit log. Raises NotFound
    and Forbidden."""
    principal.require_write()
    if hard:
        principal.require_admin()
    workspace, now = principal.workspace_id, runtime.now()
    async with runtime.db.transaction(workspace) as connection:
        await load_owned(connection, principal, memory_id, deleted=hard)
        locked = await memories.lock(connection, workspace, memory_id)
        if locked is None or (locked.deleted_at is not None and not hard):
            raise NotFound(ABSENT)
        if locked.deleted_at is None:
            change = memories.Change(actor=principal.actor, reason="deleted", now=now)
            await memories.mark_deleted(connection, workspace, memory_id, now, **change)
        if hard:
            await memories.remove(connection, workspace, [memory_id])
            await audit.record(connection, principal, "memory.removed", target=str(memory_id))


async def record_feedback(runtime: Runtime, principal: Principal, memory_id: UUID, *, useful: bool) -> Memory:
    """Say whether a memory was of use: its importance moves by a tenth; the history says why.

    Whoever may read it may rate it, with a key of a user what is that user's alone. Raises NotFound for one that is not
    there or deleted, and Forbidden.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        principal.check_changes((await _load_visible(connection, principal, memory_id)).owners)
        locked = await memories.lock(connection, principal.workspace_id, memory_id)
        if locked is None or locked.deleted_at is not None:
            raise NotFound(ABSENT)
        await memories.set_importance(
            connection, principal.workspace_id, memory_id, step=FEEDBACK_STEP if useful else -FEEDBACK_STEP,
            actor=principal.actor, reason=f"feedback: {'useful' if useful else 'not useful'}", now=runtime.now(),
        )  # fmt: skip
        (changed,) = await memories.get(connection, principal.workspace_id, [memory_id], None)
    return changed


async def restore_memory(runtime: Runtime, principal: Principal, memory_id: UUID) -> Memory:
    """Bring a deleted memory back under the same id, and make one current again that another had replaced or folded.

    A memory that is neither is given as it is. Raises Conflict when another one has taken its key or says the same, and
    for an insight that what it rests on no longer supports.
    """
    principal.require_write()
    workspace, now = principal.workspace_id, runtime.now()
    async with runtime.db.transaction(workspace) as connection:
        await load_owned(connection, principal, memory_id, deleted=True)
        locked = await memories.lock(connection, workspace, memory_id)
        if locked is None:
            raise NotFound(ABSENT)
        return await bring_back(connection, principal, locked, now)


async def bring_back(connection: Connection, principal: Principal, locked: StoredMemory, now: datetime) -> Memory:
    """Undelete a locked memory, or make it current again, and return it. Raises Conflict as ``restore_memory``."""
    workspace, memory_id = principal.workspace_id, locked.id
    deleted, replaced = locked.deleted_at is not None, locked.superseded_by is not None
    if deleted != replaced:
        duplicate = await memories.find_duplicate(connection, workspace, locked)
        if duplicate is not None:
            raise Conflict("Another memory has taken its place since.", memory_id=str(duplicate))
    if deleted:
        await memories.mark_deleted(
            connection, workspace, memory_id, None, actor=principal.actor, reason="restored", now=now
        )
    elif replaced:
        await memories.reinstate(connection, workspace, memory_id, actor=principal.actor, reason="restored", now=now)
    present = await memories.get(connection, workspace, [memory_id], None)
    if not present:
        raise Conflict("What this insight was concluded from has changed since.")
    return present[0]


async def memory_history(runtime: Runtime, principal: Principal, memory_id: UUID) -> list[MemoryVersion]:
    """Return every version of a memory the caller may see, deleted ones included, oldest first.

    Whom it was shared with later sees the versions since, not what was private before.
    """
    async with runtime.db.transaction(principal.workspace_id) as connection:
        memory = await _load_visible(connection, principal, memory_id)
        runtime.part(ReadCounter).note(principal, "history", [memory.agent])
        versions = await connection.many(
            MemoryVersion, "memory_history", workspace=principal.workspace_id, id=memory_id
        )
    if principal.agent in (None, memory.agent) and current_viewer() == "everybody":
        return versions
    return _since_shared(versions)


def _since_shared(versions: list[MemoryVersion]) -> list[MemoryVersion]:
    """Return the last versions that were all shared alike."""

    def sharing(version: MemoryVersion) -> tuple[object, ...]:
        return version.owners, version.scope, version.team, version.task, version.session

    alike = takewhile(lambda version: sharing(version) == sharing(versions[-1]), reversed(versions))
    return list(alike)[::-1]


async def memory_sources(runtime: Runtime, principal: Principal, memory_id: UUID) -> list[MemorySource]:
    """Return the messages a memory was made of; those of another agent's sessions are left out."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        memory = await _load_visible(connection, principal, memory_id)
        runtime.part(ReadCounter).note(principal, "sources", [memory.agent])
        return await connection.many(
            MemorySource, "memory_messages", workspace=principal.workspace_id, id=memory_id, owner=principal.agent
        )


async def _load_visible(connection: Connection, principal: Principal, memory_id: UUID) -> Memory:
    reader = await resolve_reader(connection, principal, None)
    found = await memories.get(connection, principal.workspace_id, [memory_id], reader)
    if not found:
        raise NotFound(ABSENT)
    return found[0]


async def load_owned(connection: Connection, principal: Principal, memory_id: UUID, *, deleted: bool = False) -> Memory:
    """Return a memory that the caller may change. Raises NotFound, and Forbidden for another agent's, and with a key of
    a user for what is not that user's alone."""
    memory = await _load_visible(connection, principal, memory_id)
    if principal.agent is not None and memory.agent != principal.agent:
        raise Forbidden("This memory belongs to another agent; only its author or an admin may change it.")
    if memory.deleted_at is not None and not deleted:
        raise NotFound(ABSENT)
    principal.check_changes(memory.owners)
    return memory


def _patched(memory: Memory, patch: MemoryPatch, given: set[str]) -> MemoryDraft:
    """Return the memory as it will be: its present fields with the patch over them, metadata merged one level deep.

    An edit of the content has the less trusted of both origins: correcting the words of a tool or a model does not make
    them the user's.
    """
    names = (MemoryDraft.model_fields.keys() & MemoryFields.__slots__) - {"created_at"}
    present = {name: getattr(memory, name) for name in names}
    changed = {name: getattr(patch, name) for name in given}
    if "metadata" in changed:
        changed["metadata"] = memory.metadata | changed["metadata"]
    if "content" in given and "summary" not in given:
        changed["summary"] = None
    if "content" in given:
        edited = patch.content != memory.content
        by = changed.get("origin") or ("api" if edited else memory.origin)
        changed["origin"] = least_trusted((memory.origin, by))
    if "type" in given and patch.type != "todo":
        changed.setdefault("status", None)
    try:
        return MemoryDraft.model_validate(present | changed)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(("body", *first["loc"]), reason_of(first)) from error
