"""Links given with a save (row W8): edges to memories and entities, in the save's own transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from service.db.pool import Connection
from service.domain.drafts import Link
from service.domain.principal import Principal
from service.errors import InvalidInput
from service.store import entities, memories
from service.store.agents import Reader


async def write_links(
    connection: Connection,
    principal: Principal,
    reader: Reader | None,
    memory_id: UUID,
    audience: UUID,
    links: Sequence[Link],
    loc: tuple[str | int, ...],
) -> None:
    """Write the edges of a memory. Raises InvalidInput, naming the link, for a memory the reader cannot see."""
    workspace = principal.workspace_id
    for position, link in enumerate(links):
        if link.memory_id is not None:
            rows = await memories.get(connection, workspace, [link.memory_id], reader)
            if not rows or rows[0]["deleted_at"] is not None:
                raise InvalidInput((*loc, "links", position, "memory_id"), "there is no such memory")
            target_kind, target_id = "memory", link.memory_id
        else:
            assert link.entity is not None
            assert reader is not None
            target_kind = "entity"
            target_id = await _entity(connection, workspace, reader, audience, link.entity.name, link.entity.kind)
        await entities.connect(
            connection,
            workspace,
            entities.Edge(audience, link.relation, "memory", memory_id, target_kind, target_id, memory_id=memory_id),
            principal.actor,
        )


async def _entity(
    connection: Connection, workspace: UUID, reader: Reader, audience: UUID, name: str, kind: str | None
) -> UUID:
    """The entity meant: the one of that name where no kind is given and only one fits, else by name and kind."""
    if kind is None:
        known = await entities.find(connection, workspace, [audience], name)
        if len(known) == 1:
            found: UUID = known[0]["id"]
            return found
    return await entities.ensure(
        connection, workspace, agent_id=reader.agent_id, audience=audience, name=name, kind=kind or "thing"
    )
