"""What goes to the model on this turn, and questions answered from memory."""

from __future__ import annotations

from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.api.naming import api_router
from service.domain.asking import AskRequest
from service.domain.context import ContextRequest
from service.memory.search.ask import ask
from service.memory.search.context import build_context

router = api_router(prefix="/v1", tags=["context"])


@router.post("/context", response_model=schemas.ContextAnswer)
async def context(engine: EngineDep, caller: Caller, request: ContextRequest) -> Response:
    """Bulletin, identity, preferences, memories, documents, window and tool results under one token budget."""
    built = await build_context(engine, caller, request)
    return json_response(built.answer(request.message, request.placement))


@router.post("/ask", response_model=schemas.AskAnswer)
async def answer(engine: EngineDep, caller: Caller, request: AskRequest) -> Response:
    """An answer from memory with the memories it rests on; without a language model, the best memories."""
    return json_response(await ask(engine, caller, request))
