"""The graph: entities and what is known around them, read, walked and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make, make_all
from service.domain import cursors
from service.domain.drafts import EdgeEnd
from service.domain.graph import (
    Edge,
    Entity,
    EntitySort,
    Graph,
    MemoryLinks,
    MentionedEntity,
    NodeKind,
    Overview,
    Related,
)
from service.domain.guards import normalize
from service.domain.ids import new_id
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.errors import Ambiguous, Conflict, Forbidden, InvalidInput, NotFound
from service.memory.access.redaction import BODY, redact_fields
from service.memory.access.workspace import get_settings
from service.memory.counters import ReadCounter
from service.memory.saving.entity_metadata import Described, check_metadata, describe, redact_entities
from service.memory.saving.lifecycle import resolve_reader
from service.memory.saving.links import ANY_KIND, must_see
from service.runtime import Runtime
from service.store import agents, entities, insights, memories
from service.store.entities import LockedEntity

NODES_MAX = 500
ENTITIES_MAX = 250
"""Entities among them: a hub's memories take no place from its neighbours."""
EDGES_MAX = 2_000
LINKS_MAX = 500
RING = 100
"""New entities in each step of a graph of entities alone, unless the caller says otherwise."""
RINGS_MAX = 1_000
OVERVIEW_PAIRS_MAX = 10_000
ABSENT = "There is no such entity here."

TAKEN = "Another entity goes by that name already."


class _Order(NamedTuple):
    """An order of entities: its query, what it goes by, of which types, and how the query names what the last has."""

    query: str
    columns: tuple[str, ...]
    types: tuple[type, ...]
    after: tuple[str, ...]


ORDERS: dict[EntitySort, _Order] = {
    "newest": _Order("list_entities", ("id",), (UUID,), ("before",)),
    "mentions": _Order("list_entities_by_mentions", ("mentions", "id"), (int, UUID), ("before_mentions", "before")),
    "name": _Order("list_entities_by_name", ("name", "id"), (str, UUID), ("after_name", "after")),
}


async def list_entities(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    kind: str | None,
    text: str | None,
    *,
    sort: EntitySort = "newest",
    limit: int,
    cursor: str | None,
) -> tuple[list[Entity], str | None]:
    """Return a page of entities of the audiences the caller may read, and the cursor of the next."""
    order = ORDERS[sort]
    last = dict(zip(order.after, cursors.decode(cursor, *order.types), strict=True))
    async with runtime.db.transaction(principal.workspace_id) as connection:
        try:
            audiences = await audiences_of(connection, principal, agent)
        except NotFound:
            return [], None
        rows = await connection.fetch(
            order.query, workspace=principal.workspace_id, audiences=audiences, kind=kind, text=text, limit=limit + 1,
            **last,
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, *order.columns)
    return make_all(Entity, rows), more


async def get_entity(runtime: Runtime, principal: Principal, agent: str | None, named: str) -> Entity:
    """Return one entity by its id, name or alias. Raises NotFound, and Ambiguous when the name fits several."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await _find(connection, principal, await audiences_of(connection, principal, agent), named)


async def graph(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    named: str,
    depth: int,
    *,
    with_memories: bool = True,
    ring: int = RING,
) -> Graph:
    """Return what is known around an entity within ``depth`` steps; ``related`` are pairs of entities that memories
    speak of together.

    Only what the caller may see is walked through. Whom memories speak of together with the entity is one step away. At
    most 250 entities and 500 entities and memories, the nearest first. Without memories, steps lead from entity to
    entity: the ``ring`` with most memories in common at each, and at most 1,000 in all.
    Raises NotFound, and Ambiguous when the name fits several.
    """
    workspace, now = principal.workspace_id, runtime.now()
    async with runtime.db.transaction(workspace) as connection:
        audiences = await audiences_of(connection, principal, agent)
        entity = await _find(connection, principal, audiences, named)
        rings = await _rings(
            connection, workspace, audiences, entity.id, depth=1 if with_memories else depth, ring=ring, now=now
        )
        nodes = await connection.many(
            _Node, "walk_graph", workspace=workspace, audiences=audiences, entity_id=entity.id, depth=depth,
            nodes_max=NODES_MAX + 1, now=now,
        ) if with_memories else []  # fmt: skip
        near_ids, memory_ids = _within_budget(rings, nodes, ENTITIES_MAX if with_memories else RINGS_MAX)
        near = await connection.many(Entity, "get_entities", workspace=workspace, audiences=audiences, ids=near_ids)
        records = await memories.get(connection, workspace, memory_ids, None)
        edges = await _edges_among(connection, workspace, audiences, [*near_ids, *memory_ids], now)
        related = await connection.many(
            Related, "co_occurrences", workspace=workspace, audiences=audiences, ids=near_ids, now=now, limit=EDGES_MAX
        )
    runtime.part(ReadCounter).note(principal, "graph", [one.agent for one in records])
    place = {id_: n for n, id_ in enumerate([*near_ids, *memory_ids])}
    met = {*rings, *(node.id for node in nodes)}
    return Graph(
        entity=entity,
        entities=[one for one in sorted(near, key=lambda one: place[one.id]) if one.id != entity.id],
        edges=edges[:EDGES_MAX],
        related=related,
        memories=sorted(records, key=lambda one: place[one.id]),
        truncated=len(met) > len(place) or len(edges) > EDGES_MAX,
    )


async def overview(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    *,
    kind: str | None,
    text: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
) -> Overview:
    """Return the entities that most current memories speak of, and which of them they speak of together, as far as the
    caller may see the memories. ``since`` and ``until`` bound when the memories were created. Raises InvalidInput for
    an empty span."""
    if since and until and since >= until:
        raise InvalidInput(("query", "until"), "must be later than since")
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        try:
            audiences = await audiences_of(connection, principal, agent)
        except NotFound:
            return Overview(entities=[], related=[], edges=[], total=0, truncated=False)
        rows = await connection.fetch(
            "most_mentioned_entities", workspace=workspace, audiences=audiences, since=since, until=until, kind=kind,
            text=text, limit=limit,
        )  # fmt: skip
        ids = [row["id"] for row in rows]
        pairs = await connection.many(
            Related, "co_occurrences_of_many", workspace=workspace, audiences=audiences, since=since, until=until,
            ids=ids, limit=OVERVIEW_PAIRS_MAX + 1,
        )  # fmt: skip
        edges = await _edges_among(connection, workspace, audiences, ids, runtime.now())
    total = rows[0]["total"] if rows else 0
    cut = total > len(rows) or len(pairs) > OVERVIEW_PAIRS_MAX or len(edges) > EDGES_MAX
    return Overview(
        entities=make_all(MentionedEntity, rows),
        related=pairs[:OVERVIEW_PAIRS_MAX],
        edges=edges[:EDGES_MAX],
        total=total,
        truncated=cut,
    )


async def _edges_among(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, ids: Sequence[UUID], now: datetime
) -> list[Edge]:
    """Return the edges between these nodes that hold, oldest first: up to one more than are shown."""
    return await connection.many(
        Edge, "edges_among", workspace=workspace, audiences=audiences, ids=ids, now=now, limit=EDGES_MAX + 1
    )


async def _rings(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, entity_id: UUID, *, depth: int,
    ring: int, now: datetime,
) -> list[UUID]:  # fmt: skip
    """Return the entity and those around it, ring by ring: in each those with most memories in common first."""
    known, last = [entity_id], [entity_id]
    for _ in range(depth):
        rows = await connection.fetch(
            "neighbours", workspace=workspace, audiences=audiences, ids=last, known=known, limit=ring, now=now
        )
        last = [row["id"] for row in rows]
        known += last
        if not last or len(known) > RINGS_MAX:
            break
    return known


@dataclass(frozen=True, slots=True)
class _Node:
    kind: NodeKind
    id: UUID


def _within_budget(rings: list[UUID], nodes: list[_Node], entities_max: int) -> tuple[list[UUID], list[UUID]]:
    """Return the ids of entities, the nearest first, and of the nearest memories, up to NODES_MAX of both."""
    walked = [node.id for node in nodes if node.kind == "entity"]
    near = list(dict.fromkeys([*rings, *walked]))[:entities_max]
    return near, [node.id for node in nodes if node.kind == "memory"][: max(0, NODES_MAX - len(near))]


async def memory_links(runtime: Runtime, principal: Principal, memory_id: UUID) -> MemoryLinks:
    """Return the edges of one memory and what stands at their other ends.

    At most 500 edges, the oldest; those to what the caller may not see are left out. Raises NotFound for a memory that
    the caller may not see.
    """
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        reader = await resolve_reader(connection, principal, None)
        audiences = reader.audiences if reader else None
        own = await memories.get(connection, workspace, [memory_id], reader)
        if not own:
            raise NotFound("There is no such memory here.")
        edges = await connection.many(
            Edge, "edges_at", workspace=workspace, audiences=audiences, id=memory_id, now=runtime.now(), limit=LINKS_MAX
        )
        ends: dict[NodeKind, set[UUID]] = {"entity": set(), "memory": set()}
        for edge in edges:
            ends[edge.source_kind].add(edge.source_id)
            ends[edge.target_kind].add(edge.target_id)
        near = await connection.many(
            Entity, "get_entities", workspace=workspace, audiences=audiences, ids=sorted(ends["entity"])
        )
        others = await memories.get(connection, workspace, sorted(ends["memory"] - {memory_id}), reader)
    runtime.part(ReadCounter).note(principal, "links", [one.agent for one in (*own, *others)])
    seen = {memory_id, *(one.id for one in near), *(one.id for one in others)}
    return MemoryLinks(
        edges=[edge for edge in edges if {edge.source_id, edge.target_id} <= seen],
        entities=near,
        memories=others,
    )


async def audiences_of(connection: Connection, principal: Principal, agent: str | None) -> list[UUID] | None:
    """Return the audiences that the caller reads, acting as an agent; None for all of them."""
    reader = await resolve_reader(connection, principal, agent)
    return reader.audiences if reader else None


async def _find(connection: Connection, principal: Principal, audiences: Sequence[UUID] | None, named: str) -> Entity:
    """Return the entity of that id or name; what an entity was merged into stands for it."""
    workspace = principal.workspace_id
    try:
        ids = [UUID(named)]
    except ValueError:
        rows = await connection.fetch(
            "entities_named", workspace=workspace, audiences=audiences, alias=normalize(named)
        )
        ids = [row["id"] for row in rows]
    found = await connection.fetch("get_entities", workspace=workspace, audiences=audiences, ids=ids)
    if len(found) > 1:
        raise Ambiguous(f"{named!r} is the name of {len(found)} entities; name one by its id.", make_all(Entity, found))
    if found and found[0]["merged_into"]:
        found = await connection.fetch(
            "get_entities", workspace=workspace, audiences=audiences, ids=[found[0]["merged_into"]]
        )
    if not found:
        raise NotFound(ABSENT)
    return make(Entity, found[0])


async def change_entity(
    runtime: Runtime, principal: Principal, entity_id: UUID, *, name: str | None, kind: str | None,
    aliases: Sequence[str] | None, metadata: JsonObject | None,
) -> Entity:  # fmt: skip
    """Rename an entity, or change its kind, its other names or its metadata; what is None stays. Raises NotFound,
    Forbidden, Conflict for a name that another entity of that kind has, and InvalidInput for metadata that does not fit
    its kind."""
    principal.require_write()
    given = metadata or {}
    if given:
        given = (await redact_fields(runtime, principal, {"metadata": given}))["metadata"]
    kinds = (await get_settings(runtime, principal)).entity_kinds
    async with runtime.db.transaction(principal.workspace_id) as connection:
        entity = await _load_owned(connection, principal, entity_id)
        kind, merged = kind or entity.kind, entity.metadata | given
        await check_metadata(runtime.executor, kinds, kind, merged, BODY)
        done = await entities.rename(
            connection, principal.workspace_id, entity_id, name=name or entity.name, kind=kind, aliases=aliases,
            now=runtime.now(),
        )  # fmt: skip
        if not done:
            raise Conflict(TAKEN)
        if merged != entity.metadata:
            await entities.set_metadata(connection, principal.workspace_id, entity_id, merged, runtime.now())
        return await _by_id(connection, principal, entity_id)


async def merge_entities(runtime: Runtime, principal: Principal, entity_id: UUID, into: UUID) -> Entity:
    """Let ``into`` stand for both, and return it. What moved is recorded: ``unmerge_entity`` takes it back.

    Raises NotFound, Forbidden, InvalidInput for an entity and itself or of another audience, and Conflict when either
    is merged into another already.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        first, second = sorted((entity_id, into))
        owned = {id_: await _load_owned(connection, principal, id_) for id_ in (first, second)}
        entity, other = owned[entity_id], owned[into]
        if entity_id == into or (entity.audience, entity.owners) != (other.audience, other.owners):
            raise InvalidInput(("body", "into"), "must be another entity that the same agents and users see")
        if entity.merged_into or other.merged_into:
            raise Conflict("One of them is merged into another entity already.")
        await connection.run(
            "merge_entity", workspace=principal.workspace_id, id=new_id(), entity_id=entity_id, into_id=into,
            actor=principal.actor, now=runtime.now(),
        )  # fmt: skip
        return await _by_id(connection, principal, into)


async def unmerge_entity(runtime: Runtime, principal: Principal, entity_id: UUID) -> Entity:
    """Let an entity that was merged stand for itself again. Raises NotFound, Forbidden, Conflict when it was not."""
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        await _load_owned(connection, principal, entity_id)
        unmerged = await connection.run(
            "unmerge_entity", workspace=principal.workspace_id, entity_id=entity_id, now=runtime.now()
        )
        if not unmerged:
            raise Conflict("This entity is not merged into another.")
        return await _by_id(connection, principal, entity_id)


async def split_entity(
    runtime: Runtime, principal: Principal, entity_id: UUID, memory_ids: Sequence[UUID], name: str, kind: str | None
) -> Entity:
    """Make a new entity of what these memories say of the old one. Raises NotFound, Forbidden, Conflict for a name
    that is taken, and InvalidInput when none of the memories speaks of the entity."""
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
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
    runtime: Runtime, principal: Principal, agent: str | None, relation: str, source: EdgeEnd, target: EdgeEnd
) -> tuple[Edge, bool]:
    """Write an edge between memories and entities; return it, and whether it is new. Raises InvalidInput for an end the
    caller cannot see, and for metadata of an entity that does not fit its kind."""
    principal.require_write()
    workspace = principal.workspace_id
    named = {name: end.entity for name, end in (("source", source), ("target", target)) if end.entity}
    given = [((*BODY, name, "entity"), entity) for name, entity in named.items()]
    masked = dict(zip(named, await redact_entities(runtime, principal, given), strict=True))
    kinds = (await get_settings(runtime, principal)).entity_kinds
    async with runtime.db.transaction(workspace) as connection:
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
        await describe(connection, workspace, runtime.executor, kinds, described, runtime.now())
        wanted = entities.NewEdge(reader.agent_id, relation, *ends[0], *ends[1])
        made = await entities.connect(connection, workspace, wanted, principal.actor)
        edge = await connection.first(
            Edge, "edge_like", workspace=workspace, source_id=wanted.source_id, relation=relation,
            target_id=wanted.target_id,
        )  # fmt: skip
    assert edge is not None
    return edge, made is not None


async def remove_edge(runtime: Runtime, principal: Principal, edge_id: UUID) -> None:
    """Delete an edge; an insight of whose evidence it was falls.

    Raises NotFound for one the caller cannot see, Forbidden for one that is another agent's.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        row = await connection.row("get_edge", workspace=principal.workspace_id, id=edge_id)
        audiences = await audiences_of(connection, principal, None)
        if row is None or (audiences is not None and row["audience"] not in audiences):
            raise NotFound("There is no such edge here.")
        if principal.agent is not None and principal.agent != row["agent"] and principal.actor != row["created_by"]:
            raise Forbidden("This edge belongs to another agent; only it or an admin may delete it.")
        principal.check_changes(row["owners"])
        await connection.run("undo_edges", workspace=principal.workspace_id, ids=[edge_id])
        await insights.retract_unsupported(connection, principal.workspace_id, [row["source_id"]])


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
