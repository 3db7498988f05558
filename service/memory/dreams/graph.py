"""Entities and what is known around them: reading and walking the graph."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain import cursors
from service.domain.principal import Principal
from service.errors import Ambiguous, InvalidInput, NotFound
from service.memory.engine import Engine
from service.memory.saving.lifecycle import resolve_reader
from service.store import entities, memories
from service.store.entities import EntitySort

NODES_MAX = 500
ENTITIES_MAX = 250
"""Entities among them: a hub's memories take no place from its neighbours."""
EDGES_MAX = 2_000
LINKS_MAX = 500
RING = 100
"""New entities in each step of a graph of entities alone, unless the caller says otherwise."""
RINGS_MAX = 1_000
OVERVIEW_FIELDS = ("id", "name", "kind", "mentions", "first_at", "last_at")
OVERVIEW_PAIRS_MAX = 10_000
ORDERS: dict[EntitySort, tuple[tuple[str, ...], tuple[type, ...]]] = {
    "newest": (("id",), (UUID,)), "mentions": (("mentions", "id"), (int, UUID)), "name": (("name", "id"), (str, UUID)),
}  # fmt: skip
"""The columns that each order goes by, and their types."""
ABSENT = "There is no such entity here."
SHOWN = ("id", "name", "kind", "aliases", "metadata", "mentions", "created_at", "updated_at")
Record = dict[str, Any]


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
) -> tuple[list[Record], str | None]:
    """A page of entities of the audiences the caller may read."""
    columns, types = ORDERS[sort]
    last = cursors.decode(cursor, *types)
    async with engine.db.transaction(principal.workspace_id) as connection:
        try:
            audiences = await audiences_of(connection, principal, agent)
        except NotFound:
            return [], None
        rows = await entities.list_(
            connection, principal.workspace_id, audiences, sort, last, kind=kind, text=text, limit=limit + 1
        )
    rows, more = cursors.paginate(rows, limit, *columns)
    return [dict(row) for row in rows], more


async def get_entity(engine: Engine, principal: Principal, agent: str | None, named: str) -> Record:
    """One entity by its id, name or alias. Raises NotFound, and Ambiguous when the name fits several."""
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
) -> Record:
    """What is known around an entity: ``{entity, entities, edges, related, memories, truncated}`` within ``depth``
    steps; ``related`` are pairs of entities that memories speak of together.

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
            connection, workspace, audiences, entity["id"], depth=1 if with_memories else depth, ring=ring, now=now
        )
        nodes = await entities.walk(
            connection, workspace, audiences, entity["id"], depth=depth, nodes_max=NODES_MAX + 1, now=now
        ) if with_memories else []  # fmt: skip
        near_ids, memory_ids = _within_budget(rings, nodes, ENTITIES_MAX if with_memories else RINGS_MAX)
        near = await entities.get(connection, workspace, audiences, near_ids)
        records = await memories.get(connection, workspace, memory_ids, None)
        edges = await entities.edges_among(
            connection, workspace, audiences, [*near_ids, *memory_ids], now=now, limit=EDGES_MAX + 1
        )
        related = await entities.co_occurrences(connection, workspace, audiences, near_ids, now=now, limit=EDGES_MAX)
    engine.read_audit.note(principal, "graph", [one.agent for one in records])
    place = {id_: n for n, id_ in enumerate([*near_ids, *memory_ids])}
    met = {*rings, *(node["id"] for node in nodes)}
    return {
        "entity": entity,
        "entities": [
            entity_record(row) for row in sorted(near, key=lambda row: place[row["id"]]) if row["id"] != entity["id"]
        ],
        "edges": [dict(row) for row in edges[:EDGES_MAX]],
        "related": [dict(row) for row in related],
        "memories": sorted(records, key=lambda one: place[one.id]),
        "truncated": len(met) > len(place) or len(edges) > EDGES_MAX,
    }


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
) -> Record:
    """The entities that most current memories speak of, and which of them they speak of together: ``{entities, related,
    edges, total, truncated}``, as far as the caller may see the memories. ``since`` and ``until`` bound when the
    memories were created. Raises InvalidInput for an empty span."""
    if since and until and since >= until:
        raise InvalidInput(("query", "until"), "must be later than since")
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        try:
            audiences = await audiences_of(connection, principal, agent)
        except NotFound:
            return {"entities": [], "related": [], "edges": [], "total": 0, "truncated": False}
        rows, pairs = await entities.overview(
            connection, workspace, audiences, kind=kind, text=text, since=since, until=until, limit=limit,
            pairs_max=OVERVIEW_PAIRS_MAX + 1,
        )  # fmt: skip
        edges = await entities.edges_among(
            connection, workspace, audiences, [row["id"] for row in rows], now=engine.now(), limit=EDGES_MAX + 1
        )
    total = rows[0]["total"] if rows else 0
    cut = total > len(rows) or len(pairs) > OVERVIEW_PAIRS_MAX or len(edges) > EDGES_MAX
    return {
        "entities": [{name: row[name] for name in OVERVIEW_FIELDS} for row in rows],
        "related": [dict(row) for row in pairs[:OVERVIEW_PAIRS_MAX]],
        "edges": [dict(row) for row in edges[:EDGES_MAX]],
        "total": total,
        "truncated": cut,
    }


async def _rings(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, entity_id: UUID, *, depth: int,
    ring: int, now: datetime,
) -> list[UUID]:  # fmt: skip
    """The entity and those around it, ring by ring."""
    known, last = [entity_id], [entity_id]
    for _ in range(depth):
        last = await entities.neighbours(connection, workspace, audiences, last, known=known, limit=ring, now=now)
        known += last
        if not last or len(known) > RINGS_MAX:
            break
    return known


def _within_budget(rings: list[UUID], nodes: list[Row], entities_max: int) -> tuple[list[UUID], list[UUID]]:
    """Ids of entities, the nearest first, and of the nearest memories, up to NODES_MAX of both."""
    walked = [node["id"] for node in nodes if node["kind"] == "entity"]
    near = list(dict.fromkeys([*rings, *walked]))[:entities_max]
    return near, [node["id"] for node in nodes if node["kind"] == "memory"][: max(0, NODES_MAX - len(near))]


async def memory_links(engine: Engine, principal: Principal, memory_id: UUID) -> Record:
    """The edges of one memory and what stands at their other ends: ``{edges, entities, memories}``.

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
        rows = await entities.edges_at(connection, workspace, audiences, memory_id, now=engine.now(), limit=LINKS_MAX)
        ends = {kind: {row[f"{end}_id"] for row in rows for end in ("source", "target") if row[f"{end}_kind"] == kind}
                for kind in ("entity", "memory")}  # fmt: skip
        near = await entities.get(connection, workspace, audiences, sorted(ends["entity"]))
        others = await memories.get(connection, workspace, sorted(ends["memory"] - {memory_id}), reader)
    engine.read_audit.note(principal, "links", [one.agent for one in (*own, *others)])
    seen = {memory_id, *(row["id"] for row in near), *(one.id for one in others)}
    return {
        "edges": [dict(row) for row in rows if {row["source_id"], row["target_id"]} <= seen],
        "entities": [entity_record(row) for row in near],
        "memories": others,
    }


async def audiences_of(connection: Connection, principal: Principal, agent: str | None) -> list[UUID] | None:
    """The audiences that the caller reads, acting as an agent; None for all of them."""
    reader = await resolve_reader(connection, principal, agent)
    return reader.audiences if reader else None


async def _find(connection: Connection, principal: Principal, audiences: Sequence[UUID] | None, named: str) -> Record:
    """The entity of that id or name; what an entity was merged into stands for it."""
    try:
        ids = [UUID(named)]
    except ValueError:
        rows = await entities.named(connection, principal.workspace_id, audiences, named)
        ids = [row["id"] for row in rows]
    found = await entities.get(connection, principal.workspace_id, audiences, ids)
    if len(found) > 1:
        candidates = [entity_record(row) for row in found]
        raise Ambiguous(f"{named!r} is the name of {len(found)} entities; name one by its id.", candidates)
    if found and found[0]["merged_into"]:
        found = await entities.get(connection, principal.workspace_id, audiences, [found[0]["merged_into"]])
    if not found:
        raise NotFound(ABSENT)
    return entity_record(found[0])


def entity_record(row: Any) -> Record:
    """An entity as answers show it."""
    return {name: row[name] for name in SHOWN}
