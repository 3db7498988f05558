"""Whether the process is alive, and whether it is of use; no key is needed, so nothing is told but yes and no. How it
fares is told to who has a key."""

from __future__ import annotations

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse, Response

from service.api import engine_schemas as schemas
from service.api.dependencies import Bearer, EngineDep, json_response
from service.errors import Unauthenticated
from service.memory.health import checks
from service.memory.metrics import exposed, let_in

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process is alive."""
    return {"status": "ok"}


@router.get(
    "/readyz", response_model=schemas.Readiness, responses={503: {"model": schemas.Readiness, "description": "No"}}
)
async def readyz(engine: EngineDep) -> Response:
    """Whether it can serve: 503 without a database. ``degraded`` names what it goes without."""
    states = {name: one["status"] for name, one in (await checks(engine)).items()}
    if states["database"] != "ok":
        return json_response({"status": "unavailable", "degraded": ["database"], "checks": states}, 503)
    degraded = [name for name, state in states.items() if state == "failing"]
    return json_response({"status": "ready", "degraded": degraded, "checks": states})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(engine: EngineDep, given: Bearer) -> Response:
    """What Prometheus scrapes: latencies, pool, queues, dreams, tokens, cost, and what works. Names no tenant."""
    if given is None or not given.credentials:
        raise Unauthenticated
    await let_in(engine, given.credentials)
    return Response(await exposed(engine), media_type=CONTENT_TYPE_LATEST)
