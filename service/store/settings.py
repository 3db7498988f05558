"""The settings of a workspace, read in the transaction that uses them: a change is in effect on the next call."""

from __future__ import annotations

from functools import cache
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain.former_settings import without_former
from service.domain.json import JsonObject
from service.domain.workspace import WorkspaceSettings

log = structlog.get_logger()


async def workspace_settings(connection: Connection, workspace: UUID) -> WorkspaceSettings:
    """The workspace's settings; defaults where none were set."""
    return settings_from(await connection.value("get_settings", workspace=workspace))


async def agent_settings(connection: Connection, workspace: UUID, agent_id: UUID) -> WorkspaceSettings:
    """The settings of an agent: its own over the workspace's."""
    row = await connection.one("get_agent_settings", workspace=workspace, agent_id=agent_id)
    return settings_from(row["workspace"], row["agent"])


def settings_from(stored: JsonObject | None, of_agent: JsonObject | None = None) -> WorkspaceSettings:
    """Settings as stored, those of an agent over the workspace's, over the defaults."""
    return (_current(stored) if stored else _DEFAULTS).of_agent(of_agent)


def _current(stored: JsonObject) -> WorkspaceSettings:
    kept, former = without_former(stored)
    if former:
        log_former(*former)
    return WorkspaceSettings.model_validate(kept)


@cache
def log_former(*names: str) -> None:
    """Log, once in a process, that settings of a former release are left out."""
    log.warning("former_settings_left_out", settings=list(names))


async def put_settings(connection: Connection, workspace: UUID, settings: WorkspaceSettings) -> None:
    """Store what differs from the defaults, so that better defaults reach everyone who did not choose."""
    await connection.run("put_settings", workspace=workspace, value=settings.model_dump(exclude_defaults=True))


_DEFAULTS = WorkspaceSettings()
