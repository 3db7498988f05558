"""Workspaces by name and by id. Runs outside any workspace but where one is named."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection


async def add(connection: Connection, workspace: UUID, name: str) -> None:
    """Make a workspace unless there is one of that id or name."""
    await connection.run("add_workspace", workspace=workspace, name=name)


async def find(connection: Connection, name: str) -> UUID | None:
    """The id of the workspace of that name."""
    found: UUID | None = await connection.value("workspace_by_name", name=name)
    return found


async def all_ids(connection: Connection) -> list[UUID]:
    """The ids of all workspaces."""
    return [row["workspace_id"] for row in await connection.fetch("workspaces")]


async def name_of(connection: Connection, workspace: UUID) -> str:
    """The name of a workspace, read inside it."""
    name: str = await connection.value("workspace_name", workspace=workspace)
    return name
