"""Entities and what is known around them: reading, walking, and correcting the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain import cursors
from service.domain.drafts import EntityRef
from service.domain.principal import Principal
from service.errors import Ambiguous, Conflict, Forbidden, InvalidInput, NotFound
from service.memory.engine import Engine
from service.memory.saving.lifecycle import resolve_reader
from service.memory.saving.links import ANY_KIND, must_see
from service.store import agents, entities, insights, memories

EntitySort = Literal["newest", "mentions"]
NODES_MAX = 500
ENTITIES_MAX = 250
"""Entities among them: a hub's memories take no place from its neighbours."""
EDGES_MAX = 2_000
ABSENT = "There is no such entity here."
TAKEN = "Another entity goes by that name already."
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
    most_mentioned = sort == "mentions"
    mentions, before = cursors.decode(cursor, int, UUID) if most_mentioned else (None, *cursors.decode(cursor, UUID))
    async with engine.db.transaction(principal.workspace_id) as connection:
        try:
            audiences = await _audiences(connection, principal, agent)
        except NotFound:
            return [], None
        filters = {"kind": kind, "text": text, "before": before, "limit": limit + 1}
        workspace = principal.workspace_id
        if most_mentioned:
            rows = await entities.list_by_mentions(
                connection, workspace, audiences, before_mentions=mentions, **filters
            )
        else:
            rows = await entities.list_(connection, workspace, audiences, **filters)
    rows, more = cursors.paginate(rows, limit, *(("mentions", "id") if most_mentioned else ("id",)))
    return [dict(row) for row in rows], more


async def get_entity(engine: Engine, principal: Principal, agent: str | None, named: str) -> Record:
    """One entity by its id, name or alias. Raises NotFound, and Ambiguous when the name fits several."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        return await _find(connection, principal, await _audiences(connection, principal, agent), named)


async def graph(engine: Engine, principal: Principal, agent: str | None, named: str, depth: int) -> Record:
    """What is known around an entity: ``{entity, entities, edges, related, memories, truncated}`` within ``depth``
    edges; ``related`` are pairs of entities that memories speak of together.

    Only what the caller may see is walked through. At most 250 entities and 500 entities and memories, the nearest
    first.
    Raises NotFound, and Ambiguous when the name fits several.
    """
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        audiences = await _audiences(connection, principal, agent)
        entity = await _find(connection, principal, audiences, named)
        nodes = await entities.walk(
            connection, workspace, audiences, entity["id"], depth=depth, nodes_max=NODES_MAX + 1, now=engine.now()
        )
        shown = _within_budget(nodes)
        near_ids = [node["id"] for node in shown if node["kind"] == "entity"]
        near = await entities.get(connection, workspace, audiences, near_ids)
        records = await memories.get(
            connection, workspace, [node["id"] for node in shown if node["kind"] == "memory"], None
        )
        edges = await entities.edges_among(
            connection, workspace, audiences, [node["id"] for node in shown], now=engine.now(), limit=EDGES_MAX + 1
        )
        related = await entities.co_occurrences(
            connection, workspace, audiences, near_ids, now=engine.now(), limit=EDGES_MAX
        )
    engine.read_audit.note(principal, "graph", [row["agent"] for row in records])
    place = {node["id"]: n for n, node in enumerate(shown)}
    return {
        "entity": entity,
        "entities": [
            _entity(row) for row in sorted(near, key=lambda row: place[row["id"]]) if row["id"] != entity["id"]
        ],
        "edges": [dict(row) for row in edges[:EDGES_MAX]],
        "related": [dict(row) for row in related],
        "memories": [memories.to_record(row) for row in sorted(records, key=lambda row: place[row["id"]])],
        "truncated": len(nodes) > len(shown) or len(edges) > EDGES_MAX,
    }


def _within_budget(nodes: list[Row]) -> list[Row]:
    """The nearest of each kind: entities first, up to ENTITIES_MAX, then memories up to NODES_MAX of both."""
    near = [node for node in nodes if node["kind"] == "entity"][:ENTITIES_MAX]
    records = [node for node in nodes if node["kind"] == "memory"][: NODES_MAX - len(near)]
    return near + records


async def change_entity(engine: Engine, principal: Principal, entity_id: UUID, changes: Record) -> Record:
    """Rename an entity, or change its kind or its other names. Raises NotFound, Forbidden, and Conflict for a name
    that another entity of that kind has."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await _load_owned(connection, principal, entity_id)
        done = await entities.rename(
            connection, principal.workspace_id, entity_id, name=changes.get("name") or row["name"],
            kind=changes.get("kind") or row["kind"], aliases=changes.get("aliases"), now=engine.now(),
        )  # fmt: skip
        if not done:
            raise Conflict(TAKEN)
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
    and whether it is new. Raises InvalidInput for an end the caller cannot see."""
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        acting = principal.acting_agent(agent)
        await agents.ensure_agent(connection, workspace, acting)
        reader = await agents.reader(connection, workspace, agents.ReaderKey(acting))
        assert reader is not None
        ends = [
            await _end(connection, workspace, reader, name, end)
            for name, end in (("source", source), ("target", target))
        ]
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
        audiences = await _audiences(connection, principal, None)
        if row is None or (audiences is not None and row["audience"] not in audiences):
            raise NotFound("There is no such edge here.")
        if principal.agent is not None and principal.agent != row["agent"] and principal.actor != row["created_by"]:
            raise Forbidden("This edge belongs to another agent; only it or an admin may delete it.")
        await entities.disconnect(connection, principal.workspace_id, edge_id)
        await insights.let_fall(connection, principal.workspace_id, [row["source_id"]])


async def _audiences(connection: Connection, principal: Principal, agent: str | None) -> list[UUID] | None:
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
        candidates = [_entity(row) for row in found]
        raise Ambiguous(f"{named!r} is the name of {len(found)} entities; name one by its id.", candidates)
    if found and found[0]["merged_into"]:
        found = await entities.get(connection, principal.workspace_id, audiences, [found[0]["merged_into"]])
    if not found:
        raise NotFound(ABSENT)
    return _entity(found[0])


async def _by_id(connection: Connection, principal: Principal, entity_id: UUID) -> Record:
    (row,) = await entities.get(connection, principal.workspace_id, None, [entity_id])
    return _entity(row)


async def _load_owned(connection: Connection, principal: Principal, entity_id: UUID) -> Any:
    """The entity, locked, if the caller may change it."""
    row = await entities.lock(connection, principal.workspace_id, entity_id)
    audiences = await _audiences(connection, principal, None)
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


def _entity(row: Any) -> Record:
    return {name: row[name] for name in ("id", "name", "kind", "aliases", "mentions", "created_at", "updated_at")}
