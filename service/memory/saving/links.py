"""Links given with a save: edges to memories and entities, in the save's own transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain.drafts import EntityRef, Link
from service.domain.graph import NodeKind
from service.domain.guards import normalize
from service.domain.own_types import EntityKind
from service.domain.owners import Owners
from service.domain.principal import Principal
from service.errors import InvalidInput, Loc
from service.memory.saving.entity_metadata import Described, describe
from service.store import agents, entities, memories

ANY_KIND = "thing"
"""Of an entity that is named without one."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory just saved by ``agent``, its owners, its ``links``, and where in the request it stands."""

    memory_id: UUID
    audience: UUID
    owners: Owners
    agent: str
    links: Sequence[Link]
    loc: Loc


async def write_links(
    connection: Connection,
    principal: Principal,
    saved: Sequence[Linked],
    *,
    executor: FairExecutor,
    kinds: Mapping[str, EntityKind],
    now: datetime,
) -> None:
    """Write the edges of memories, in one order for all saves (lock ordering against deadlock), then the metadata of
    the entities they lead to.

    Raises InvalidInput, naming the link, for a memory the agent cannot see, and for metadata that does not fit the kind
    of its entity.
    """
    described: list[tuple[int, int, Described]] = []
    place = {one.memory_id: number for number, one in enumerate(saved)}
    readers: dict[str, agents.Reader | None] = {}
    links = [(one, position, link) for one in saved for position, link in enumerate(one.links)]
    for one, position, link in sorted(links, key=lambda each: _order(each[0], each[2])):
        if one.agent not in readers:
            readers[one.agent] = await agents.reader(connection, principal.workspace_id, agents.ReaderKey(one.agent))
        loc = (*one.loc, "links", position)
        end = await _write(connection, principal, readers[one.agent], one, link, loc)
        if link.entity is not None:
            given = Described(end, link.entity.metadata, (*loc, "entity"))
            described.append((place[one.memory_id], position, given))
    in_order = [given for _, _, given in sorted(described, key=lambda each: each[:2])]
    await describe(connection, principal.workspace_id, executor, kinds, in_order, now)


def _order(one: Linked, link: Link) -> tuple[UUID, str, str]:
    """As dreams name entities."""
    return one.audience, *((normalize(link.entity.name), link.entity.kind or ANY_KIND) if link.entity else ("", ""))


async def _write(
    connection: Connection,
    principal: Principal,
    reader: agents.Reader | None,
    one: Linked,
    link: Link,
    loc: Loc,
) -> UUID:
    """Write one edge; return the id of its end."""
    workspace = principal.workspace_id
    target_kind: NodeKind
    if link.memory_id is not None:
        await must_see(connection, workspace, reader, link.memory_id, (*loc, "memory_id"))
        target_kind, target_id = "memory", link.memory_id
    else:
        assert link.entity is not None
        assert reader is not None
        target_kind = "entity"
        target_id = await _entity(connection, workspace, reader, one, link.entity)
    edge = entities.NewEdge(
        one.audience, link.relation, "memory", one.memory_id, target_kind, target_id, memory_id=one.memory_id
    )
    await entities.connect(connection, workspace, edge, principal.actor)
    return target_id


async def must_see(
    connection: Connection, workspace: UUID, reader: agents.Reader | None, memory_id: UUID, loc: Loc
) -> None:
    """Raise InvalidInput, naming the field ``loc``, for a memory that an edge may not have as its end."""
    rows = await memories.get(connection, workspace, [memory_id], reader)
    if not rows or rows[0].deleted_at is not None:
        raise InvalidInput(loc, "there is no such memory")


async def _entity(
    connection: Connection, workspace: UUID, reader: agents.Reader, one: Linked, named: EntityRef
) -> UUID:
    """Return the entity meant: the one of that name where no kind is given and only one fits, else by name and kind."""
    if named.kind is None:
        known = await connection.fetch(
            "find_entities", workspace=workspace, audience=one.audience, owners=one.owners, alias=normalize(named.name)
        )
        if len(known) == 1:
            found: UUID = known[0]["id"]
            return found
    return await entities.ensure(
        connection,
        workspace,
        agent_id=reader.agent_id,
        audience=one.audience,
        owners=one.owners,
        name=named.name,
        kind=named.kind or ANY_KIND,
    )
