"""How the engine is, a trial run of it, reindexing, and scanning for stored secrets."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Request
from starlette.responses import Response

from service.api import engine_schemas as schemas
from service.api.dependencies import (
    Bearer,
    Call,
    EngineDep,
    Items,
    JsonResponse,
    Page,
    Paging,
    items_response,
    json_response,
    page_response,
    principal_of,
)
from service.api.errors import problem
from service.api.routing import api_router
from service.memory.access import rescan
from service.memory.access.rescan import RescanFinding, RescanProgress, RescanStarted
from service.memory.ops import engine_status
from service.memory.ops.engine_status import EmbeddingProvider, EngineState, ReindexProgress, ReindexStarted
from service.memory.ops.health import checks
from service.memory.ops.verify import VerifyResponse
from service.memory.ops.verify import verify as run_verify

router = api_router(prefix="/v1", tags=["engine"])


@router.get("/engine", summary="Get the state of the engine")
async def get_engine(request: Request, engine: EngineDep, given: Bearer) -> JsonResponse[EngineState] | Response:
    """Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of
    the default workspace. While the database does not answer, 503 lists the `checks` of `GET /readyz`, for any key."""
    found = await checks(engine)
    if found.database.status != "ok":
        states = found.states()
        return problem(
            503, "Unavailable", "The database does not answer.", {"Retry-After": "1"},
            degraded=[name for name, state in states.items() if state == "failing"], checks=states,
        )  # fmt: skip
    return json_response(await engine_status.get_engine_status(engine, await principal_of(request, engine, given)))


@router.get("/embedding-providers", summary="List embedding providers")
async def list_embedding_providers(call: Call) -> JsonResponse[Items[EmbeddingProvider]]:
    """All values of EMBEDDING_MODEL and their availability for admin keys of the default workspace; for other keys only
    the one in use."""
    return items_response(engine_status.providers(*call))


@router.post("/verify", summary="Run an end-to-end test")
async def verify_engine(call: Call) -> JsonResponse[VerifyResponse]:
    """Writes a memory, finds it by keyword and by vector, and deletes it."""
    return json_response(await run_verify(*call))


@router.post("/reindex", status_code=202, summary="Start reindexing")
async def start_reindex(
    call: Call, body: Annotated[schemas.Reindex | None, Body()] = None
) -> JsonResponse[ReindexStarted]:
    """The worker embeds all texts without a vector or, with `force`, all texts."""
    return json_response(await engine_status.start_reindex(*call, force=bool(body and body.force)), 202)


@router.get("/reindex")
async def get_reindex(call: Call) -> JsonResponse[ReindexProgress]:
    """Get the progress of the last reindexing."""
    return json_response(await engine_status.reindex_progress(*call))


@router.post("/rescan", status_code=202, summary="Scan stored records for secrets")
async def start_rescan(
    call: Call, body: Annotated[schemas.Rescan | None, Body()] = None
) -> JsonResponse[RescanStarted]:
    """The worker lists or, without `dry_run`, masks all stored secrets of the workspace, and personal data where
    `pii.mode` masks it. One scan at a time. Admin keys only."""
    dry_run = body is None or body.dry_run
    return json_response(await rescan.start_rescan(*call, dry_run=dry_run), 202)


@router.get("/rescan", summary="Get the progress of the last scan for secrets")
async def get_rescan(call: Call) -> JsonResponse[RescanProgress]:
    """Progress and counts, without values. Admin keys only."""
    return json_response(await rescan.rescan_progress(*call))


@router.get("/rescan/findings", summary="List the findings of the last scan for secrets")
async def list_rescan_findings(call: Call, paging: Paging) -> JsonResponse[Page[RescanFinding]]:
    """Fields with secrets found (dry run) or masked, without values. Admin keys only."""
    return page_response(*await rescan.list_findings(*call, **paging))
