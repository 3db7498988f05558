"""Workspaces by name and by id. Runs outside any workspace but where one is named."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection
from service.domain.workspaces import Workspace


async def add(connection: Connection, workspace: UUID, name: str) -> bool:
    """Make a workspace; return False where there is one of that id or name."""
    return bool(await connection.run("add_workspace", workspace=workspace, name=name))


async def find(connection: Connection, name: str) -> UUID | None:
    """Return the id of the workspace of that name."""
    return await connection.value("workspace_by_name", name=name)


async def get(connection: Connection, given: str) -> Workspace | None:
    """Return the workspace of that id or name."""
    try:
        id_ = UUID(given)
    except ValueError:
        id_ = None
    return await connection.first(Workspace, "get_workspace", given=given, id=id_)


async def hold(connection: Connection, workspace: UUID) -> bool:
    """Keep a workspace from being deleted for the rest of the transaction; return False where it is gone."""
    return await connection.value("hold_workspace", workspace=workspace) is not None
