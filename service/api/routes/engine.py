"""How the engine is, a trial run of it, and embedding anew."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body
from starlette.responses import Response

from service.api import engine_schemas as schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.api.naming import api_router
from service.api.schemas import Items
from service.memory.ops import engine_status
from service.memory.ops.verify import verify as run_verify

router = api_router(prefix="/v1", tags=["engine"])


@router.get(
    "/engine", response_model=schemas.EngineState, operation_id="get_engine", summary="Get the state of the engine"
)
async def engine_state(engine: EngineDep, caller: Caller) -> Response:
    """Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of
    the default workspace."""
    return json_response(await engine_status.get_engine_status(engine, caller))


@router.get(
    "/embedding-providers",
    response_model=Items[schemas.EmbeddingProvider],
    operation_id="list_embedding_providers",
    summary="List embedding providers",
)
async def embedding_providers(engine: EngineDep, caller: Caller) -> Response:
    """All values of EMBEDDING_MODEL and their availability for admin keys of the default workspace; for other keys only
    the one in use."""
    return json_response({"items": engine_status.providers(engine, caller)})


@router.post(
    "/verify", response_model=schemas.VerifyResponse, operation_id="verify_engine", summary="Run an end-to-end test"
)
async def verify(engine: EngineDep, caller: Caller) -> Response:
    """Writes a memory, finds it by keyword and by vector, and deletes it."""
    return json_response(await run_verify(engine, caller))


@router.post(
    "/reindex",
    status_code=202,
    response_model=schemas.ReindexStarted,
    operation_id="start_reindex",
    summary="Start reindexing",
)
async def start_reindex(
    engine: EngineDep, caller: Caller, body: Annotated[schemas.Reindex | None, Body()] = None
) -> Response:
    """The worker embeds all texts without a vector or, with `force`, all texts."""
    return json_response(await engine_status.start_reindex(engine, caller, force=bool(body and body.force)), 202)


@router.get(
    "/reindex",
    response_model=schemas.ReindexProgress,
    operation_id="get_reindex",
    summary="Get the progress of the last reindexing",
)
async def reindex_progress(engine: EngineDep, caller: Caller) -> Response:
    """Get the progress of the last reindexing."""
    return json_response(await engine_status.reindex_progress(engine, caller))
