"""Corrections of the graph: entities renamed, merged and split, edges added and removed."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from service.db.pool import Connection
from service.domain.drafts import EdgeEnd
from service.domain.graph import Edge, Entity, NodeKind
from service.domain.ids import new_id
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.errors import Conflict, Forbidden, InvalidInput, NotFound
from service.memory.access.redaction import BODY, redact_fields
from service.memory.access.workspace import get_settings
from service.memory.dreams.graph import ABSENT, audiences_of
from service.memory.engine import Engine
from service.memory.saving.entity_metadata import Described, check_metadata, describe, redact_entities
from service.memory.saving.links import ANY_KIND, must_see
from service.store import agents, entities, insights
from service.store.entities import LockedEntity

TAKEN = "Another entity goes by that name already."


async def change_entity(
    engine: Engine, principal: Principal, entity_id: UUID, *, name: str | None, kind: str | None,
    aliases: Sequence[str] | None, metadata: JsonObject | None,
) -> Entity:  # fmt: skip
    """Rename an entity, or change its kind, its other names or its metadata; what is None stays. Raises NotFound,
    Forbidden, Conflict for a name that another entity of that kind has, and InvalidInput for metadata that does not fit
    its kind."""
    principal.require_write()
    given = metadata or {}
    if given:
        given = (await redact_fields(engine, principal, {"metadata": given}))["metadata"]
    kinds = (await get_settings(engine, principal)).entity_kinds
    async with engine.db.transaction(principal.workspace_id) as connection:
        entity = await _load_owned(connection, principal, entity_id)
        kind, merged = kind or entity.kind, entity.metadata | given
        await check_metadata(engine.executor, kinds, kind, merged, BODY)
        done = await entities.rename(
            connection, principal.workspace_id, entity_id, name=name or entity.name, kind=kind, aliases=aliases,
            now=engine.now(),
        )  # fmt: skip
        if not done:
            raise Conflict(TAKEN)
        if merged != entity.metadata:
            await entities.set_metadata(connection, principal.workspace_id, entity_id, merged, engine.now())
        return await _by_id(connection, principal, entity_id)


async def merge_entities(engine: Engine, principal: Principal, entity_id: UUID, into: UUID) -> Entity:
    """Let ``into`` stand for both, and return it. What moved is recorded: ``unmerge_entity`` takes it back.

    Raises NotFound, Forbidden, InvalidInput for an entity and itself or of another audience, and Conflict when either
    is merged into another already.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        first, second = sorted((entity_id, into))
        owned = {id_: await _load_owned(connection, principal, id_) for id_ in (first, second)}
        entity, other = owned[entity_id], owned[into]
        if entity_id == into or (entity.audience, entity.owners) != (other.audience, other.owners):
            raise InvalidInput(("body", "into"), "must be another entity that the same agents and users see")
        if entity.merged_into or other.merged_into:
            raise Conflict("One of them is merged into another entity already.")
        await connection.run(
            "merge_entity", workspace=principal.workspace_id, id=new_id(), entity_id=entity_id, into_id=into,
            actor=principal.actor, now=engine.now(),
        )  # fmt: skip
        return await _by_id(connection, principal, into)


async def unmerge_entity(engine: Engine, principal: Principal, entity_id: UUID) -> Entity:
    """Let an entity that was merged stand for itself again. Raises NotFound, Forbidden, Conflict when it was not."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        await _load_owned(connection, principal, entity_id)
        unmerged = await connection.run(
            "unmerge_entity", workspace=principal.workspace_id, entity_id=entity_id, now=engine.now()
        )
        if not unmerged:
            raise Conflict("This entity is not merged into another.")
        return await _by_id(connection, principal, entity_id)


async def split_entity(
    engine: Engine, principal: Principal, entity_id: UUID, memory_ids: Sequence[UUID], name: str, kind: str | None
) -> Entity:
    """Make a new entity of what these memories say of the old one. Raises NotFound, Forbidden, Conflict for a name
    that is taken, and InvalidInput when none of the memories speaks of the entity."""
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        old = await _load_owned(connection, principal, entity_id)
        made = await entities.add(
            connection,
            workspace,
            agent_id=old.agent_id,
            audience=old.audience,
            owners=old.owners,
            name=name,
            kind=kind or old.kind,
        )
        if made is None:
            raise Conflict(TAKEN)
        moved = await connection.run(
            "split_edges", workspace=workspace, entity_id=entity_id, to_id=made, memory_ids=memory_ids
        )
        if not moved:
            raise InvalidInput(("body", "memory_ids"), "none of them speaks of this entity")
        return await _by_id(connection, principal, made)


async def add_edge(
    engine: Engine, principal: Principal, agent: str | None, relation: str, source: EdgeEnd, target: EdgeEnd
) -> tuple[Edge, bool]:
    """Write an edge between memories and entities; return it, and whether it is new. Raises InvalidInput for an end the
    caller cannot see, and for metadata of an entity that does not fit its kind."""
    principal.require_write()
    workspace = principal.workspace_id
    named = {name: end.entity for name, end in (("source", source), ("target", target)) if end.entity}
    given = [((*BODY, name, "entity"), entity) for name, entity in named.items()]
    masked = dict(zip(named, await redact_entities(engine, principal, given), strict=True))
    kinds = (await get_settings(engine, principal)).entity_kinds
    async with engine.db.transaction(workspace) as connection:
        acting = principal.acting_agent(agent)
        await agents.ensure_agent(connection, workspace, acting)
        reader = await agents.reader(connection, workspace, agents.ReaderKey(acting))
        assert reader is not None
        ends = [
            await _end(connection, principal, reader, name, end)
            for name, end in (("source", source), ("target", target))
        ]
        owners: list[str] = await connection.value("source_owners", workspace=workspace, id=ends[0][1])
        principal.check_changes(owners)
        described = [
            Described(id_, masked[name].metadata, (*BODY, name, "entity"))
            for name, (_, id_) in zip(("source", "target"), ends, strict=True)
            if name in masked
        ]
        await describe(connection, workspace, engine.executor, kinds, described, engine.now())
        wanted = entities.NewEdge(reader.agent_id, relation, *ends[0], *ends[1])
        made = await entities.connect(connection, workspace, wanted, principal.actor)
        edge = await connection.first(
            Edge, "edge_like", workspace=workspace, source_id=wanted.source_id, relation=relation,
            target_id=wanted.target_id,
        )  # fmt: skip
    assert edge is not None
    return edge, made is not None


async def remove_edge(engine: Engine, principal: Principal, edge_id: UUID) -> None:
    """Delete an edge; an insight of whose evidence it was falls.

    Raises NotFound for one the caller cannot see, Forbidden for one that is another agent's.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await connection.row("get_edge", workspace=principal.workspace_id, id=edge_id)
        audiences = await audiences_of(connection, principal, None)
        if row is None or (audiences is not None and row["audience"] not in audiences):
            raise NotFound("There is no such edge here.")
        if principal.agent is not None and principal.agent != row["agent"] and principal.actor != row["created_by"]:
            raise Forbidden("This edge belongs to another agent; only it or an admin may delete it.")
        principal.check_changes(row["owners"])
        await connection.run("undo_edges", workspace=principal.workspace_id, ids=[edge_id])
        await insights.let_fall(connection, principal.workspace_id, [row["source_id"]])


async def _by_id(connection: Connection, principal: Principal, entity_id: UUID) -> Entity:
    audiences = await audiences_of(connection, principal, None)
    entity = await connection.first(
        Entity, "get_entities", workspace=principal.workspace_id, audiences=audiences, ids=[entity_id]
    )
    assert entity is not None
    return entity


async def _load_owned(connection: Connection, principal: Principal, entity_id: UUID) -> LockedEntity:
    """Lock an entity that the caller may change. Raises NotFound and Forbidden."""
    locked = await entities.lock_all(connection, principal.workspace_id, [entity_id])
    audiences = await audiences_of(connection, principal, None)
    if not locked or (audiences is not None and locked[0].audience not in audiences):
        raise NotFound(ABSENT)
    (entity,) = locked
    if principal.agent is not None and entity.agent != principal.agent:
        raise Forbidden("This entity belongs to another agent; only it or an admin may change it.")
    principal.check_changes(entity.owners)
    return entity


async def _end(
    connection: Connection, principal: Principal, reader: agents.Reader, name: str, end: EdgeEnd
) -> tuple[NodeKind, UUID]:
    workspace = principal.workspace_id
    if end.memory_id is not None:
        await must_see(connection, workspace, reader, end.memory_id, ("body", name, "memory_id"))
        return "memory", end.memory_id
    if end.entity_id is not None:
        known = await connection.fetch(
            "get_entities", workspace=workspace, audiences=reader.audiences, ids=[end.entity_id]
        )
        if not known:
            raise InvalidInput(("body", name, "entity_id"), "there is no such entity")
        return "entity", end.entity_id
    wanted = end.entity
    assert wanted is not None
    made = await entities.ensure(
        connection, workspace, agent_id=reader.agent_id, audience=reader.agent_id, owners=principal.own,
        name=wanted.name, kind=wanted.kind or ANY_KIND,
    )  # fmt: skip
    return "entity", made
