"""Entities as the API shows them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from service.domain import cursors
from service.domain.principal import Principal
from service.errors import NotFound
from service.memory.engine import Engine
from service.memory.lifecycle import eyes
from service.store import entities


async def list_entities(
    engine: Engine,
    principal: Principal,
    agent: str | None,
    kind: str | None,
    text: str | None,
    *,
    limit: int,
    cursor: str | None,
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of entities of the audiences the caller may read."""
    after = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        try:
            reader = await eyes(connection, principal, agent)
        except NotFound:
            return [], None
        rows = await entities.list_(
            connection,
            principal.workspace_id,
            reader.audiences if reader else None,
            kind=kind,
            text=text,
            before=after[0] if after else None,
            limit=limit + 1,
        )
    more = cursors.encode(rows[limit - 1]["id"]) if len(rows) > limit else None
    return [dict(row) for row in rows[:limit]], more
