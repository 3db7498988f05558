"""The settings of a workspace, read in the transaction that uses them: a change is in effect on the next call."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection
from service.domain.json import JsonObject
from service.domain.workspace import WorkspaceSettings, without_former


async def workspace_settings(connection: Connection, workspace: UUID) -> WorkspaceSettings:
    """Return the workspace's settings; defaults where none were set."""
    return settings_from(await connection.value("get_settings", workspace=workspace))


async def agent_settings(connection: Connection, workspace: UUID, agent_id: UUID) -> WorkspaceSettings:
    """Return the settings of an agent: its own over the workspace's."""
    row = await connection.one("get_agent_settings", workspace=workspace, agent_id=agent_id)
    return settings_from(row["workspace"], row["agent"])


def settings_from(stored: JsonObject | None, of_agent: JsonObject | None = None) -> WorkspaceSettings:
    """Settings as stored, those of an agent over the workspace's, over the defaults."""
    present = WorkspaceSettings.model_validate(without_former(stored)[0]) if stored else _DEFAULTS
    return present.of_agent(of_agent)


async def put_settings(connection: Connection, workspace: UUID, settings: WorkspaceSettings) -> None:
    """Store what differs from the defaults, so that better defaults reach everyone who did not choose."""
    await connection.run("put_settings", workspace=workspace, value=settings.model_dump(exclude_defaults=True))


_DEFAULTS = WorkspaceSettings()
