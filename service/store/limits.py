"""Limits of workspaces and keys, and what is counted against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from service.db.pool import Columns, Connection
from service.domain.ids import NO_KEY, new_id
from service.domain.limits import Limits, limits_from
from service.domain.usage import By, DreamsItem, StoredItem
from service.store.keys import limits_by_key

Period = Literal["minute", "day"]


@dataclass(frozen=True, slots=True)
class RequestWindow:
    """A minute or a day (UTC) of a key, or of the workspace where ``key_id`` is zero."""

    key_id: UUID
    period: Period
    starts_at: datetime


async def add_requests(
    connection: Connection, workspace: UUID, counted: Mapping[RequestWindow, int]
) -> dict[RequestWindow, int]:
    """Add requests to these windows; how many each has then."""
    rows = await connection.fetch(
        "add_requests", workspace=workspace, key_ids=[one.key_id for one in counted],
        periods=[one.period for one in counted], starts=[one.starts_at for one in counted],
        requests=list(counted.values()),
    )  # fmt: skip
    return {RequestWindow(row["key_id"], row["period"], row["starts_at"]): row["requests"] for row in rows}


async def lock(connection: Connection, workspace: UUID) -> Limits | None:
    """The limits of a workspace, which is locked against another change of them; None where it is gone."""
    row = await connection.row("lock_workspace_limits", workspace=workspace)
    return limits_from(row["limits"]) if row else None


async def in_force(connection: Connection, workspace: UUID, key_id: UUID | None) -> tuple[Limits, dict[UUID, Limits]]:
    """The limits of a workspace, and those that a key counts against (its own and those of the keys that it comes from)
    by the key that has them; without a lock."""
    row = await connection.row("limits_in_force", workspace=workspace, key_id=key_id)
    return (Limits(), {}) if row is None else (limits_from(row["workspace_limits"]), limits_by_key(row["key_limits"]))


async def hold_counts(connection: Connection, workspace: UUID) -> None:
    """Have stored rows and bytes counted from now on for whatever limits them, and for nothing else."""
    await connection.run("hold_stored_counts", workspace=workspace, no_key=NO_KEY)
    await connection.run("drop_stored_counts", workspace=workspace, no_key=NO_KEY)


async def is_counted(connection: Connection, workspace: UUID, day: date) -> bool:
    """Whether a day has its count already, in a workspace without a limit of what is stored."""
    return bool(await connection.value("is_counted", workspace=workspace, day=day))


async def recount(connection: Connection, workspace: UUID, day: date) -> int:
    """Count what is stored, note it for the day, and correct the counts that limits hold; how many were wrong.

    One statement sees one moment, in which each transaction's rows and their count are both there or both not: what it
    adds is right however many write meanwhile. What waits in deletions stays as it is under the lock of ``purges``.
    """
    await connection.run("purge_one_at_a_time", workspace=workspace)
    if await lock(connection, workspace) is None:
        return 0
    waiting: list[Columns] = []
    for row in await connection.fetch("deletion_workspaces", workspace=workspace):
        await connection.switch_workspace(row["workspace_id"])
        waiting += await stored_by_writer(connection, row["workspace_id"])
    await connection.switch_workspace(workspace)
    wrong: int | None = await connection.value(
        "recount_stored", workspace=workspace, no_key=NO_KEY, day=day, waiting=waiting
    )
    return wrong or 0


async def stored_by_writer(connection: Connection, workspace: UUID) -> list[Columns]:
    """Return the rows and bytes of memories and messages by the key that wrote them."""
    return [dict(row) for row in await connection.fetch("stored_by_writer", workspace=workspace)]


async def note_waiting(
    connection: Connection, workspace: UUID, items: Sequence[Columns], *, sign: Literal[1, -1]
) -> None:
    """Count what waits in a deletion, which is still stored, or what has left it again."""
    numbered = [{**item, "id": new_id()} for item in items]
    await connection.run("note_waiting", workspace=workspace, items=numbered, sign=sign)


@dataclass(frozen=True, slots=True)
class Stored:
    """Rows and bytes of a key, or of the workspace where ``key_id`` is zero."""

    key_id: UUID
    rows: int
    bytes: int


async def stored(connection: Connection, workspace: UUID) -> dict[UUID, Stored]:
    """Return rows and bytes by key (zero: the workspace): as limits hold them, else when they were last counted."""
    return {one.key_id: one for one in await connection.many(Stored, "stored_now", workspace=workspace)}


async def stored_by_day(
    connection: Connection, workspace: UUID, *, since: date, until: date, by_key: bool, limit: int
) -> list[StoredItem]:
    """Return rows and bytes at the last count of each of these days, or of each key's last of them."""
    return await connection.many(
        StoredItem, "stored_by_key" if by_key else "stored_by_day", workspace=workspace, since=since, until=until,
        no_key=NO_KEY, limit=limit,
    )  # fmt: skip


async def dreams_by(
    connection: Connection, workspace: UUID, *, since: date, until: date, by: By, limit: int
) -> list[DreamsItem]:
    """Return dreams begun on these days (UTC), by day, key or agent."""
    return await connection.many(
        DreamsItem, "dreams_by", workspace=workspace, since=since, until=until, by_day=by == "day", by_key=by == "key",
        by_agent=by == "agent", limit=limit,
    )  # fmt: skip


async def unfinished_dreams(connection: Connection, workspace: UUID) -> dict[UUID, int]:
    """Return dreams that wait or run, by the keys that they count against, and of the workspace (zero)."""
    rows = await connection.fetch("unfinished_dreams", workspace=workspace, no_key=NO_KEY)
    return {row["key_id"]: row["dreams"] for row in rows}
