"""Undoing a dream: the state before it, or a refusal that names what has changed since.

The messages it read are due again, unless a later dream of the same session has read on: nothing is dreamed about
twice. So are the memories it read, unless they have been changed and read since. What it concluded goes whatever became
of it, and the conclusions it replaced come back as far as they still hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.dreams import Dream, DreamAction
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.errors import Conflict
from service.memory.dreams.dream_requests import get_dream, visible_dream
from service.memory.engine import Engine
from service.store import insights, memories, pages, proposals
from service.store import undo as store
from service.store.undo import ChangedMemory, DescribedEntity, MadeProposal, UndoableChange


async def undo_dream(engine: Engine, principal: Principal, dream_id: UUID) -> Dream:
    """Take back everything a dream did; return the dream, now ``undone``.

    Raises NotFound, and Conflict (with the ids ``changed``) when the dream did not succeed, or when a row it touched
    has been changed since.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        dream = await store.lock_dream(connection, workspace, dream_id)
        if dream.status != "succeeded":
            raise Conflict(f"Only a dream that has succeeded can be undone; this one is {dream.status}.")
        changes = await connection.many(UndoableChange, "undoable_changes", workspace=workspace, dream_id=dream_id)
        await take_back(connection, workspace, dream_id, read_changes(changes))
        await connection.run("undo_watermarks", workspace=workspace, items=dream.watermarks)
        await connection.run("undo_readings", workspace=workspace, dream_id=dream_id)
        await connection.run("reopen_dead_letters", workspace=workspace, dream_id=dream_id)
        await pages.take_back(connection, workspace, dream_id, dream.agent_id, engine.now())
        await connection.run("mark_undone", workspace=workspace, id=dream_id)
    return await get_dream(engine, principal, dream_id)


@dataclass(slots=True)
class Changes:
    """What a dream did, sorted by what taking it back means."""

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
    rows = await memories.lock_all(connection, workspace, list(versions))
    changed += [
        memory_id
        for memory_id, version in versions.items()
        if memory_id not in rows or rows[memory_id]["version"] != version
    ]
    changed += await store.depended_on(connection, workspace, dream_id, list(taken.created), taken.edges)
    _refuse(changed)
    await connection.run("undo_edges", workspace=workspace, ids=taken.edges)
    await insights.remove(connection, workspace, taken.concluded)
    taken.changed |= await _restorable(connection, workspace, taken.fallen)
    await store.remove_memories(connection, workspace, list(taken.created))
    await store.restore_metadata(connection, workspace, taken.described)
    await connection.run("undo_entities", workspace=workspace, ids=taken.entities)
    await store.restore_memories(connection, workspace, taken.changed)
    for memory_id in taken.changed:
        row = await memories.lock(connection, workspace, memory_id)
        assert row is not None
        if row["deleted_at"] is None and row["superseded_by"] is None:
            duplicate = await memories.duplicate_of(connection, workspace, row)
            _refuse([duplicate] if duplicate not in (None, memory_id) else [])
        await memories.index_fields(connection, workspace, memory_id)
        await memories.reindex(connection, workspace, memory_id)
    await insights.let_fall(connection, workspace, list(taken.changed))
    await store.remove_bulletins(connection, workspace, dream_id, taken.bulletins)


async def _restorable(
    connection: Connection, workspace: UUID, fallen: Mapping[UUID, ChangedMemory]
) -> dict[UUID, ChangedMemory]:
    """Return the conclusions that are as the dream left them, and that nothing says by now."""
    rows = await memories.lock_all(connection, workspace, list(fallen))
    found = {}
    for memory_id, row in rows.items():
        as_left = row["version"] == fallen[memory_id].version and row["deleted_at"] is None
        if as_left and await memories.duplicate_of(connection, workspace, row) is None:
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


def _refuse(changed: Iterable[UUID | None]) -> None:
    ids = sorted({str(id_) for id_ in changed})
    if ids:
        raise Conflict("What this dream did has been changed or built upon since.", changed=ids, reason="changed_since")
