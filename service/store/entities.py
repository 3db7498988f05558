"""Entities, their aliases, and the edges between memories and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.guards import normalize
from service.domain.ids import new_id
from service.domain.placeholders import holds_placeholder


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed link; each end is a memory or an entity. ``memory_id`` is the memory that says so."""

    audience: UUID
    relation: str
    source_kind: str
    source_id: UUID
    target_kind: str
    target_id: UUID
    memory_id: UUID | None = None
    dream_id: UUID | None = None


EntitySort = Literal["newest", "mentions", "name"]
_ORDERS: dict[EntitySort, tuple[str, tuple[str, ...]]] = {
    "newest": ("list_entities", ("before",)),
    "mentions": ("list_entities_by_mentions", ("before_mentions", "before")),
    "name": ("list_entities_by_name", ("after_name", "after")),
}
"""The query of each order, and how it names what the last entity has."""


async def _ensured(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    audience: UUID,
    named: Sequence[tuple[str, str]],
    dream_id: UUID | None = None,
) -> list[Row]:
    """The alias, kind, entity_id of entities of these names and kinds, and whether they were made just now; without
    those that another transaction is about to make."""
    return await connection.fetch(
        "ensure_entities", workspace=workspace, agent_id=agent_id, audience=audience, ids=[new_id() for _ in named],
        names=[name for name, _ in named], aliases=[normalize(name) for name, _ in named],
        kinds=[kind for _, kind in named], dream_id=dream_id,
    )  # fmt: skip


async def ensure(
    connection: Connection, workspace: UUID, *, agent_id: UUID, audience: UUID, name: str, kind: str
) -> UUID:
    """The entity known by this name (or alias) and kind to the audience, made on first mention."""
    while not (rows := await _ensured(connection, workspace, agent_id, audience, [(name, kind)])):
        pass
    entity_id: UUID = rows[0]["entity_id"]
    return entity_id


async def ensure_all(
    connection: Connection,
    workspace: UUID,
    *,
    agent_id: UUID,
    audience: UUID,
    named: Sequence[tuple[str, str]],
    dream_id: UUID | None,
) -> dict[tuple[str, str], tuple[UUID, bool]]:
    """As ``ensure``, for many (name, kind) pairs at once: the id of each, and whether it was made just now.

    What holds a placeholder of masked personal data is no entity: it would link people who have nothing in common.
    """
    found: dict[tuple[str, str], tuple[UUID, bool]] = {}
    wanted = [(name, kind) for name, kind in named if normalize(name) and not holds_placeholder(name)]
    while missing := [each for each in wanted if each not in found]:
        rows = await _ensured(connection, workspace, agent_id, audience, missing, dream_id)
        by_alias = {(row["alias"], row["kind"]): row for row in rows}
        for name, kind in missing:
            row = by_alias.get((normalize(name), kind))
            if row is not None:
                found[name, kind] = (row["entity_id"], row["made"])
    return found


async def called(connection: Connection, workspace: UUID, audience: UUID, aliases: Sequence[str]) -> list[Row]:
    """The entities of an audience known by these names (folded): alias, kind, entity_id, name."""
    return await connection.fetch("entities_called", workspace=workspace, audience=audience, aliases=aliases)


async def add_spellings(connection: Connection, workspace: UUID, pairs: Sequence[tuple[UUID, str]]) -> None:
    """Let entities go by further names (folded), where no other does."""
    await connection.run(
        "add_spellings", workspace=workspace, ids=[id_ for id_, _ in pairs], aliases=[alias for _, alias in pairs]
    )


async def find(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID], name: str, kind: str | None = None
) -> list[Row]:
    """Every entity known by this name or alias to these audiences."""
    return await connection.fetch(
        "find_entities", workspace=workspace, audiences=audiences, alias=normalize(name), kind=kind
    )


async def list_(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, sort: EntitySort, last: Sequence[Any],
    **filters: Any,
) -> list[Row]:  # fmt: skip
    """Entities after the ``last`` one, by what each order goes by; audiences None sees the workspace."""
    query, names = _ORDERS[sort]
    return await connection.fetch(
        query, workspace=workspace, audiences=audiences, **dict(zip(names, last, strict=True)), **filters
    )


async def connect(connection: Connection, workspace: UUID, edge: Edge, created_by: str) -> UUID | None:
    """Write an edge; the id of a new one, None when it was there already."""
    (made,) = await connect_all(connection, workspace, [edge], created_by)
    return made


async def connect_all(
    connection: Connection, workspace: UUID, edges: Sequence[Edge], created_by: str
) -> list[UUID | None]:
    """As ``connect``, for many edges at once, in their order; of equal ones the first is made."""
    columns = Edge.__slots__  # asdict() would copy each id, in ten times as long
    items = [
        {name: getattr(edge, name) for name in columns} | {"id": new_id(), "created_by": created_by} for edge in edges
    ]
    if not items:
        return []
    rows = await connection.fetch("add_edges", workspace=workspace, items=items)
    made = {row["id"] for row in rows}
    return [item["id"] if item["id"] in made else None for item in items]


async def edges_of(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[Row]:
    """The edges that begin or end at these memories."""
    return await connection.fetch("edges_of_memories", workspace=workspace, ids=ids) if ids else []


async def get(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, ids: Sequence[UUID]
) -> list[Row]:
    """Entities of these ids, as far as the audiences may see them."""
    return await connection.fetch("get_entities", workspace=workspace, audiences=audiences, ids=ids)


async def named(connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, name: str) -> list[Row]:
    """Every entity known by this name or alias to these audiences; None sees the workspace."""
    return await connection.fetch("entities_named", workspace=workspace, audiences=audiences, alias=normalize(name))


async def lock(connection: Connection, workspace: UUID, entity_id: UUID) -> Row | None:
    """The entity's row, locked until the transaction ends."""
    return await connection.row("lock_entity", workspace=workspace, id=entity_id)


async def lock_all(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[Row]:
    """The rows of entities (id, name, kind, metadata, dream_id, updated_at), locked in the order of their ids."""
    return await connection.fetch("lock_entities", workspace=workspace, ids=ids) if ids else []


async def set_metadata(
    connection: Connection, workspace: UUID, entity_id: UUID, metadata: dict[str, Any], now: datetime
) -> None:
    """Replace the metadata of an entity."""
    await connection.run("set_entity_metadata", workspace=workspace, id=entity_id, metadata=metadata, now=now)


async def rename(
    connection: Connection, workspace: UUID, entity_id: UUID, *, name: str, kind: str, aliases: Sequence[str] | None,
    now: datetime,
) -> bool:  # fmt: skip
    """Set name and kind, and with ``aliases`` all names it goes by; False when another entity has one of them."""
    kept = [] if aliases is not None else await connection.fetch("aliases", workspace=workspace, id=entity_id)
    wanted = {normalize(name), *map(normalize, aliases or ()), *(row["alias"] for row in kept)}
    await connection.run("rename_entity", workspace=workspace, id=entity_id, name=name, kind=kind, now=now)
    await connection.run("clear_aliases", workspace=workspace, id=entity_id)
    made = await connection.run(
        "add_names", workspace=workspace, id=entity_id, kind=kind, aliases=sorted(wanted - {""})
    )
    return made == len(wanted - {""})


async def add(
    connection: Connection, workspace: UUID, *, agent_id: UUID, audience: UUID, name: str, kind: str
) -> UUID | None:
    """A new entity of that name; None when there is one of that name and kind."""
    rows = await _ensured(connection, workspace, agent_id, audience, [(name, kind)])
    return rows[0]["entity_id"] if rows and rows[0]["made"] else None


async def merge(
    connection: Connection, workspace: UUID, entity_id: UUID, into_id: UUID, actor: str, now: datetime
) -> None:
    """Let one entity stand for both: names and edges move over, and what moved is recorded."""
    await connection.run(
        "merge_entity", workspace=workspace, id=new_id(), entity_id=entity_id, into_id=into_id, actor=actor, now=now
    )


async def unmerge(connection: Connection, workspace: UUID, entity_id: UUID, now: datetime) -> bool:
    """Take the entity's merge back; False when it is not merged into another."""
    return bool(await connection.run("unmerge_entity", workspace=workspace, entity_id=entity_id, now=now))


async def move_edges(
    connection: Connection, workspace: UUID, entity_id: UUID, to_id: UUID, memory_ids: Sequence[UUID]
) -> int:
    """Point the edges between these memories and the entity at another one; how many."""
    return await connection.run(
        "split_edges", workspace=workspace, entity_id=entity_id, to_id=to_id, memory_ids=memory_ids
    )


async def walk(
    connection: Connection,
    workspace: UUID,
    audiences: Sequence[UUID] | None,
    entity_id: UUID,
    *,
    depth: int,
    nodes_max: int,
    now: datetime,
) -> list[Row]:
    """What lies within ``depth`` edges of an entity, nearest first: (kind, id, depth), at most ``nodes_max`` entities
    and as many memories."""
    return await connection.fetch(
        "walk_graph", workspace=workspace, audiences=audiences, entity_id=entity_id, depth=depth, nodes_max=nodes_max,
        now=now,
    )  # fmt: skip


async def co_occurrences(
    connection: Connection,
    workspace: UUID,
    audiences: Sequence[UUID] | None,
    ids: Sequence[UUID],
    *,
    now: datetime,
    limit: int,
) -> list[Row]:
    """Pairs of these entities, and of how many memories both are part: (source_id, target_id, memories)."""
    return await connection.fetch(
        "co_occurrences", workspace=workspace, audiences=audiences, ids=ids, now=now, limit=limit
    )


async def neighbours(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, ids: Sequence[UUID], *,
    known: Sequence[UUID], limit: int, now: datetime,
) -> list[UUID]:  # fmt: skip
    """The next ring around these entities, without those ``known``: those with most memories in common first."""
    rows = await connection.fetch(
        "neighbours", workspace=workspace, audiences=audiences, ids=ids, known=known, limit=limit, now=now
    )
    return [row["id"] for row in rows]


async def overview(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, *, kind: str | None, text: str | None,
    since: datetime | None, until: datetime | None, limit: int, pairs_max: int,
) -> tuple[list[Row], list[Row]]:  # fmt: skip
    """The ``limit`` entities that most memories created in a span of time speak of, with the ``total`` of all, and at
    most ``pairs_max`` pairs of them by the memories that they share."""
    of_reader: dict[str, Any] = {"workspace": workspace, "audiences": audiences, "since": since, "until": until}
    found = await connection.fetch("most_mentioned_entities", **of_reader, kind=kind, text=text, limit=limit)
    ids = [row["id"] for row in found]
    pairs = await connection.fetch("co_occurrences_of_many", **of_reader, ids=ids, limit=pairs_max)
    return found, pairs


async def edges_among(
    connection: Connection,
    workspace: UUID,
    audiences: Sequence[UUID] | None,
    ids: Sequence[UUID],
    *,
    now: datetime,
    limit: int,
) -> list[Row]:
    """The edges between these nodes that hold, oldest first."""
    return await connection.fetch(
        "edges_among", workspace=workspace, audiences=audiences, ids=ids, now=now, limit=limit
    )


async def edges_at(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, id_: UUID, *, now: datetime, limit: int
) -> list[Row]:
    """The edges from or to this node that hold, oldest first."""
    return await connection.fetch("edges_at", workspace=workspace, audiences=audiences, id=id_, now=now, limit=limit)


async def edge(connection: Connection, workspace: UUID, edge_id: UUID) -> Row | None:
    """One edge."""
    return await connection.row("get_edge", workspace=workspace, id=edge_id)


async def edge_like(connection: Connection, workspace: UUID, wanted: Edge) -> Row | None:
    """The edge with these ends and this relation."""
    return await connection.row(
        "edge_like", workspace=workspace, source_id=wanted.source_id, relation=wanted.relation,
        target_id=wanted.target_id,
    )  # fmt: skip


async def disconnect(connection: Connection, workspace: UUID, edge_id: UUID) -> None:
    """Delete an edge."""
    await connection.run("undo_edges", workspace=workspace, ids=[edge_id])
