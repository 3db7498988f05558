"""The settings of a workspace as its admin reads and changes them: their sources, memory types and schemas of its own,
instructions. And the list of all workspaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.db.pool import Connection
from service.domain.json import JsonObject, JsonValue
from service.domain.json_schema import check_schema
from service.domain.own_types import SCHEMA_BYTES_MAX, MetadataSchema, Misfit, OwnType, check_filter
from service.domain.principal import Principal
from service.domain.profile_schema import check_profile_schema
from service.domain.setting import definitions
from service.domain.workspace import FORMER_SETTINGS, Masking, WorkspaceSettings, former_notice
from service.errors import Forbidden, InvalidInput
from service.memory.access import audit
from service.memory.access.model_settings import changed_model_settings, check_models, sealed_models
from service.memory.access.redaction import FieldValue, masking_of, redact
from service.runtime import Runtime
from service.store import installation
from service.store.settings import put_settings as store_settings
from service.store.settings import workspace_settings

OWN_NAMES = frozenset({"memory_types", "entity_kinds"})
REDACTED = frozenset({"description", "metadata_schema"})


async def all_workspaces(runtime: Runtime) -> list[UUID]:
    """Return every workspace, for upkeep that goes through all of them."""
    async with runtime.db.unscoped() as connection:
        return [row["workspace_id"] for row in await connection.fetch("workspaces")]


async def active_workspaces(runtime: Runtime) -> list[UUID]:
    """Return every workspace that is not suspended, for what workers do for their tenants."""
    async with runtime.db.unscoped() as connection:
        return [row["workspace_id"] for row in await connection.fetch("active_workspaces")]


async def get_settings(runtime: Runtime, principal: Principal) -> WorkspaceSettings:
    """Return the settings in force, read with the caller's key or else now."""
    if principal.settings is not None:
        return principal.settings
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await workspace_settings(connection, principal.workspace_id)


async def put_settings(
    runtime: Runtime, principal: Principal, changes: WorkspaceSettings, models: Mapping[str, JsonObject] | None = None
) -> WorkspaceSettings:
    """Lay the fields that ``changes`` sets over the present settings, and ``models`` over those of the installation.

    Raises Forbidden, and InvalidInput also for a model that cannot be used.
    """
    principal.require_admin()
    wanted = await changed_model_settings(runtime, principal, models) if models else None
    present = await masking_of(runtime, principal)
    masking = Masking(
        changes.pii if "pii" in changes.model_fields_set else present.pii,
        changes.secrets if "secrets" in changes.model_fields_set else present.secrets,
    )
    changes = await redact_own_types(runtime, masking, await _redact_instructions(runtime, masking, changes))
    await check_models(runtime, principal, changes.llm)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        stored = await workspace_settings(connection, principal.workspace_id)
        if "llm" in changes.model_fields_set:
            sealed = sealed_models(runtime.step_models.keys, principal.workspace_id, stored.llm, changes.llm)
            changes = changes.model_copy(update={"llm": sealed})
        try:
            settings = stored.over(changes.model_dump(exclude_unset=True))
        except ValueError as error:
            raise InvalidInput(("body",), str(error)) from error
        check_days_max(principal, stored, settings)
        check_profile(stored, settings)
        await check_own_types(connection, principal.workspace_id, stored, settings)
        await store_settings(connection, principal.workspace_id, settings)
        if wanted is not None:
            await installation.put_installation_settings(connection, wanted)
        if "dream" in changes.model_fields_set:
            await connection.run(
                "bring_forward", workspace=principal.workspace_id, agent_id=None,
                due_at=settings.next_dream(runtime.now()),
            )  # fmt: skip
        changed = changes.shown().model_dump(mode="json", exclude_unset=True)
        changed |= dict(models) if models and wanted else {}
        await audit.record(connection, principal, "settings.changed", details=changed)
    return settings


def check_days_max(principal: Principal, stored: WorkspaceSettings, wanted: WorkspaceSettings) -> None:
    """Raise Forbidden for a key that expires and lets the keys that it makes live longer."""
    if principal.expires_at is not None and wanted.keys.days_max > stored.keys.days_max:
        raise Forbidden("Only a key that does not expire may raise keys.days_max.")


async def _redact_instructions(runtime: Runtime, pii: Masking, changes: WorkspaceSettings) -> WorkspaceSettings:
    """Return the changes with personal data in the instructions masked; what they leave unset stays so."""
    given = [
        (("body", "instructions"), changes.instructions),
        (("body", "dream", "instructions"), changes.dream.instructions),
    ]
    of_contexts, of_dreams = await redact(runtime, pii, given)
    if of_dreams:
        changes = changes.model_copy(update={"dream": changes.dream.model_copy(update={"instructions": of_dreams})})
    return changes.model_copy(update={"instructions": of_contexts}) if of_contexts else changes


async def check_own_types(
    connection: Connection, workspace: UUID, present: WorkspaceSettings, wanted: WorkspaceSettings
) -> None:
    """Raise InvalidInput for a schema that is none, for a type in use that would go or behave otherwise, and for a type
    that dreams would keep and that is not there."""
    for name, own in wanted.memory_types.items():
        if own != present.memory_types.get(name):
            _check_schema("memory_types", name, own.metadata_schema)
    for name, kind in wanted.entity_kinds.items():
        if kind != present.entity_kinds.get(name):
            _check_schema("entity_kinds", name, kind.metadata_schema)
    ended = [name for name, own in present.memory_types.items() if _ends(own, wanted.memory_types.get(name))]
    rows = await connection.fetch("types_in_use", workspace=workspace, types=ended) if ended else []
    if rows:
        raise InvalidInput(
            ("body", "memory_types", rows[0]["type"]),
            "is the type of memories here, so it can neither be left out nor be like another type",
        )
    check_filters(wanted.memory_types, ("body", "dream", "types"), wanted.dream.types)
    check_filters(wanted.memory_types, ("body", "dream", "ignore_types"), wanted.dream.ignore_types)


def check_profile(present: WorkspaceSettings, wanted: WorkspaceSettings) -> None:
    """Raise InvalidInput for a schema that profiles cannot have."""
    if wanted.profile_schema is not None and wanted.profile_schema != present.profile_schema:
        try:
            check_profile_schema(wanted.profile_schema)
        except ValueError as error:
            raise InvalidInput(("body", "profile_schema"), str(error)) from None


async def redact_own_types(runtime: Runtime, pii: Masking, changes: WorkspaceSettings) -> WorkspaceSettings:
    """Return the changes with personal data masked in what types and kinds mean, and in schemas; what they leave unset
    stays so."""
    if changes.profile_schema is not None:
        (masked_schema,) = await redact(runtime, pii, [(("body", "profile_schema"), changes.profile_schema)])
        changes = changes.model_copy(update={"profile_schema": masked_schema})
    written: list[FieldValue] = []
    for setting in OWN_NAMES & changes.model_fields_set:
        for name, own in getattr(changes, setting).items():
            written += [(("body", setting, name, field), value) for field, value in own if field in REDACTED]
    masked = await redact(runtime, pii, written)
    updates = {setting: dict(getattr(changes, setting)) for setting in OWN_NAMES & changes.model_fields_set}
    for (loc, before), after in zip(written, masked, strict=True):
        if after != before:
            _, setting, name, field = map(str, loc)
            updates[setting][name] = updates[setting][name].model_copy(update={field: after})
    return changes.model_copy(update=updates) if updates else changes


def check_filters(types: Mapping[str, OwnType], loc: tuple[str, ...], named: Iterable[str] | None) -> None:
    """Raise InvalidInput, at ``loc``, for a type to filter by that is not there."""
    try:
        check_filter(types, named)
    except Misfit as error:
        raise InvalidInput(loc, str(error)) from None


def _check_schema(setting: str, name: str, schema: MetadataSchema) -> None:
    try:
        if schema is not None:
            check_schema(schema, bytes_max=SCHEMA_BYTES_MAX)
    except ValueError as error:
        raise InvalidInput(("body", setting, name, "metadata_schema"), str(error)) from None


def _ends(own: OwnType, wanted: OwnType | None) -> bool:
    return wanted is None or wanted.like != own.like


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
    advanced: Annotated[bool, Field(description="True for what few installations change.")]


async def setting_sources(runtime: Runtime, principal: Principal) -> list[SettingSource]:
    """Return every setting by its dotted name, without keys of models."""
    settings = (await get_settings(runtime, principal)).shown()
    chosen = _flat(settings, settings.model_dump(mode="json", exclude_defaults=True))
    values, defaults = _leaves(settings), _leaves(WorkspaceSettings())
    return [
        SettingSource(
            one.name, values[one.name], defaults[one.name], "workspace" if one.name in chosen else "default",
            one.advanced,
        )
        for one in definitions(WorkspaceSettings)
    ]  # fmt: skip


async def reset_settings(runtime: Runtime, principal: Principal, names: Sequence[str]) -> WorkspaceSettings:
    """Set settings, or whole sections of them, back to their defaults.

    Raises Forbidden, and InvalidInput for a name that is none and for what may not go while it is in use.
    """
    principal.require_admin()
    known = {*_leaves(WorkspaceSettings()), *WorkspaceSettings.model_fields}
    for place, name in enumerate(names):
        if name not in known:
            reason = former_notice(name) if name in FORMER_SETTINGS else "is not a setting of a workspace"
            raise InvalidInput(("body", "names", place), reason)
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
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
        await store_settings(connection, workspace, settings)
        if any(name.split(".")[0] == "dream" for name in names):
            await connection.run(
                "bring_forward", workspace=workspace, agent_id=None, due_at=settings.next_dream(runtime.now())
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
