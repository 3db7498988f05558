"""Corrections of the graph: entities renamed, merged and split, edges added and removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.drafts import EntityRef
from service.domain.principal import Principal
from service.errors import Conflict, Forbidden, InvalidInput, NotFound
from service.memory.access.redaction import BODY, redact_fields
from service.memory.access.workspace import get_settings
from service.memory.dreams.graph import ABSENT, Record, audiences_of, entity_record
from service.memory.engine import Engine
from service.memory.saving.entity_metadata import Described, check_metadata, describe, redact_entities
from service.memory.saving.links import ANY_KIND, must_see
from service.store import agents, entities, insights

TAKEN = "Another entity goes by that name already."


async def change_entity(engine: Engine, principal: Principal, entity_id: UUID, changes: Record) -> Record:
    """Rename an entity, or change its kind, its other names or its metadata. Raises NotFound, Forbidden, Conflict for a
    name that another entity of that kind has, and InvalidInput for metadata that does not fit its kind."""
    principal.require_write()
    given = changes.get("metadata") or {}
    if given:
        given = (await redact_fields(engine, principal, {"metadata": given}))["metadata"]
    kinds = (await get_settings(engine, principal)).entity_kinds
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await _load_owned(connection, principal, entity_id)
        kind, metadata = changes.get("kind") or row["kind"], row["metadata"] | given
        await check_metadata(engine.executor, kinds, kind, metadata, BODY)
        done = await entities.rename(
            connection, principal.workspace_id, entity_id, name=changes.get("name") or row["name"],
            kind=kind, aliases=changes.get("aliases"), now=engine.now(),
        )  # fmt: skip
        if not done:
            raise Conflict(TAKEN)
        if metadata != row["metadata"]:
            await entities.set_metadata(connection, principal.workspace_id, entity_id, metadata, engine.now())
        return await _by_id(connection, principal, entity_id)


async def merge_entities(engine: Engine, principal: Principal, entity_id: UUID, into: UUID) -> Record:
    """Let ``into`` stand for both; it is given. ``unmerge_entity`` takes it back.

    Raises NotFound, Forbidden, InvalidInput for an entity and itself or of another audience, and Conflict when either
    is merged into another already.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        first, second = sorted((entity_id, into))
        rows = {id_: await _load_owned(connection, principal, id_) for id_ in (first, second)}
        if entity_id == into or rows[entity_id]["audience"] != rows[into]["audience"]:
            raise InvalidInput(("body", "into"), "must be another entity that the same agents see")
        if rows[entity_id]["merged_into"] or rows[into]["merged_into"]:
            raise Conflict("One of them is merged into another entity already.")
        await entities.merge(connection, principal.workspace_id, entity_id, into, principal.actor, engine.now())
        return await _by_id(connection, principal, into)


async def unmerge_entity(engine: Engine, principal: Principal, entity_id: UUID) -> Record:
    """Let an entity that was merged stand for itself again. Raises NotFound, Forbidden, Conflict when it was not."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        await _load_owned(connection, principal, entity_id)
        if not await entities.unmerge(connection, principal.workspace_id, entity_id, engine.now()):
            raise Conflict("This entity is not merged into another.")
        return await _by_id(connection, principal, entity_id)


async def split_entity(
    engine: Engine, principal: Principal, entity_id: UUID, memory_ids: Sequence[UUID], name: str, kind: str | None
) -> Record:
    """Make a new entity of what these memories say of the old one. Raises NotFound, Forbidden, Conflict for a name
    that is taken, and InvalidInput when none of the memories speaks of the entity."""
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        row = await _load_owned(connection, principal, entity_id)
        made = await entities.add(
            connection, workspace, agent_id=row["agent_id"], audience=row["audience"], name=name,
            kind=kind or row["kind"],
        )  # fmt: skip
        if made is None:
            raise Conflict(TAKEN)
        if not await entities.move_edges(connection, workspace, entity_id, made, memory_ids):
            raise InvalidInput(("body", "memory_ids"), "none of them speaks of this entity")
        return await _by_id(connection, principal, made)


async def add_edge(
    engine: Engine, principal: Principal, agent: str | None, relation: str, source: Record, target: Record
) -> tuple[Record, bool]:
    """Write an edge between memories and entities, given as ``{memory_id}``, ``{entity_id}`` or ``{entity}``; the edge,
    and whether it is new. Raises InvalidInput for an end the caller cannot see, and for metadata of an entity that does
    not fit its kind."""
    principal.require_write()
    workspace = principal.workspace_id
    named = {name: end["entity"] for name, end in (("source", source), ("target", target)) if end.get("entity")}
    given = [((*BODY, name, "entity"), entity) for name, entity in named.items()]
    masked = dict(zip(named, await redact_entities(engine, principal, given), strict=True))
    kinds = (await get_settings(engine, principal)).entity_kinds
    async with engine.db.transaction(workspace) as connection:
        acting = principal.acting_agent(agent)
        await agents.ensure_agent(connection, workspace, acting)
        reader = await agents.reader(connection, workspace, agents.ReaderKey(acting))
        assert reader is not None
        ends = [
            await _end(connection, workspace, reader, name, end)
            for name, end in (("source", source), ("target", target))
        ]
        described = [
            Described(id_, masked[name].metadata, (*BODY, name, "entity"))
            for name, (_, id_) in zip(("source", "target"), ends, strict=True)
            if name in masked
        ]
        await describe(connection, workspace, engine.executor, kinds, described, engine.now())
        wanted = entities.Edge(reader.agent_id, relation, *ends[0], *ends[1])
        made = await entities.connect(connection, workspace, wanted, principal.actor)
        row = await entities.edge_like(connection, workspace, wanted)
    assert row is not None
    return dict(row), made is not None


async def remove_edge(engine: Engine, principal: Principal, edge_id: UUID) -> None:
    """Delete an edge; an insight of whose evidence it was falls.

    Raises NotFound for one the caller cannot see, Forbidden for one that is another agent's.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await entities.edge(connection, principal.workspace_id, edge_id)
        audiences = await audiences_of(connection, principal, None)
        if row is None or (audiences is not None and row["audience"] not in audiences):
            raise NotFound("There is no such edge here.")
        if principal.agent is not None and principal.agent != row["agent"] and principal.actor != row["created_by"]:
            raise Forbidden("This edge belongs to another agent; only it or an admin may delete it.")
        await entities.disconnect(connection, principal.workspace_id, edge_id)
        await insights.let_fall(connection, principal.workspace_id, [row["source_id"]])


async def _by_id(connection: Connection, principal: Principal, entity_id: UUID) -> Record:
    audiences = await audiences_of(connection, principal, None)
    (row,) = await entities.get(connection, principal.workspace_id, audiences, [entity_id])
    return entity_record(row)


async def _load_owned(connection: Connection, principal: Principal, entity_id: UUID) -> Any:
    """The entity, locked, if the caller may change it."""
    row = await entities.lock(connection, principal.workspace_id, entity_id)
    audiences = await audiences_of(connection, principal, None)
    if row is None or (audiences is not None and row["audience"] not in audiences):
        raise NotFound(ABSENT)
    if principal.agent is not None and row["agent"] != principal.agent:
        raise Forbidden("This entity belongs to another agent; only it or an admin may change it.")
    return row


async def _end(
    connection: Connection, workspace: UUID, reader: agents.Reader, name: str, end: Record
) -> tuple[str, UUID]:
    if memory_id := end.get("memory_id"):
        await must_see(connection, workspace, reader, memory_id, ("body", name, "memory_id"))
        return "memory", memory_id
    if entity_id := end.get("entity_id"):
        if not await entities.get(connection, workspace, reader.audiences, [entity_id]):
            raise InvalidInput(("body", name, "entity_id"), "there is no such entity")
        return "entity", entity_id
    wanted: EntityRef = end["entity"]
    made = await entities.ensure(
        connection, workspace, agent_id=reader.agent_id, audience=reader.agent_id, name=wanted.name,
        kind=wanted.kind or ANY_KIND,
    )  # fmt: skip
    return "entity", made
