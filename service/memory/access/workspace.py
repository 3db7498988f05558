"""Workspaces: all there are, and the settings of one as its admin reads and changes them."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.domain.workspace import Masking, WorkspaceSettings
from service.errors import Forbidden, InvalidInput
from service.memory.access import audit
from service.memory.access.model_choices import check_models, sealed_models
from service.memory.access.own_types import check_own_types, check_profile, redact_own_types
from service.memory.access.redaction import masking_of, redact
from service.memory.engine import Engine
from service.memory.ops.model_settings import changed_model_settings
from service.store import installation
from service.store.settings import put_settings as store_settings
from service.store.settings import workspace_settings


async def all_workspaces(engine: Engine) -> list[UUID]:
    """Return every workspace, for upkeep that goes through all of them."""
    async with engine.db.unscoped() as connection:
        return [row["workspace_id"] for row in await connection.fetch("workspaces")]


async def active_workspaces(engine: Engine) -> list[UUID]:
    """Return every workspace that is not suspended, for what workers do for their tenants."""
    async with engine.db.unscoped() as connection:
        return [row["workspace_id"] for row in await connection.fetch("active_workspaces")]


async def get_settings(engine: Engine, principal: Principal) -> WorkspaceSettings:
    """Return the settings in force, read with the caller's key or else now."""
    if principal.settings is not None:
        return principal.settings
    async with engine.db.transaction(principal.workspace_id) as connection:
        return await workspace_settings(connection, principal.workspace_id)


async def put_settings(
    engine: Engine, principal: Principal, changes: WorkspaceSettings, models: Mapping[str, JsonObject] | None = None
) -> WorkspaceSettings:
    """Lay the fields that ``changes`` sets over the present settings, and ``models`` over those of the installation.

    Raises Forbidden, and InvalidInput also for a model that cannot be used.
    """
    principal.require_admin()
    wanted = await changed_model_settings(engine, principal, models) if models else None
    present = await masking_of(engine, principal)
    masking = Masking(
        changes.pii if "pii" in changes.model_fields_set else present.pii,
        changes.secrets if "secrets" in changes.model_fields_set else present.secrets,
    )
    changes = await redact_own_types(engine, masking, await _redact_instructions(engine, masking, changes))
    await check_models(engine, principal, changes.llm)
    async with engine.db.transaction(principal.workspace_id) as connection:
        stored = await workspace_settings(connection, principal.workspace_id)
        if "llm" in changes.model_fields_set:
            sealed = sealed_models(engine.step_models.keys, principal.workspace_id, stored.llm, changes.llm)
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
                due_at=settings.next_dream(engine.now()),
            )  # fmt: skip
        changed = changes.shown().model_dump(mode="json", exclude_unset=True)
        changed |= dict(models) if models and wanted else {}
        await audit.record(connection, principal, "settings.changed", details=changed)
    return settings


def check_days_max(principal: Principal, stored: WorkspaceSettings, wanted: WorkspaceSettings) -> None:
    """Raise Forbidden for a key that expires and lets the keys that it makes live longer."""
    if principal.expires_at is not None and wanted.keys.days_max > stored.keys.days_max:
        raise Forbidden("Only a key that does not expire may raise keys.days_max.")


async def _redact_instructions(engine: Engine, pii: Masking, changes: WorkspaceSettings) -> WorkspaceSettings:
    """The changes with personal data in the instructions masked; what they leave unset stays so."""
    given = [
        (("body", "instructions"), changes.instructions),
        (("body", "dream", "instructions"), changes.dream.instructions),
    ]
    of_contexts, of_dreams = await redact(engine, pii, given)
    if of_dreams:
        changes = changes.model_copy(update={"dream": changes.dream.model_copy(update={"instructions": of_dreams})})
    return changes.model_copy(update={"instructions": of_contexts}) if of_contexts else changes
