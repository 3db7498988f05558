"""Each setting of a workspace with its default and whether the workspace chose it, and the way back to the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from service.domain.json import JsonObject, JsonValue
from service.domain.principal import Principal
from service.domain.workspace import WorkspaceSettings
from service.errors import InvalidInput
from service.memory.access import audit
from service.memory.access.own_types import check_own_types, check_profile
from service.memory.access.workspace import check_days_max, get_settings
from service.memory.engine import Engine
from service.store.settings import put_settings, workspace_settings


@dataclass(frozen=True, slots=True)
class SettingSource:
    """Setting of a workspace with its default."""

    name: Annotated[str, Field(description="Dotted name, such as `retrieval.rrf_k`.")]
    value: Annotated[JsonValue, Field(description="Value in effect, without keys of models.")]
    default: Annotated[JsonValue, Field(description="Default value.")]
    source: Annotated[
        Literal["default", "workspace"],
        Field(description="Source of the value: `default` or `workspace` (chosen by an admin)."),
    ]


async def setting_sources(engine: Engine, principal: Principal) -> list[SettingSource]:
    """Return every setting by its dotted name, without keys of models."""
    settings = (await get_settings(engine, principal)).shown()
    chosen = _flat(settings, settings.model_dump(mode="json", exclude_defaults=True))
    values, defaults = _leaves(settings), _leaves(WorkspaceSettings())
    return [
        SettingSource(name, value, defaults[name], "workspace" if name in chosen else "default")
        for name, value in values.items()
    ]


async def reset_settings(engine: Engine, principal: Principal, names: Sequence[str]) -> WorkspaceSettings:
    """Set settings, or whole sections of them, back to their defaults.

    Raises Forbidden, and InvalidInput for a name that is none and for what may not go while it is in use.
    """
    principal.require_admin()
    known = {*_leaves(WorkspaceSettings()), *WorkspaceSettings.model_fields}
    for place, name in enumerate(names):
        if name not in known:
            raise InvalidInput(("body", "names", place), "is not a setting of a workspace")
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        stored = await workspace_settings(connection, workspace)
        kept = stored.model_dump(exclude_defaults=True)
        for name in names:
            section, _, field = name.partition(".")
            if field and isinstance(kept.get(section), dict):
                kept[section].pop(field, None)
            elif not field:
                kept.pop(section, None)
        try:
            settings = WorkspaceSettings.model_validate(kept)
        except ValueError as error:
            raise InvalidInput(("body", "names"), str(error)) from error
        check_days_max(principal, stored, settings)
        check_profile(stored, settings)
        await check_own_types(connection, workspace, stored, settings)
        await put_settings(connection, workspace, settings)
        if any(name.split(".")[0] == "dream" for name in names):
            await connection.run(
                "bring_forward", workspace=workspace, agent_id=None, due_at=settings.next_dream(engine.now())
            )
        await audit.record(connection, principal, "settings.changed", details={"reset": sorted(set(names))})
    return settings


def _leaves(settings: WorkspaceSettings) -> JsonObject:
    return _flat(settings, settings.model_dump(mode="json"))


def _flat(settings: WorkspaceSettings, dumped: JsonObject) -> JsonObject:
    """Return values by dotted name, one level deep: a section is a model, whatever else a setting."""
    found: JsonObject = {}
    for name, value in dumped.items():
        if isinstance(getattr(settings, name), BaseModel) and isinstance(value, dict):
            found |= {f"{name}.{field}": inner for field, inner in value.items()}
        else:
            found[name] = value
    return found
