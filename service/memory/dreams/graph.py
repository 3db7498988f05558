"""Entities and what is known around them: reading and walking the graph."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from service.db.pool import Connection, Row
from service.db.records import make, make_all
from service.domain import cursors
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
from service.domain.principal import Principal
from service.errors import Ambiguous, InvalidInput, NotFound
from service.memory.engine import Engine
from service.memory.saving.lifecycle import resolve_reader
from service.store import memories

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
    engine: Engine,
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
    async with engine.db.transaction(principal.workspace_id) as connection:
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


async def get_entity(engine: Engine, principal: Principal, agent: str | None, named: str) -> Entity:
    """Return one entity by its id, name or alias. Raises NotFound, and Ambiguous when the name fits several."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        return await _find(connection, principal, await audiences_of(connection, principal, agent), named)


async def graph(
    engine: Engine,
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
    workspace, now = principal.workspace_id, engine.now()
    async with engine.db.transaction(workspace) as connection:
        audiences = await audiences_of(connection, principal, agent)
        entity = await _find(connection, principal, audiences, named)
        rings = await _rings(
            connection, workspace, audiences, entity.id, depth=1 if with_memories else depth, ring=ring, now=now
        )
        nodes = await connection.fetch(
            "walk_graph", workspace=workspace, audiences=audiences, entity_id=entity.id, depth=depth,
            nodes_max=NODES_MAX + 1, now=now,
        ) if with_memories else []  # fmt: skip
        near_ids, memory_ids = _within_budget(rings, nodes, ENTITIES_MAX if with_memories else RINGS_MAX)
        near = await connection.many(Entity, "get_entities", workspace=workspace, audiences=audiences, ids=near_ids)
        records = await memories.get(connection, workspace, memory_ids, None)
        edges = await _edges_among(connection, workspace, audiences, [*near_ids, *memory_ids], now)
        related = await connection.many(
            Related, "co_occurrences", workspace=workspace, audiences=audiences, ids=near_ids, now=now, limit=EDGES_MAX
        )
    engine.read_audit.note(principal, "graph", [one.agent for one in records])
    place = {id_: n for n, id_ in enumerate([*near_ids, *memory_ids])}
    met = {*rings, *(node["id"] for node in nodes)}
    return Graph(
        entity=entity,
        entities=[one for one in sorted(near, key=lambda one: place[one.id]) if one.id != entity.id],
        edges=edges[:EDGES_MAX],
        related=related,
        memories=sorted(records, key=lambda one: place[one.id]),
        truncated=len(met) > len(place) or len(edges) > EDGES_MAX,
    )


async def overview(
    engine: Engine,
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
    async with engine.db.transaction(workspace) as connection:
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
        edges = await _edges_among(connection, workspace, audiences, ids, engine.now())
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


def _within_budget(rings: list[UUID], nodes: list[Row], entities_max: int) -> tuple[list[UUID], list[UUID]]:
    """Return the ids of entities, the nearest first, and of the nearest memories, up to NODES_MAX of both."""
    walked = [node["id"] for node in nodes if node["kind"] == "entity"]
    near = list(dict.fromkeys([*rings, *walked]))[:entities_max]
    return near, [node["id"] for node in nodes if node["kind"] == "memory"][: max(0, NODES_MAX - len(near))]


async def memory_links(engine: Engine, principal: Principal, memory_id: UUID) -> MemoryLinks:
    """Return the edges of one memory and what stands at their other ends.

    At most 500 edges, the oldest; those to what the caller may not see are left out. Raises NotFound for a memory that
    the caller may not see.
    """
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        reader = await resolve_reader(connection, principal, None)
        audiences = reader.audiences if reader else None
        own = await memories.get(connection, workspace, [memory_id], reader)
        if not own:
            raise NotFound("There is no such memory here.")
        edges = await connection.many(
            Edge, "edges_at", workspace=workspace, audiences=audiences, id=memory_id, now=engine.now(), limit=LINKS_MAX
        )
        ends: dict[NodeKind, set[UUID]] = {"entity": set(), "memory": set()}
        for edge in edges:
            ends[edge.source_kind].add(edge.source_id)
            ends[edge.target_kind].add(edge.target_id)
        near = await connection.many(
            Entity, "get_entities", workspace=workspace, audiences=audiences, ids=sorted(ends["entity"])
        )
        others = await memories.get(connection, workspace, sorted(ends["memory"] - {memory_id}), reader)
    engine.read_audit.note(principal, "links", [one.agent for one in (*own, *others)])
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
