"""What goes to the model on this turn."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.domain.context import ContextRequest
from service.memory.context import build_context

router = APIRouter(prefix="/v1", tags=["context"])


@router.post("/context", response_model=schemas.ContextAnswer)
async def context(engine: EngineDep, caller: Caller, request: ContextRequest) -> Response:
    """Bulletin, identity, preferences, memories, documents, window and tool results under one token budget."""
    built = await build_context(engine, caller, request)
    return json_response(built.answer(request.message, request.placement))
