"""Workspaces: all there are, and the settings of one as its admin reads and changes them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from service.domain.principal import Principal
from service.domain.workspace import WorkspaceSettings
from service.errors import InvalidInput
from service.memory.access import audit
from service.memory.engine import Engine
from service.store.settings import put_settings as store_settings
from service.store.settings import workspace_settings


async def all_workspaces(engine: Engine) -> list[UUID]:
    """Every workspace, for upkeep that goes through all of them."""
    async with engine.db.unscoped() as connection:
        return [row["workspace_id"] for row in await connection.fetch("workspaces")]


async def get_settings(engine: Engine, principal: Principal) -> WorkspaceSettings:
    """The settings in force, read with the caller's key or else now."""
    if principal.settings is not None:
        return principal.settings
    async with engine.db.transaction(principal.workspace_id) as connection:
        return await workspace_settings(connection, principal.workspace_id)


async def put_settings(engine: Engine, principal: Principal, changes: WorkspaceSettings) -> WorkspaceSettings:
    """Lay the fields that ``changes`` sets over the present settings. Raises Forbidden, InvalidInput."""
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        present = await workspace_settings(connection, principal.workspace_id)
        try:
            settings = merge_settings(present, changes)
        except ValueError as error:
            raise InvalidInput(("body",), str(error)) from error
        await store_settings(connection, principal.workspace_id, settings)
        changed = changes.model_dump(mode="json", exclude_unset=True)
        await audit.record(connection, principal, "settings.changed", details=changed)
    return settings


def merge_settings(present: WorkspaceSettings, changes: WorkspaceSettings) -> WorkspaceSettings:
    """The present settings with the fields that ``changes`` sets over them. Raises ValueError if that fits ill."""
    return WorkspaceSettings.model_validate(_merged(present.model_dump(), changes.model_dump(exclude_unset=True)))


def _merged(present: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return present | {
        name: _merged(present[name], value) if isinstance(value, dict) else value for name, value in changes.items()
    }
