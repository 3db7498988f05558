"""Workspaces of the installation, for its admin."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import StreamingResponse

from service.api import workspace_schemas as schemas
from service.api.dependencies import (
    Call,
    DryRun,
    HoldingStream,
    JsonResponse,
    Page,
    Paging,
    PathName,
    Token,
    holding,
    json_response,
    page_response,
)
from service.api.routes.transfer import NDJSON
from service.api.routing import api_router
from service.domain.limits import NO_LIMITS
from service.domain.workspaces import CreatedWorkspace, Workspace, WorkspaceDeletion
from service.memory.ops import workspaces

WorkspacePath = Annotated[PathName, Path(description="Id or name of the workspace.")]

router = api_router(prefix="/v1/workspaces", tags=["workspaces"])


@router.post("", status_code=201, summary="Create a workspace")
async def create_workspace(call: Call, body: schemas.CreateWorkspace) -> JsonResponse[CreatedWorkspace]:
    """With its first admin key. Admin keys of the default workspace only, as all of these."""
    return json_response(await workspaces.create_workspace(*call, body.name), 201)


@router.get("", summary="List workspaces")
async def list_workspaces(call: Call, paging: Paging) -> JsonResponse[Page[Workspace]]:
    """Workspaces, newest first."""
    return page_response(*await workspaces.list_workspaces(*call, **paging))


@router.patch("/{workspace}", summary="Rename, suspend, resume or limit a workspace")
async def update_workspace(
    call: Call, workspace: WorkspacePath, body: schemas.UpdateWorkspace
) -> JsonResponse[Workspace]:
    """While it is suspended, requests with its keys answer 403 `Workspace suspended`, and workers leave it alone.
    Of the default workspace only the limits can be changed (409)."""
    changed = await workspaces.update_workspace(
        *call, workspace, name=body.name, suspended=body.suspended, changes=body.limits or NO_LIMITS
    )
    return json_response(changed)


@router.delete("/{workspace}", summary="Delete a workspace")
async def delete_workspace(
    call: Call, workspace: WorkspacePath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[WorkspaceDeletion]:
    """Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile."""
    return json_response(await workspaces.delete_workspace(*call, workspace, dry_run=dry_run, token=token))


@router.get(
    "/{workspace}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {NDJSON: {}}}},
    summary="Export a workspace of the installation",
)
async def export_workspace(call: Call, workspace: WorkspacePath) -> StreamingResponse:
    """A stream with one JSON object per line (NDJSON), as of `GET /v1/export`. Suspended workspaces too."""
    with holding(call.engine.transfers.slot(call.caller)) as held:
        lines = await workspaces.export_workspace(*call, workspace)
        headers = {"Content-Disposition": 'attachment; filename="reverie.ndjson"'}
        return HoldingStream(lines, held.pop_all(), media_type=NDJSON, headers=headers)
