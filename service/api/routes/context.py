"""What goes to the model on this turn, questions answered from memory, and what messages state."""

from __future__ import annotations

from starlette.responses import Response

from service.api import extract_schemas, schemas
from service.api.dependencies import Caller, EngineDep, json_response
from service.api.naming import api_router
from service.domain.asking import AskRequest
from service.domain.context import ContextRequest
from service.domain.extract_request import ExtractRequest
from service.memory.dreams.extract_preview import preview_extraction
from service.memory.search.ask import ask
from service.memory.search.context import build_context

router = api_router(prefix="/v1", tags=["context"])


@router.post(
    "/context",
    response_model=schemas.ContextAnswer,
    operation_id="build_context",
    summary="Build the context of a model call",
)
async def context(engine: EngineDep, caller: Caller, request: ContextRequest) -> Response:
    """Bulletin, identity, preferences, memories, documents, window and tool results within one token budget."""
    built = await build_context(engine, caller, request)
    return json_response(built.answer(request.message, request.placement))


@router.post(
    "/ask", response_model=schemas.AskAnswer, operation_id="ask_memory", summary="Answer a question from memory"
)
async def answer(engine: EngineDep, caller: Caller, request: AskRequest) -> Response:
    """Returns the answer with the cited memories; without a language model, the best memories only."""
    return json_response(await ask(engine, caller, request))


@router.post(
    "/extract",
    response_model=extract_schemas.Extraction,
    operation_id="extract_memories",
    summary="Extract memories from messages, storing nothing",
)
async def extract(engine: EngineDep, caller: Caller, request: ExtractRequest) -> Response:
    """Returns what a dream would propose, before it compares that with what is known, or the prompts for it."""
    return json_response(await preview_extraction(engine, caller, request))
