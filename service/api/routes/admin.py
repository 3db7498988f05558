"""Keys, workspace settings, the audit log, usage of models."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query
from starlette.responses import Response

from service.api import admin_schemas, schemas
from service.api.dependencies import Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.domain.field_types import Name, Timestamp
from service.domain.workspace import WorkspaceSettings
from service.memory.access import audit, keys, workspace
from service.memory.ops.usage_report import usage_report

router = api_router(prefix="/v1", tags=["admin"])


@router.post("/keys", status_code=201, response_model=admin_schemas.CreatedKey)
async def create(engine: EngineDep, caller: Caller, body: admin_schemas.CreateKey) -> Response:
    """Make a key; its text is shown this once."""
    return json_response(await keys.create_key(engine, caller, body.role, body.agent, body.name), 201)


@router.get("/keys", response_model=schemas.Page[admin_schemas.Key])
async def list_(engine: EngineDep, caller: Caller, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Keys, newest first."""
    return page(*await keys.list_keys(engine, caller, limit=limit, cursor=cursor))


@router.get("/whoami", response_model=admin_schemas.Whoami)
async def whoami(engine: EngineDep, caller: Caller) -> Response:
    """Which workspace the key of this call opens, and as whom."""
    return json_response(await keys.describe_caller(engine, caller))


@router.post("/keys/{key_id}/rotate", response_model=admin_schemas.CreatedKey)
async def rotate(engine: EngineDep, caller: Caller, key_id: UUID) -> Response:
    """Give a key a new secret."""
    return json_response(await keys.rotate_key(engine, caller, key_id))


@router.delete("/keys/{key_id}", status_code=204)
async def revoke(engine: EngineDep, caller: Caller, key_id: UUID) -> None:
    """Revoke a key, in effect at once."""
    await keys.revoke_key(engine, caller, key_id)


@router.get("/settings", response_model=WorkspaceSettings)
async def get_settings(engine: EngineDep, caller: Caller) -> WorkspaceSettings:
    """The workspace's settings."""
    return await workspace.get_settings(engine, caller)


@router.put("/settings", response_model=WorkspaceSettings)
async def put_settings(engine: EngineDep, caller: Caller, body: WorkspaceSettings) -> WorkspaceSettings:
    """Set the workspace's settings; sections and fields left out keep their value. In effect on the next call."""
    return await workspace.put_settings(engine, caller, body)


@router.get("/audit", response_model=schemas.Page[admin_schemas.AuditLine])
async def audit_log(
    engine: EngineDep,
    caller: Caller,
    action: Name | None = None,
    actor: Name | None = None,
    since: Timestamp | None = None,
    until: Timestamp | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Who administered and who read what is not their own, newest first."""
    lines, more = await audit.list_audit(
        engine, caller,
        action=action, actor=actor, since=since, until=until, limit=limit, cursor=cursor,
    )  # fmt: skip
    return page(lines, more)


@router.get("/usage", response_model=admin_schemas.UsageReport)
async def usage(
    engine: EngineDep,
    caller: Caller,
    since: Annotated[date | None, Query(description="a day (UTC); 29 days before until")] = None,
    until: Annotated[date | None, Query(description="a day (UTC), included; today")] = None,
    by: Literal["day", "key", "agent"] = "day",
) -> Response:
    """What models were used for: calls, tokens and cost by purpose; at most 10,000 rows. For admins."""
    return json_response(await usage_report(engine, caller, since=since, until=until, by=by))
