"""State and health of the engine, reindexing, scans for secrets, dead letters (texts that workers died over)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Path, Request
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

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
from service.api.errors import PROBLEMS, problem
from service.api.routing import OperationRoute, api_router
from service.domain.dead_letters import DeadLetter
from service.domain.strict import StrictModel
from service.errors import Unauthenticated
from service.memory.access import rescan
from service.memory.access.rescan import RescanFinding, RescanProgress, RescanStarted
from service.memory.ops import dead_letters, engine_status
from service.memory.ops.engine_status import EmbeddingProvider, EngineState, Readiness, ReindexProgress, ReindexStarted
from service.memory.ops.health import checks
from service.memory.ops.prometheus import authorize_scrape, render
from service.memory.ops.verify import VerifyResponse
from service.memory.ops.verify import verify as run_verify


class Reindex(StrictModel):
    """Extent of a reindexing."""

    force: bool = Field(False, description="Reindexing of all texts instead of those without a vector. Default false.")


class Rescan(StrictModel):
    """Kind of a scan for stored secrets."""

    dry_run: bool = Field(
        True,
        description="Listing of the fields with secrets only; `false` masks the secrets irreversibly. Default true.",
    )


router = api_router(prefix="/v1", tags=["engine"])


@router.get("/engine", summary="Get the state of the engine")
async def get_engine(request: Request, runtime: EngineDep, given: Bearer) -> JsonResponse[EngineState] | Response:
    """Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of
    the default workspace. While the database does not answer, 503 lists the `checks` of `GET /readyz`, for any key."""
    found = await checks(runtime)
    if found.database.status != "ok":
        states = found.states()
        return problem(
            503, "Unavailable", "The database does not answer.", {"Retry-After": "1"},
            degraded=[name for name, state in states.items() if state == "failing"], checks=states,
        )  # fmt: skip
    return json_response(await engine_status.get_engine_status(runtime, await principal_of(request, runtime, given)))


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
async def start_reindex(call: Call, body: Annotated[Reindex | None, Body()] = None) -> JsonResponse[ReindexStarted]:
    """The worker embeds all texts without a vector or, with `force`, all texts."""
    return json_response(await engine_status.start_reindex(*call, force=bool(body and body.force)), 202)


@router.get("/reindex")
async def get_reindex(call: Call) -> JsonResponse[ReindexProgress]:
    """Get the progress of the last reindexing."""
    return json_response(await engine_status.reindex_progress(*call))


@router.post("/rescan", status_code=202, summary="Scan stored records for secrets")
async def start_rescan(call: Call, body: Annotated[Rescan | None, Body()] = None) -> JsonResponse[RescanStarted]:
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


DeadLetterId = Annotated[UUID, Path(description="Id of the dead letter.")]

dead_letters_router = api_router(prefix="/v1/dead-letters", tags=["engine"])


@dead_letters_router.get("", summary="List dead letters")
async def list_dead_letters(call: Call, paging: Paging) -> JsonResponse[Page[DeadLetter]]:
    """Texts excluded from processing after repeated worker crashes, newest first. Admin keys only."""
    return page_response(*await dead_letters.list_dead_letters(*call, **paging))


@dead_letters_router.post("/{dead_letter_id}/retry", status_code=202, summary="Retry a dead letter")
async def retry_dead_letter(call: Call, dead_letter_id: DeadLetterId) -> JsonResponse[DeadLetter]:
    """One more attempt; a message is dreamed about exactly once. Admin keys only."""
    return json_response(await dead_letters.retry_dead_letter(*call, dead_letter_id), 202)


@dead_letters_router.delete("/{dead_letter_id}", status_code=204, summary="Discard a dead letter")
async def discard_dead_letter(call: Call, dead_letter_id: DeadLetterId) -> None:
    """Excludes the text from processing permanently. A message stays in the history of its session. Admin keys only."""
    await dead_letters.discard_dead_letter(*call, dead_letter_id)


health_router = APIRouter(route_class=OperationRoute, tags=["health"], responses=PROBLEMS)


@health_router.get("/", include_in_schema=False)
async def root() -> JsonResponse[dict[str, str]]:
    """What is served here, and where."""
    return json_response({"name": "Reverie", "docs": "/docs", "openapi": "/openapi.json", "health": "/readyz"})


@health_router.head("/healthz", include_in_schema=False)
@health_router.get("/healthz")
async def check_liveness() -> JsonResponse[dict[str, str]]:
    """Check the liveness of the process."""
    return json_response({"status": "ok"})


@health_router.head("/readyz", include_in_schema=False)
@health_router.get(
    "/readyz",
    responses={503: {"model": Readiness, "description": "Unavailable"}},
    summary="Check the readiness of the service",
)
async def check_readiness(runtime: EngineDep) -> JsonResponse[Readiness]:
    """503 without a database, or with a schema of another release. `degraded` lists the other failing parts."""
    found = await checks(runtime)
    states = found.states()
    if found.database.status != "ok":
        mismatch = runtime.db.check_schema.mismatch
        detail = mismatch if found.database.error == mismatch else None
        return json_response(Readiness("unavailable", ["database"], states, detail), 503)
    return json_response(Readiness("ready", [name for name, state in states.items() if state == "failing"], states))


@health_router.get("/metrics", response_class=PlainTextResponse, summary="Get Prometheus metrics")
async def get_metrics(runtime: EngineDep, given: Bearer) -> Response:
    """Latencies, pool, queues, dreams, tokens, cost and health over all workspaces, without tenant names.

    Needs an admin key of the default workspace.
    """
    if given is None or not given.credentials:
        raise Unauthenticated
    await authorize_scrape(runtime, given.credentials)
    return Response(await render(runtime), media_type=CONTENT_TYPE_LATEST)
