"""Limits of workspaces and keys, and what is counted against them."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from service.db.pool import Columns, Connection
from service.domain.ids import NO_KEY
from service.domain.limits import Limits, limits_from
from service.store.keys import limits_by_key


async def lock(connection: Connection, workspace: UUID) -> Limits | None:
    """Return the limits of a workspace, which is locked against another change of them; None where it is gone."""
    row = await connection.row("lock_workspace_limits", workspace=workspace)
    return limits_from(row["limits"]) if row else None


async def in_force(connection: Connection, workspace: UUID, key_id: UUID | None) -> tuple[Limits, dict[UUID, Limits]]:
    """Return the limits of a workspace, and those that a key counts against (its own and those of the keys that it
    comes from) by the key that has them; without a lock."""
    row = await connection.row("limits_in_force", workspace=workspace, key_id=key_id)
    return (Limits(), {}) if row is None else (limits_from(row["workspace_limits"]), limits_by_key(row["key_limits"]))


async def hold_counts(connection: Connection, workspace: UUID) -> None:
    """Have stored rows and bytes counted from now on for whatever limits them, and for nothing else."""
    await connection.run("hold_stored_counts", workspace=workspace, no_key=NO_KEY)
    await connection.run("drop_stored_counts", workspace=workspace, no_key=NO_KEY)


async def recount(connection: Connection, workspace: UUID, day: date) -> int:
    """Count what is stored, note it for the day, and correct the counts that limits hold; how many were wrong.

    One statement sees one moment, in which each transaction's rows and their count are both there or both not: what it
    adds is right however many write meanwhile. What waits in deletions stays as it is: no purge runs beside this.
    """
    await connection.run("purge_one_at_a_time", workspace=workspace)
    if await lock(connection, workspace) is None:
        return 0
    waiting: list[Columns] = []
    for row in await connection.fetch("deletion_workspaces", workspace=workspace):
        await connection.switch_workspace(row["workspace_id"])
        waiting += map(dict, await connection.fetch("stored_by_writer", workspace=row["workspace_id"]))
    await connection.switch_workspace(workspace)
    wrong: int | None = await connection.value(
        "recount_stored", workspace=workspace, no_key=NO_KEY, day=day, waiting=waiting
    )
    return wrong or 0


async def unfinished_dreams(connection: Connection, workspace: UUID) -> dict[UUID, int]:
    """Return dreams that wait or run, by the keys that they count against, and of the workspace (zero)."""
    rows = await connection.fetch("unfinished_dreams", workspace=workspace, no_key=NO_KEY)
    return {row["key_id"]: row["dreams"] for row in rows}
