"""Keys, workspace settings, the audit log, usage of models, figures by day."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path, Query

from service.api import admin_schemas as schemas
from service.api.dependencies import (
    AgentQuery,
    Call,
    Items,
    JsonResponse,
    Page,
    Paging,
    items_response,
    json_response,
    page_response,
)
from service.api.routing import api_router
from service.domain.audit import AuditLine
from service.domain.field_types import Name, Timestamp
from service.domain.keys import CreatedKey, Key, KeyLimitsChanged, Whoami
from service.domain.principal import Principal
from service.domain.stats import Stats
from service.domain.usage import UsageReport
from service.domain.workspace import WorkspaceSettings
from service.memory.access import audit, keys, workspace
from service.memory.access.model_settings import model_settings
from service.memory.access.workspace import SettingSource
from service.memory.engine import Engine
from service.memory.ops.usage import stats_report, usage_report

KeyId = Annotated[UUID, Path(description="Id of the key.")]

router = api_router(prefix="/v1", tags=["admin"])


@router.post("/keys", status_code=201, summary="Create an API key")
async def create_key(call: Call, body: schemas.CreateKey) -> JsonResponse[CreatedKey]:
    """The secret is returned only here. The key may do, cost and hold no more than that of the request, against whose
    limits it counts too, and lives no longer; 403 names the field that exceeds it."""
    return json_response(await keys.create_key(*call, body.grant()), 201)


@router.get("/keys", summary="List API keys")
async def list_keys(call: Call, paging: Paging) -> JsonResponse[Page[Key]]:
    """Keys without their secrets, newest first. Last use is written each second, to the minute."""
    return page_response(*await keys.list_keys(*call, **paging))


@router.get("/whoami", summary="Get the key of this request")
async def get_caller(call: Call) -> JsonResponse[Whoami]:
    """Workspace, role and agent of the key."""
    return json_response(await keys.describe_caller(*call))


@router.post("/keys/{key_id}/rotate", summary="Rotate the secret of an API key")
async def rotate_key(call: Call, key_id: KeyId) -> JsonResponse[CreatedKey]:
    """The former secret is invalid at once. Scopes and expiry stay as they are. 403 for a key that exceeds
    that of the request, 409 for that of an OAuth client."""
    return json_response(await keys.rotate_key(*call, key_id))


@router.patch("/keys/{key_id}", summary="Change the limits of an API key")
async def update_key(call: Call, key_id: KeyId, body: schemas.UpdateKey) -> JsonResponse[KeyLimitsChanged]:
    """In effect at once. 403 for a key that exceeds that of the request, before or after the change."""
    return json_response(await keys.limit_key(*call, key_id, body.limits))


@router.delete("/keys/{key_id}", status_code=204, summary="Revoke an API key")
async def revoke_key(call: Call, key_id: KeyId) -> None:
    """The key is invalid at once, and the keys that it made or consented to; with that of a sign-in, all keys of
    whoever signed in. 409 where no admin key would be left."""
    await keys.revoke_key(*call, key_id)


@router.get("/settings", summary="Get the workspace settings")
async def get_settings(call: Call) -> JsonResponse[schemas.Settings]:
    """With an admin key of the default workspace also `embedding` and `rerank` as in effect, and which environment
    variables win (`locked_by`)."""
    return await _shown(*call, await workspace.get_settings(*call))


@router.put("/settings", summary="Update the workspace settings")
async def update_settings(call: Call, body: schemas.PutSettings) -> JsonResponse[schemas.Settings]:
    """Omitted sections and fields keep their value. In effect on the next call; `embedding` and `rerank` in all
    processes within five seconds, after a trial of the model."""
    changed = await workspace.put_settings(*call, body.of_workspace(), body.of_models())
    return await _shown(*call, changed)


async def _shown(engine: Engine, caller: Principal, settings: WorkspaceSettings) -> JsonResponse[schemas.Settings]:
    models = (await model_settings(engine)).model_dump() if caller.is_installation_admin else {}
    return json_response(schemas.Settings.model_validate(settings.shown().model_dump() | models))


@router.get("/settings/sources", summary="List the workspace settings with their defaults")
async def list_setting_sources(call: Call) -> JsonResponse[Items[SettingSource]]:
    """Every setting of the workspace by its dotted name, with its default and whether the workspace chose its value."""
    return items_response(await workspace.setting_sources(*call))


@router.post("/settings/reset", summary="Reset workspace settings to their defaults")
async def reset_settings(call: Call, body: schemas.ResetSettings) -> JsonResponse[schemas.Settings]:
    """The settings after the reset. Admin keys only."""
    return await _shown(*call, await workspace.reset_settings(*call, body.names))


@router.get("/audit", summary="List the audit log")
async def list_audit_entries(
    call: Call,
    paging: Paging,
    action: Annotated[Name | None, Query(description="Action to filter by, such as `key.created`.")] = None,
    actor: Annotated[Name | None, Query(description="Actor to filter by: `agent:<name>` or `<role>:<key id>`.")] = None,
    since: Annotated[Timestamp | None, Query(description="Earliest time, inclusive.")] = None,
    until: Annotated[Timestamp | None, Query(description="Latest time, exclusive.")] = None,
) -> JsonResponse[Page[AuditLine]]:
    """Administrative actions, and reads of other agents' data. Newest first. Admin keys only."""
    return page_response(*await audit.list_audit(*call, action=action, actor=actor, since=since, until=until, **paging))


@router.get("/usage", summary="Get the model usage")
async def get_usage(
    call: Call,
    since: Annotated[date | None, Query(description="First day (UTC). Default: 29 days before `until`.")] = None,
    until: Annotated[date | None, Query(description="Last day (UTC), inclusive. Default: today.")] = None,
    by: Annotated[
        Literal["day", "key", "agent"], Query(description="Grouping: `day` (UTC), `key` or `agent`. Default `day`.")
    ] = "day",
) -> JsonResponse[UsageReport]:
    """Calls, tokens and cost by purpose, and requests, at most 10,000 rows each. Admin keys only."""
    return json_response(await usage_report(*call, since=since, until=until, by=by))


@router.get("/stats", summary="Get figures by day")
async def get_stats(
    call: Call,
    agent: AgentQuery = None,
    since: Annotated[date | None, Query(description="First day (UTC). Default: 29 days before `until`.")] = None,
    until: Annotated[date | None, Query(description="Last day (UTC), inclusive. Default: today.")] = None,
    step: Annotated[Literal["day"], Query(description="Length of a step: `day`. Default `day`.")] = "day",
) -> JsonResponse[Stats]:
    """Memories, dreams and searches of at most 400 days, of an agent or, without one, of the workspace."""
    return json_response(await stats_report(*call, agent=agent, since=since, until=until))
