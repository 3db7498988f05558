"""Undoing a dream: the state before it, or a refusal that names what has changed since.

The messages it read are due again, unless a later dream of the same session has read on: nothing is dreamed about
twice. So are the memories it read, unless they have been changed and read since. What it concluded goes whatever became
of it, and the conclusions it replaced come back as far as they still hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.principal import Principal
from service.errors import Conflict
from service.memory.dreams.dream_requests import get_dream, visible_dream
from service.memory.engine import Engine
from service.store import dead_letters, insights, memories, pages, proposals
from service.store import undo as store

Record = dict[str, Any]


async def undo_dream(engine: Engine, principal: Principal, dream_id: UUID) -> Record:
    """Take back everything a dream did; the dream, now ``undone``.

    Raises NotFound, and Conflict (with the ids ``changed``) when the dream did not succeed, or when a row it touched
    has been changed since.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        await visible_dream(connection, principal, dream_id)
        record = await store.lock_dream(connection, workspace, dream_id)
        if record["status"] != "succeeded":
            raise Conflict(f"Only a dream that has succeeded can be undone; this one is {record['status']}.")
        taken = read_changes(await store.changes(connection, workspace, dream_id))
        await take_back(connection, workspace, dream_id, taken)
        await store.restore_watermarks(connection, workspace, record["watermarks"])
        await store.restore_unread(connection, workspace, dream_id)
        await dead_letters.reopen(connection, workspace, dream_id)
        await pages.take_back(connection, workspace, dream_id, record["agent_id"], engine.now())
        await store.mark_undone(connection, workspace, dream_id)
    return await get_dream(engine, principal, dream_id)


@dataclass(slots=True)
class Changes:
    """What a dream did, sorted by what taking it back means."""

    created: dict[UUID, int] = field(default_factory=dict)
    changed: dict[UUID, Record] = field(default_factory=dict)
    edges: list[UUID] = field(default_factory=list)
    entities: list[UUID] = field(default_factory=list)
    described: list[Record] = field(default_factory=list)
    bulletins: list[int] = field(default_factory=list)
    concluded: list[UUID] = field(default_factory=list)
    fallen: dict[UUID, Record] = field(default_factory=dict)
    proposals: dict[UUID, Record] = field(default_factory=dict)


def read_changes(changes: Iterable[Any]) -> Changes:
    """What taking these changes back means."""
    taken = Changes()
    for change in changes:
        undo = change["undo"]
        match change["op"]:
            case "created" if undo.get("insight"):
                taken.concluded.append(change["memory_id"])
            case "superseded" if undo.get("insight"):
                taken.fallen[change["memory_id"]] = undo
            case "created":
                taken.created[change["memory_id"]] = undo["version"]
            case "reinforced" | "superseded" | "completed" | "reopened":
                first = taken.changed.get(change["memory_id"], undo)
                taken.changed[change["memory_id"]] = first | {"version": undo["version"]}
            case "linked":
                taken.edges.append(UUID(undo["edge_id"]))
            case "entity" if "before" in undo:
                taken.described.append(undo)
            case "entity":
                taken.entities.append(UUID(undo["entity_id"]))
            case "bulletin":
                taken.bulletins.append(undo["version"])
            case "proposed":
                taken.proposals[UUID(undo["proposal_id"])] = undo
    return taken


async def take_back(connection: Connection, workspace: UUID, dream_id: UUID, taken: Changes) -> None:
    """Restore what was before these changes. Raises Conflict (``changed``) when what they did has changed since."""
    changed = await _take_proposals_back(connection, workspace, taken.proposals)
    versions = taken.created | {memory_id: undo["version"] for memory_id, undo in taken.changed.items()}
    rows = await memories.lock_all(connection, workspace, list(versions))
    changed += [
        memory_id
        for memory_id, version in versions.items()
        if memory_id not in rows or rows[memory_id]["version"] != version
    ]
    changed += await store.depended_on(connection, workspace, dream_id, list(taken.created), taken.edges)
    _refuse(changed)
    await store.remove_edges(connection, workspace, taken.edges)
    await insights.remove(connection, workspace, taken.concluded)
    taken.changed |= await _restorable(connection, workspace, taken.fallen)
    await store.remove_memories(connection, workspace, list(taken.created))
    await store.restore_metadata(connection, workspace, taken.described)
    await store.remove_entities(connection, workspace, taken.entities)
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


async def _restorable(connection: Connection, workspace: UUID, fallen: dict[UUID, Record]) -> dict[UUID, Record]:
    """The conclusions that are as the dream left them, and that nothing says by now."""
    rows = await memories.lock_all(connection, workspace, list(fallen))
    found = {}
    for memory_id, row in rows.items():
        as_left = row["version"] == fallen[memory_id]["version"] and row["deleted_at"] is None
        if as_left and await memories.duplicate_of(connection, workspace, row) is None:
            found[memory_id] = fallen[memory_id]
    return found


async def _take_proposals_back(connection: Connection, workspace: UUID, proposed: Mapping[UUID, Record]) -> list[UUID]:
    """Take back the proposals that still wait as the dream left them; those that were accepted, or said again since.
    What was rejected stays rejected."""
    rows = await proposals.lock(connection, workspace, list(proposed))
    waiting = {id_: row for id_, row in rows.items() if row["status"] == "proposed"}
    as_left = [id_ for id_, row in waiting.items() if row["version"] == proposed[id_]["version"]]
    await proposals.remove(connection, workspace, [id_ for id_ in as_left if "row" not in proposed[id_]])
    await proposals.restore(
        connection, workspace, {id_: proposed[id_]["row"] for id_ in as_left if "row" in proposed[id_]}
    )
    accepted = [row["memory_id"] for row in rows.values() if row["status"] in ("accepted", "edited")]
    return [*accepted, *(id_ for id_ in waiting if id_ not in as_left)]


def _refuse(changed: Iterable[UUID | None]) -> None:
    ids = sorted({str(id_) for id_ in changed})
    if ids:
        raise Conflict("What this dream did has been changed or built upon since.", changed=ids, reason="changed_since")
