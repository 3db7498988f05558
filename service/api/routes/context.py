"""What goes to the model on this turn, questions answered from memory, and what messages state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

from service.api.dependencies import Call, HoldingStream, JsonResponse, holding, json_response
from service.api.routing import api_router
from service.domain.asking import AskRequest
from service.domain.context import ContextRequest
from service.domain.extract_request import ExtractRequest
from service.domain.json import dumps
from service.errors import ReverieError
from service.memory.dreams.extract_preview import Extraction, preview_extraction
from service.memory.search import context
from service.memory.search.ask import AskAnswer, FoundForQuestion, answer_from, ask, find

router = api_router(prefix="/v1", tags=["context"])

KEEP_ALIVE_S = 15.0


@router.post("/context", summary="Build the context of a model call")
async def build_context(call: Call, request: ContextRequest) -> JsonResponse[context.ContextAnswer]:
    """Bulletin, identity, preferences, memories, documents, window and tool results within one token budget."""
    built = await context.build_context(*call, request)
    return json_response(built.answer(request.message, request.placement))


@router.post(
    "/ask",
    responses={200: {"content": {"text/event-stream": {}}, "description": "Answer, or with `stream` its events"}},
    summary="Answer a question from memory",
)
async def ask_memory(call: Call, request: AskRequest) -> JsonResponse[AskAnswer] | HoldingStream:
    """Returns the answer with the cited memories; without a language model, the best memories only. With `stream`,
    server-sent events: `memories` at once, then `answer`, or `error`."""
    if not request.stream:
        return json_response(await ask(*call, request))
    found = await find(*call, request)
    with holding(call.engine.streams.slot(call.caller)) as held:
        return HoldingStream(
            _answer_stream(partial(answer_from, *call, request, found), found),
            held.pop_all(), media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )  # fmt: skip


async def _answer_stream(
    answering: Callable[[], Coroutine[Any, Any, AskAnswer]], found: FoundForQuestion
) -> AsyncIterator[bytes]:
    """The memories, and the answer when it is there; a comment now and then meanwhile."""
    task = asyncio.create_task(answering())
    try:
        yield _event("memories", found)
        while not (await asyncio.wait({task}, timeout=KEEP_ALIVE_S))[0]:
            yield b": answering\n\n"
        try:
            yield _event("answer", replace(task.result(), memories=[]))
        except ReverieError as error:
            yield _event("error", {"detail": error.message})
    finally:
        task.cancel()


def _event(name: str, data: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), dumps(data))


@router.post("/extract", summary="Extract memories from messages, storing nothing")
async def extract_memories(call: Call, request: ExtractRequest) -> JsonResponse[Extraction]:
    """Returns what a dream would propose, before it compares that with what is known, or the prompts for it."""
    return json_response(await preview_extraction(*call, request))
