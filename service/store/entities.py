"""Entities, their aliases, and the edges between memories and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.graph import NodeKind
from service.domain.guards import normalize
from service.domain.ids import new_id
from service.domain.json import JsonObject
from service.domain.owners import Owners
from service.domain.placeholders import holds_placeholder


@dataclass(frozen=True, slots=True)
class NewEdge:
    """A typed link to write; each end is a memory or an entity. ``memory_id`` is the memory that says so."""

    audience: UUID
    relation: str
    source_kind: NodeKind
    source_id: UUID
    target_kind: NodeKind
    target_id: UUID
    memory_id: UUID | None = None
    dream_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class LockedEntity:
    """An entity about to change, and whose it is."""

    id: UUID
    agent: str
    agent_id: UUID
    audience: UUID
    owners: list[str]
    name: str
    kind: str
    metadata: JsonObject
    merged_into: UUID | None
    dream_id: UUID | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class _Ensured:
    alias: str
    kind: str
    entity_id: UUID
    made: bool


async def _ensured(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    audience: UUID,
    owners: Owners,
    named: Sequence[tuple[str, str]],
    dream_id: UUID | None = None,
) -> list[_Ensured]:
    """Return the entities of these names and kinds, made where they are not there; without those that another
    transaction is about to make."""
    return await connection.many(
        _Ensured, "ensure_entities", workspace=workspace, agent_id=agent_id, audience=audience, owners=owners,
        ids=[new_id() for _ in named], names=[name for name, _ in named],
        aliases=[normalize(name) for name, _ in named], kinds=[kind for _, kind in named], dream_id=dream_id,
    )  # fmt: skip


async def ensure(
    connection: Connection, workspace: UUID, *, agent_id: UUID, audience: UUID, owners: Owners, name: str, kind: str
) -> UUID:
    """Return the entity of these owners that the audience knows by this name (or alias) and kind, made on first
    mention."""
    while not (found := await _ensured(connection, workspace, agent_id, audience, owners, [(name, kind)])):
        pass
    return found[0].entity_id


async def ensure_all(
    connection: Connection,
    workspace: UUID,
    *,
    agent_id: UUID,
    audience: UUID,
    owners: Owners,
    named: Sequence[tuple[str, str]],
    dream_id: UUID | None,
) -> dict[tuple[str, str], tuple[UUID, bool]]:
    """Do as ``ensure`` for many (name, kind) pairs at once: the id of each, and whether it was made just now.

    What holds a placeholder of masked personal data is no entity: it would link people who have nothing in common.
    """
    found: dict[tuple[str, str], tuple[UUID, bool]] = {}
    wanted = [(name, kind) for name, kind in named if normalize(name) and not holds_placeholder(name)]
    while missing := [each for each in wanted if each not in found]:
        ensured = await _ensured(connection, workspace, agent_id, audience, owners, missing, dream_id)
        by_alias = {(one.alias, one.kind): one for one in ensured}
        for name, kind in missing:
            one = by_alias.get((normalize(name), kind))
            if one is not None:
                found[name, kind] = (one.entity_id, one.made)
    return found


async def connect(connection: Connection, workspace: UUID, edge: NewEdge, created_by: str) -> UUID | None:
    """Write an edge; return the id of a new one, None when it was there already."""
    (made,) = await connect_all(connection, workspace, [edge], created_by)
    return made


async def connect_all(
    connection: Connection, workspace: UUID, edges: Sequence[NewEdge], created_by: str
) -> list[UUID | None]:
    """Do as ``connect`` for many edges at once, in their order; of equal ones the first is made."""
    columns = NewEdge.__slots__  # asdict() would copy each id, in ten times as long
    items = [
        {name: getattr(edge, name) for name in columns} | {"id": new_id(), "created_by": created_by} for edge in edges
    ]
    if not items:
        return []
    rows = await connection.fetch("add_edges", workspace=workspace, items=items)
    made = {row["id"] for row in rows}
    return [item["id"] if item["id"] in made else None for item in items]


async def lock_all(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[LockedEntity]:
    """Lock entities in the order of their ids until the transaction ends."""
    return await connection.many(LockedEntity, "lock_entities", workspace=workspace, ids=ids) if ids else []


async def set_metadata(
    connection: Connection, workspace: UUID, entity_id: UUID, metadata: JsonObject, now: datetime
) -> None:
    """Replace the metadata of an entity."""
    await connection.run("set_entity_metadata", workspace=workspace, id=entity_id, metadata=metadata, now=now)


async def rename(
    connection: Connection, workspace: UUID, entity_id: UUID, *, name: str, kind: str, aliases: Sequence[str] | None,
    now: datetime,
) -> bool:  # fmt: skip
    """Set name and kind, and with ``aliases`` all names it goes by; return False when another has one."""
    kept = [] if aliases is not None else await connection.fetch("aliases", workspace=workspace, id=entity_id)
    wanted = {normalize(name), *map(normalize, aliases or ()), *(row["alias"] for row in kept)}
    await connection.run("rename_entity", workspace=workspace, id=entity_id, name=name, kind=kind, now=now)
    await connection.run("clear_aliases", workspace=workspace, id=entity_id)
    made = await connection.run(
        "add_names", workspace=workspace, id=entity_id, kind=kind, aliases=sorted(wanted - {""})
    )
    return made == len(wanted - {""})


async def add(
    connection: Connection, workspace: UUID, *, agent_id: UUID, audience: UUID, owners: Owners, name: str, kind: str
) -> UUID | None:
    """Make a new entity of that name; return None when there is one of that name and kind."""
    found = await _ensured(connection, workspace, agent_id, audience, owners, [(name, kind)])
    return found[0].entity_id if found and found[0].made else None
