"""Whether the process is alive, and whether it is of use; no key is needed, so nothing is told but yes and no,
and that the database has to be migrated. How it fares is told to who has a key."""

from __future__ import annotations

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse, Response

from service.api.dependencies import Bearer, EngineDep, JsonResponse, json_response
from service.api.errors import PROBLEMS
from service.api.routing import OperationRoute
from service.errors import Unauthenticated
from service.memory.ops.engine_status import Readiness
from service.memory.ops.health import checks
from service.memory.ops.prometheus import authorize_scrape, render

router = APIRouter(route_class=OperationRoute, tags=["health"], responses=PROBLEMS)


@router.get("/", include_in_schema=False)
async def root() -> JsonResponse[dict[str, str]]:
    """What is served here, and where."""
    return json_response({"name": "Reverie", "docs": "/docs", "openapi": "/openapi.json", "health": "/readyz"})


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def check_liveness() -> JsonResponse[dict[str, str]]:
    """Check the liveness of the process."""
    return json_response({"status": "ok"})


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    responses={503: {"model": Readiness, "description": "Unavailable"}},
    summary="Check the readiness of the service",
)
async def check_readiness(engine: EngineDep) -> JsonResponse[Readiness]:
    """503 without a database, or with a schema of another release. `degraded` lists the other failing parts."""
    found = await checks(engine)
    states = found.states()
    if found.database.status != "ok":
        mismatch = engine.db.check_schema.mismatch
        detail = mismatch if found.database.error == mismatch else None
        return json_response(Readiness("unavailable", ["database"], states, detail), 503)
    return json_response(Readiness("ready", [name for name, state in states.items() if state == "failing"], states))


@router.get("/metrics", response_class=PlainTextResponse, summary="Get Prometheus metrics")
async def get_metrics(engine: EngineDep, given: Bearer) -> Response:
    """Latencies, pool, queues, dreams, tokens, cost and health over all workspaces, without tenant names.

    Needs an admin key of the default workspace.
    """
    if given is None or not given.credentials:
        raise Unauthenticated
    await authorize_scrape(engine, given.credentials)
    return Response(await render(engine), media_type=CONTENT_TYPE_LATEST)
