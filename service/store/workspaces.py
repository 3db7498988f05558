"""Workspaces by name and by id. Runs outside any workspace but where one is named."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.limits import Limits


async def add(connection: Connection, workspace: UUID, name: str) -> bool:
    """Make a workspace; False where there is one of that id or name."""
    return bool(await connection.run("add_workspace", workspace=workspace, name=name))


async def find(connection: Connection, name: str) -> UUID | None:
    """The id of the workspace of that name."""
    return await connection.value("workspace_by_name", name=name)


async def all_ids(connection: Connection) -> list[UUID]:
    """The ids of all workspaces."""
    return [row["workspace_id"] for row in await connection.fetch("workspaces")]


async def active_ids(connection: Connection) -> list[UUID]:
    """The ids of all workspaces that are not suspended."""
    return [row["workspace_id"] for row in await connection.fetch("active_workspaces")]


async def list_(connection: Connection, *, before: tuple[datetime, UUID] | None, limit: int) -> list[Row]:
    """Workspaces, newest first."""
    created_at, id_ = before or (None, None)
    return await connection.fetch("list_workspaces", created_at=created_at, id=id_, limit=limit)


async def get(connection: Connection, given: str) -> Row | None:
    """The workspace of that id or name."""
    try:
        id_ = UUID(given)
    except ValueError:
        id_ = None
    return await connection.row("get_workspace", given=given, id=id_)


async def update(
    connection: Connection,
    workspace: UUID,
    *,
    name: str | None,
    suspended: bool | None,
    limits: Limits,
    now: datetime,
) -> Row | None:
    """Rename, suspend, resume or limit a workspace; None where it is gone."""
    return await connection.row(
        "update_workspace", id=workspace, name=name, suspended=suspended, limits=limits.set_only, now=now
    )


async def hold(connection: Connection, workspace: UUID) -> bool:
    """Keep a workspace from being deleted for the rest of the transaction; False where it is gone."""
    return await connection.value("hold_workspace", workspace=workspace) is not None


async def lock_suspended(connection: Connection, workspace: UUID) -> bool:
    """Lock a workspace for its deletion; False where it is gone or not suspended."""
    return await connection.value("lock_suspended_workspace", id=workspace) is not None


async def name_of(connection: Connection, workspace: UUID) -> str:
    """The name of a workspace, read inside it."""
    return await connection.value("workspace_name", workspace=workspace)
