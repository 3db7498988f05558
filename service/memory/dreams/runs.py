"""Dreams as they are asked for and looked at: requested, listed, what each changed, and undone. Dreaming itself is the
worker's.

An undone dream leaves the state before it, or a refusal names what has changed since. The messages it read are due
again, unless a later dream of the same session has read on: nothing is dreamed about twice. So are the memories it
read, unless they have been changed and read since. What it concluded goes whatever became of it, and the conclusions it
replaced come back as far as they still hold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from math import ceil
from typing import NoReturn
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.dreams import Dream, DreamAction, DreamChange, DreamChanges, DreamStatus
from service.domain.ids import NO_KEY
from service.domain.json import JsonObject
from service.domain.limits import LimitHolder, Limits
from service.domain.principal import Principal
from service.errors import Conflict, NotFound, TemporaryLimitReached, Unavailable
from service.runtime import Runtime
from service.store import agents, dreams, insights, limits, memories, pages, proposals, subjects
from service.store.settings import agent_settings

WAIT_S = 300.0
POLL_S = 0.1
RETRY_DREAM_AFTER_S = 60
POLLS_PER_LEASE_CHECK = 10
ABANDONED_S = 15.0
"""A worker whose lease others wait for may be silent for so long: a database that hangs silences living ones as
well."""
MEMORY_OFF = "The memory of this agent is switched off (setting memory.enabled)."
OVER = frozenset({"succeeded", "failed", "undone", "dry_run"})
DreamCounts = Mapping[UUID, int]


@dataclass(frozen=True, slots=True)
class LockedDream:
    """A dream while it is locked."""

    status: DreamStatus
    watermarks: list[JsonObject]
    agent_id: UUID


@dataclass(frozen=True, slots=True)
class UndoableChange:
    """A change of a dream with what taking it back takes (``undo``); null where there is nothing to take back."""

    op: DreamAction
    memory_id: UUID | None
    undo: JsonObject | None
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChangedMemory:
    """A memory that a dream changed: the version it was left at, the columns (``row``) it had, and the sources that it
    was given."""

    version: int
    row: JsonObject
    sources: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class DescribedEntity:
    """An entity whose metadata a dream changed, from ``before`` to ``after``; ``updated_at`` as it was before."""

    id: UUID
    before: JsonObject
    after: JsonObject
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class MadeProposal:
    """A proposal of a dream at the version it was left at; the columns (``row``) that one had which waited already."""

    version: int
    row: JsonObject | None


async def request_dream(runtime: Runtime, principal: Principal, agent: str, *, dry_run: bool) -> Dream:
    """Queue a dream for the worker, due at once. A dream already queued is returned as it is.

    Raises Conflict where the agent's memory is switched off, and TemporaryLimitReached where too many wait or run.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await agents.existing_agent(connection, principal.workspace_id, principal.check_owns(agent))
        if not (await agent_settings(connection, principal.workspace_id, found.id)).memory.enabled:
            raise Conflict(MEMORY_OFF)
        before = await limits.unfinished_dreams(connection, principal.workspace_id)
        dream_id = await dreams.queue(
            connection, principal.workspace_id, found.id, trigger="api", dry_run=dry_run, now=runtime.now(),
            owners=principal.own, key_id=principal.key_id,
        )  # fmt: skip
        queued = await dreams.get(connection, principal.workspace_id, dream_id)
        _check_limits(principal, before, await limits.unfinished_dreams(connection, principal.workspace_id))
    assert queued is not None
    return queued


def _check_limits(principal: Principal, before: DreamCounts, after: DreamCounts) -> None:
    """Raise TemporaryLimitReached where a new dream passes a limit of those that wait or run at once."""
    held: list[tuple[LimitHolder, UUID, Limits]] = [("key", *one) for one in principal.key_limits]
    held.append(("workspace", NO_KEY, principal.workspace_limits))
    for of, holder, bound in held:
        most, used, wanted = bound.dreams_max, before.get(holder, 0), after.get(holder, 0)
        if most is not None and used < wanted > most:
            raise TemporaryLimitReached("dreams_max", of, max=most, used=used, retry_after_s=RETRY_DREAM_AFTER_S)


async def wait_for_dream(
    runtime: Runtime, principal: Principal, dream_id: UUID, disconnected: Callable[[], Awaitable[bool]]
) -> Dream:
    """Return the dream once it is over and, where the request names no user, the worker has let go of the agent, for
    whose other users it dreams in the same turn.

    Raises Unavailable when no worker finishes it in five minutes, when the worker that holds the agent is silent
    (another takes over when its lease ends), or the client has ``disconnected``.
    """
    for looked in range(int(WAIT_S / POLL_S)):
        dream = await get_dream(runtime, principal, dream_id)
        if dream.status in OVER and (principal.own or dream.dry_run or not await _is_held(runtime, principal, dream)):
            return dream
        if await disconnected():
            break
        if looked % POLLS_PER_LEASE_CHECK == 0:
            await _refuse_abandoned(runtime, principal, dream.agent)
        await asyncio.sleep(POLL_S)
    raise Unavailable("No worker has finished the dream yet; it stays queued.", retry_after_s=10)


async def _is_held(runtime: Runtime, principal: Principal, dream: Dream) -> bool:
    async with runtime.db.transaction(principal.workspace_id) as connection:
        held: bool = await connection.value("agent_is_held", workspace=principal.workspace_id, agent=dream.agent)
    return held


async def _refuse_abandoned(runtime: Runtime, principal: Principal, agent: str) -> None:
    async with runtime.db.transaction(principal.workspace_id) as connection:
        left_s: float | None = await connection.value(
            "abandoned_lease", workspace=principal.workspace_id, agent=agent, silent_s=ABANDONED_S
        )
    if left_s is not None:
        raise Unavailable(
            f"The worker that holds agent {agent!r} is silent; another takes over within {ceil(left_s)} s, when its "
            "lease ends. The dream stays queued.",
            retry_after_s=ceil(left_s),
        )


async def cancel_dream(runtime: Runtime, principal: Principal, dream_id: UUID) -> Dream:
    """End a dream that waits or runs; it leaves nothing, and what it was to read stays due until the next one.

    Raises NotFound, and Conflict for one that is over.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        held = await _lock_dream(connection, workspace, dream_id)
        settings = await agent_settings(connection, workspace, held.agent_id)
        now = runtime.now()
        ended = await dreams.cancel(
            connection, workspace, dream_id, error=f"Cancelled by {principal.actor}.",
            not_before=settings.next_dream(now), now=now,
        )  # fmt: skip
        if not ended:
            raise Conflict("This dream is over already.")
    return await get_dream(runtime, principal, dream_id)


async def visible_dream(connection: Connection, principal: Principal, dream_id: UUID) -> Dream:
    """Return a dream without its changes. Raises NotFound for an unknown one and for another agent's."""
    return _visible(principal, await dreams.get(connection, principal.workspace_id, dream_id))


async def get_dream(runtime: Runtime, principal: Principal, dream_id: UUID) -> Dream:
    """Return a dream with its changes. Raises NotFound for an unknown one and for another agent's."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return _visible(principal, await dreams.get_whole(connection, principal.workspace_id, dream_id))


async def list_dreams(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    status: DreamStatus | None,
    *,
    limit: int,
    cursor: str | None,
) -> tuple[list[Dream], str | None]:
    """Return a page of dreams, newest first, without their changes."""
    (before,) = cursors.decode(cursor, UUID)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await dreams.list_(
            connection,
            principal.workspace_id,
            agent=principal.reader_agent(agent),
            status=status,
            before=before,
            limit=limit + 1,
        )
    return cursors.paginate(rows, limit, "id")


def _visible(principal: Principal, dream: Dream | None) -> Dream:
    if dream is None or (principal.agent is not None and dream.agent != principal.agent):
        raise NotFound("There is no such dream here.")
    return dream


async def list_changes(
    runtime: Runtime,
    principal: Principal,
    dream_id: UUID,
    *,
    actions: Sequence[DreamAction] | None,
    type_: str | None,
    limit: int,
    cursor: str | None,
) -> DreamChanges:
    """Return a page of what a dream changed, in order; ``totals`` are of all actions.

    Raises NotFound for an unknown dream and for another agent's.
    """
    (after,) = cursors.decode(cursor, int)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        await visible_dream(connection, principal, dream_id)
        rows, totals = await dreams.list_changes(
            connection, principal.workspace_id, dream_id, actions=actions, type_=type_, after=after, limit=limit + 1
        )
    rows, more = cursors.paginate(rows, limit, "n")
    wanted = totals if actions is None else {name: totals.get(name, 0) for name in set(actions)}
    return DreamChanges(rows, more, sum(wanted.values()), totals)


async def undo_change(runtime: Runtime, principal: Principal, dream_id: UUID, n: int) -> DreamChange:
    """Take back one change of a dream that succeeded; links of a memory go with it. Return the change as it is then.

    Raises NotFound, and Conflict with a ``reason``: ``dream_not_succeeded``, ``already_undone``, ``not_undoable``,
    ``replaces_others`` (``changed``: the memories that it replaced), ``changed_since`` (``changed``), ``in_use`` (an
    entity that others speak of) or ``later_version`` (of the bulletin).
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        dream = await _lock_dream(connection, workspace, dream_id)
        change = await connection.first(
            UndoableChange, "undoable_change", workspace=workspace, dream_id=dream_id, ordinal=n
        )
        if dream.status != "succeeded":
            _refuse("dream_not_succeeded", f"Only a dream that has succeeded can be undone; it is {dream.status}.")
        if change is None:
            raise NotFound("This dream has no such change.")
        if change.undone_at is not None:
            _refuse("already_undone", "This change has been undone already.")
        if change.undo is None:
            _refuse("not_undoable", "There is nothing to take back of this change.")
        taken, ordinals = read_changes([change]), [n]
        if taken.created:
            ordinals += await _with_links(connection, workspace, dream_id, taken)
        await take_back(connection, workspace, dream_id, taken)
        await _refuse_remaining(connection, workspace, dream.agent_id, taken)
        if change.op == "linked" and change.memory_id is not None:
            await insights.retract_unsupported(connection, workspace, [change.memory_id])
        await connection.run(
            "mark_changes_undone", workspace=workspace, dream_id=dream_id, ordinals=ordinals, now=runtime.now()
        )
        (undone,), _ = await dreams.list_changes(
            connection, workspace, dream_id, actions=None, type_=None, after=n - 1, limit=1
        )
    return undone


async def _with_links(connection: Connection, workspace: UUID, dream_id: UUID, taken: Changes) -> list[int]:
    """Take the links of a memory back with it; return the numbers of their changes."""
    (memory_id,) = taken.created
    if replaced := await subjects.superseded_by(connection, workspace, [memory_id]):
        _refuse(
            "replaces_others", "This memory replaced others: undo that change first.",
            changed=sorted(map(str, replaced)),
        )  # fmt: skip
    links = await connection.fetch("links_of_memory", workspace=workspace, dream_id=dream_id, memory_id=memory_id)
    taken.edges += [row["edge_id"] for row in links]
    return [row["ordinal"] for row in links]


async def _refuse_remaining(connection: Connection, workspace: UUID, agent_id: UUID, taken: Changes) -> None:
    if any(memory_id not in taken.changed for memory_id in taken.fallen):
        _refuse("changed_since", "This conclusion no longer holds.", changed=sorted(map(str, taken.fallen)))
    if taken.entities or taken.bulletins:
        rows = await connection.fetch(
            "remaining", workspace=workspace, agent_id=agent_id, entities=taken.entities, versions=taken.bulletins
        )
        left = [row["id"] for row in rows]
        if left and taken.entities:
            _refuse("in_use", "Memories speak of this entity, or it has been changed.", changed=left)
        if left:
            _refuse("later_version", "A later version of the bulletin follows.")


def _refuse(reason: str, message: str, *, changed: Sequence[str] | None = None) -> NoReturn:
    raise Conflict(message, reason=reason, **({"changed": changed} if changed is not None else {}))


async def undo_dream(runtime: Runtime, principal: Principal, dream_id: UUID) -> Dream:
    """Take back everything a dream did; return the dream, now ``undone``.

    Raises NotFound, and Conflict (with the ids ``changed``) when the dream did not succeed, or when a row it touched
    has been changed since.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        dream = await _lock_dream(connection, workspace, dream_id)
        if dream.status != "succeeded":
            raise Conflict(f"Only a dream that has succeeded can be undone; this one is {dream.status}.")
        changes = await connection.many(UndoableChange, "undoable_changes", workspace=workspace, dream_id=dream_id)
        await take_back(connection, workspace, dream_id, read_changes(changes))
        await connection.run("undo_watermarks", workspace=workspace, items=dream.watermarks)
        await connection.run("undo_readings", workspace=workspace, dream_id=dream_id)
        await connection.run("reopen_dead_letters", workspace=workspace, dream_id=dream_id)
        await pages.take_back(connection, workspace, dream_id, dream.agent_id, runtime.now())
        await connection.run("mark_undone", workspace=workspace, id=dream_id)
    return await get_dream(runtime, principal, dream_id)


async def _lock_dream(connection: Connection, workspace: UUID, dream_id: UUID) -> LockedDream:
    """Lock a dream. No dream of its agent commits until the transaction ends. Raises NotFound where it has been deleted
    meanwhile."""
    agent_id: UUID | None = await connection.value("dream_agent", workspace=workspace, id=dream_id)
    await connection.run("hold_schedule", workspace=workspace, agent_id=agent_id)
    dream = await connection.first(LockedDream, "lock_dream", workspace=workspace, id=dream_id)
    if dream is None:
        raise NotFound("There is no such dream here.")
    return dream


@dataclass(slots=True)
class Changes:
    """Changes of a dream, sorted by what taking them back means."""

    created: dict[UUID, int] = field(default_factory=dict)
    changed: dict[UUID, ChangedMemory] = field(default_factory=dict)
    edges: list[UUID] = field(default_factory=list)
    entities: list[UUID] = field(default_factory=list)
    described: list[DescribedEntity] = field(default_factory=list)
    bulletins: list[int] = field(default_factory=list)
    concluded: list[UUID] = field(default_factory=list)
    fallen: dict[UUID, ChangedMemory] = field(default_factory=dict)
    proposals: dict[UUID, MadeProposal] = field(default_factory=dict)


def read_changes(changes: Iterable[UndoableChange]) -> Changes:
    """Return what taking these changes back means."""
    taken = Changes()
    for change in changes:
        undo = change.undo
        if undo is None:
            continue
        match change.op:
            case "linked":
                taken.edges.append(UUID(undo["edge_id"]))
            case "entity" if "before" in undo:
                taken.described.append(_described_entity(undo))
            case "entity":
                taken.entities.append(UUID(undo["entity_id"]))
            case "bulletin":
                taken.bulletins.append(undo["version"])
            case "proposed":
                taken.proposals[UUID(undo["proposal_id"])] = MadeProposal(undo["version"], undo.get("row"))
            case _ if change.memory_id is not None:
                _read_memory(taken, change.op, change.memory_id, undo)
    return taken


def _read_memory(taken: Changes, op: DreamAction, memory_id: UUID, undo: JsonObject) -> None:
    match op:
        case "created" if undo.get("insight"):
            taken.concluded.append(memory_id)
        case "superseded" if undo.get("insight"):
            taken.fallen[memory_id] = _changed_memory(undo)
        case "created":
            taken.created[memory_id] = undo["version"]
        case "reinforced" | "superseded" | "completed" | "reopened":
            changed = _changed_memory(undo)
            taken.changed[memory_id] = replace(taken.changed.get(memory_id, changed), version=changed.version)


def _changed_memory(undo: JsonObject) -> ChangedMemory:
    return ChangedMemory(undo["version"], undo["row"], [UUID(message) for message in undo.get("sources", ())])


def _described_entity(undo: JsonObject) -> DescribedEntity:
    updated_at = datetime.fromisoformat(undo["updated_at"])
    return DescribedEntity(UUID(undo["entity_id"]), undo["before"], undo["after"], updated_at)


async def take_back(connection: Connection, workspace: UUID, dream_id: UUID, taken: Changes) -> None:
    """Restore what was before these changes. Raises Conflict (``changed``) when what they did has changed since."""
    changed = await _take_proposals_back(connection, workspace, taken.proposals)
    versions = taken.created | {memory_id: one.version for memory_id, one in taken.changed.items()}
    locked = await memories.lock_all(connection, workspace, list(versions))
    changed += [
        memory_id
        for memory_id, version in versions.items()
        if memory_id not in locked or locked[memory_id].version != version
    ]
    depending = await connection.fetch(
        "depended_on", workspace=workspace, dream_id=dream_id, ids=list(taken.created), edges=taken.edges
    )
    changed += [row["id"] for row in depending]
    _refuse_changed(changed)
    await connection.run("undo_edges", workspace=workspace, ids=taken.edges)
    await insights.remove(connection, workspace, taken.concluded)
    taken.changed |= await _restorable(connection, workspace, taken.fallen)
    await _remove_memories(connection, workspace, list(taken.created))
    for one in taken.described:
        await connection.run("undo_entity_metadata", workspace=workspace, **asdict(one))
    await connection.run("undo_entities", workspace=workspace, ids=taken.entities)
    await _restore_memories(connection, workspace, taken.changed)
    for memory_id in taken.changed:
        stored = await memories.lock(connection, workspace, memory_id)
        assert stored is not None
        if stored.live:
            duplicate = await memories.find_duplicate(connection, workspace, stored)
            _refuse_changed([duplicate] if duplicate not in (None, memory_id) else [])
        await memories.index_fields(connection, workspace, memory_id)
        await memories.reindex(connection, workspace, memory_id)
    await insights.retract_unsupported(connection, workspace, list(taken.changed))
    if taken.bulletins:
        await connection.run("undo_bulletin", workspace=workspace, dream_id=dream_id, versions=taken.bulletins)


async def _remove_memories(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete memories for good, with their search rows, posting lists, sources and history, and what was concluded from
    them."""
    await insights.remove(connection, workspace, await insights.resting_on(connection, workspace, ids))
    for query in ("undo_terms", "undo_index", "undo_memories"):
        await connection.run(query, workspace=workspace, ids=ids)


async def _restore_memories(connection: Connection, workspace: UUID, undone: Mapping[UUID, ChangedMemory]) -> None:
    """Set the columns that memories had again, and forget the versions and sources added since."""
    items = [{"id": memory_id, "row": one.row} for memory_id, one in undone.items()]
    await connection.run("restore_rows", workspace=workspace, items=items)
    await connection.run("undo_versions", workspace=workspace, items=items)
    pairs = [(memory_id, message) for memory_id, one in undone.items() for message in one.sources]
    await connection.run(
        "undo_sources",
        workspace=workspace,
        memory_ids=[memory for memory, _ in pairs],
        message_ids=[message for _, message in pairs],
    )


async def _restorable(
    connection: Connection, workspace: UUID, fallen: Mapping[UUID, ChangedMemory]
) -> dict[UUID, ChangedMemory]:
    """Return the conclusions that are as the dream left them, and that nothing says by now."""
    locked = await memories.lock_all(connection, workspace, list(fallen))
    found = {}
    for memory_id, stored in locked.items():
        as_left = stored.version == fallen[memory_id].version and stored.deleted_at is None
        if as_left and await memories.find_duplicate(connection, workspace, stored) is None:
            found[memory_id] = fallen[memory_id]
    return found


async def _take_proposals_back(
    connection: Connection, workspace: UUID, proposed: Mapping[UUID, MadeProposal]
) -> list[UUID | None]:
    """Take back the proposals that still wait as the dream left them; return those that were accepted, or said again
    since. What was rejected stays rejected."""
    rows = await proposals.lock(connection, workspace, list(proposed))
    waiting = {id_: row for id_, row in rows.items() if row.status == "proposed"}
    as_left = [id_ for id_, row in waiting.items() if row.version == proposed[id_].version]
    await connection.run(
        "undo_proposals", workspace=workspace, ids=[id_ for id_ in as_left if proposed[id_].row is None]
    )
    said_again = [row | {"id": id_} for id_ in as_left if (row := proposed[id_].row) is not None]
    await connection.run("restore_proposals", workspace=workspace, items=said_again)
    accepted = [row.memory_id for row in rows.values() if row.status in ("accepted", "edited")]
    return [*accepted, *(id_ for id_ in waiting if id_ not in as_left)]


def _refuse_changed(changed: Iterable[UUID | None]) -> None:
    ids = sorted({str(id_) for id_ in changed})
    if ids:
        raise Conflict("What this dream did has been changed or built upon since.", changed=ids, reason="changed_since")
