"""Lists of memories and their counts."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.memory import Memory
from service.store.agents import Reader, seen_by
from service.store.where import WhereQuery, where_flag


async def list_(
    connection: Connection,
    workspace: UUID,
    reader: Reader | None,
    *,
    order: str,
    where: WhereQuery | None,
    as_of: datetime | None,
    **filters: object,
) -> list[Memory]:
    """Return memories in an ``order``, as they were at ``as_of``; ``filters`` are the parameters of the query
    ``list_memories``."""
    return await connection.many(
        Memory,
        "list_memories",
        {"order": order, "where": where_flag(where), "past": as_of is not None},
        workspace=workspace,
        **seen_by(reader),
        where_values=where and where.values,
        as_of=as_of,
        **filters,
    )


async def count(
    connection: Connection,
    workspace: UUID,
    reader: Reader | None,
    *,
    bound: int,
    where: WhereQuery | None,
    as_of: datetime | None,
    **filters: object,
) -> int:
    """How many memories pass the filters of a list, at most ``bound``."""
    rows = await connection.fetch(
        "count_memories",
        {"where": where_flag(where), "past": as_of is not None},
        workspace=workspace,
        as_of=as_of,
        where_values=where and where.values,
        **seen_by(reader),
        bound=bound,
        **filters,
    )
    found: int = rows[0]["count"]
    return found


async def matching(
    connection: Connection,
    workspace: UUID,
    author_id: UUID | None,
    *,
    where: WhereQuery | None,
    deleted: bool,
    **filters: object,
) -> list[UUID]:
    """Lock what a list with these filters has of an author (None: of all), of the deleted memories or of the others;
    the ids."""
    rows = await connection.fetch(
        "matching_memories",
        {"where": where_flag(where), "deleted": deleted, "past": False},
        workspace=workspace,
        agent_id=author_id,
        audiences=[],
        where_values=where and where.values,
        **filters,
    )
    return [row["id"] for row in rows]
