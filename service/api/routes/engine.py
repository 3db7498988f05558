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


@router.get("/engine", response_model=schemas.EngineState)
async def engine_state(engine: EngineDep, caller: Caller) -> Response:
    """How everything is, looked at now. What concerns all workspaces is for admin keys of the default workspace."""
    return json_response(await engine_status.get_engine_status(engine, caller))


@router.get("/embedding-providers", response_model=Items[schemas.EmbeddingProvider])
async def embedding_providers(engine: EngineDep, caller: Caller) -> Response:
    """What can embed, whether it would work here, and what is in use; the last alone for other keys than admin keys of
    the default workspace."""
    return json_response({"items": engine_status.providers(engine, caller)})


@router.post("/verify", response_model=schemas.VerifyResponse)
async def verify(engine: EngineDep, caller: Caller) -> Response:
    """Write a memory, find it by keyword and by vector, delete it; leaves nothing behind."""
    return json_response(await run_verify(engine, caller))


@router.post("/reindex", status_code=202, response_model=schemas.ReindexStarted)
async def start_reindex(
    engine: EngineDep, caller: Caller, body: Annotated[schemas.Reindex | None, Body()] = None
) -> Response:
    """Have the worker embed what has no vector or, by force, everything anew."""
    return json_response(await engine_status.start_reindex(engine, caller, force=bool(body and body.force)), 202)


@router.get("/reindex", response_model=schemas.ReindexProgress)
async def reindex_progress(engine: EngineDep, caller: Caller) -> Response:
    """How far the last reindex has come."""
    return json_response(await engine_status.reindex_progress(engine, caller))
