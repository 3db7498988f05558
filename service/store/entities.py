"""Entities, their aliases, and the edges between memories and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.guards import normalize
from service.domain.ids import new_id


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


async def ensure(
    connection: Connection,
    workspace: UUID,
    *,
    agent_id: UUID,
    audience: UUID,
    name: str,
    kind: str,
    dream_id: UUID | None = None,
) -> UUID:
    """The entity known by this name (or alias) and kind to the audience, made on first mention."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_entity",
            workspace=workspace,
            id=new_id(),
            agent_id=agent_id,
            audience=audience,
            name=name,
            alias=normalize(name),
            kind=kind,
            dream_id=dream_id,
        )
    return found


async def ensure_all(
    connection: Connection,
    workspace: UUID,
    *,
    agent_id: UUID,
    audience: UUID,
    named: Sequence[tuple[str, str]],
    dream_id: UUID | None,
) -> dict[tuple[str, str], tuple[UUID, bool]]:
    """As ``ensure``, for many (name, kind) pairs at once: the id of each, and whether it was made just now."""
    found: dict[tuple[str, str], tuple[UUID, bool]] = {}
    wanted = [(name, kind) for name, kind in named if normalize(name)]
    while missing := [each for each in wanted if each not in found]:
        rows = await connection.fetch(
            "ensure_entities",
            workspace=workspace,
            agent_id=agent_id,
            audience=audience,
            ids=[new_id() for _ in missing],
            names=[name for name, _ in missing],
            aliases=[normalize(name) for name, _ in missing],
            kinds=[kind for _, kind in missing],
            dream_id=dream_id,
        )
        by_alias = {(row["alias"], row["kind"]): row for row in rows}
        for name, kind in missing:
            row = by_alias.get((normalize(name), kind))
            if row is not None:
                found[name, kind] = (row["entity_id"], row["made"])
    return found


async def find(
    connection: Connection, workspace: UUID, audiences: Sequence[UUID], name: str, kind: str | None = None
) -> list[Row]:
    """Every entity known by this name or alias to these audiences."""
    return await connection.fetch(
        "find_entities", workspace=workspace, audiences=list(audiences), alias=normalize(name), kind=kind
    )


async def list_(connection: Connection, workspace: UUID, audiences: Sequence[UUID] | None, **filters: Any) -> list[Row]:
    """Entities by id, newest first; audiences None sees the workspace."""
    return await connection.fetch(
        "list_entities", workspace=workspace, audiences=None if audiences is None else list(audiences), **filters
    )


async def connect(connection: Connection, workspace: UUID, edge: Edge, created_by: str) -> UUID | None:
    """Write an edge; the id of a new one, None when it was there already."""
    made: UUID | None = await connection.value(
        "add_edge",
        workspace=workspace,
        id=new_id(),
        audience=edge.audience,
        relation=edge.relation,
        source_kind=edge.source_kind,
        source_id=edge.source_id,
        target_kind=edge.target_kind,
        target_id=edge.target_id,
        memory_id=edge.memory_id,
        dream_id=edge.dream_id,
        created_by=created_by,
    )
    return made


async def connect_all(
    connection: Connection, workspace: UUID, edges: Sequence[Edge], created_by: str
) -> list[UUID | None]:
    """As ``connect``, for many edges at once, in their order; of equal ones the first is made."""
    items = [asdict(edge) | {"id": new_id(), "created_by": created_by} for edge in edges]
    if not items:
        return []
    rows = await connection.fetch("add_edges", workspace=workspace, items=items)
    made = {row["id"] for row in rows}
    return [item["id"] if item["id"] in made else None for item in items]
