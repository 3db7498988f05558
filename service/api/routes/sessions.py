"""Sessions with their messages and window; the context of a model call, answers from memory, extraction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Path, Query
from pydantic import Field

from service.api.dependencies import (
    AgentQuery,
    Call,
    HoldingStream,
    Items,
    JsonResponse,
    Page,
    Paging,
    SessionPath,
    event_stream,
    holding,
    items_response,
    json_response,
    page_response,
    streams,
)
from service.api.routing import api_router
from service.domain.asking import AskRequest
from service.domain.context import ContextRequest
from service.domain.drafts import MessageDraft
from service.domain.extract_request import ExtractRequest
from service.domain.field_types import ActingAgent, Name, Text
from service.domain.json import dumps
from service.domain.memory import Memory
from service.domain.session import AppendMessagesResponse, MessagePage, Session, Window
from service.domain.strict import StrictModel
from service.errors import ReverieError
from service.memory.dreams.extract_preview import Extraction, preview_extraction
from service.memory.search import context
from service.memory.search.ask import AskAnswer, FoundForQuestion, answer_from, ask, find
from service.memory.sessions import conversations


class StartSession(StrictModel):
    """Session to start."""

    agent: ActingAgent = None
    session: Name | None = Field(None, description="Name of the session. Default: a new UUID.")
    user: Name | None = Field(None, description="User speaking in the session.")


class AppendMessages(StrictModel):
    """Messages to append to a session."""

    agent: ActingAgent = None
    user: Name | None = Field(None, description="User speaking. Default: the session's user.")
    messages: Annotated[list[MessageDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Messages to append in order, 1 to 1,000."
    )
    searchable: bool = Field(
        True,
        description="Use of the messages beyond their session: searches find them, and dreams read them. Default true.",
    )


router = api_router(prefix="/v1", tags=["sessions"])


@router.post("/sessions", status_code=201, summary="Start a session")
async def start_session(call: Call, body: StartSession) -> JsonResponse[Session]:
    """The name defaults to a new UUID."""
    return json_response(await conversations.start_session(*call, body.agent, body.session, body.user), 201)


@router.get("/sessions", summary="List sessions")
async def list_sessions(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    q: Annotated[
        Text | None,
        Query(max_length=1000, description="Part of the name or of a message, at most 1,000 characters."),
    ] = None,
) -> JsonResponse[Page[Session]]:
    """Sessions, newest first."""
    return page_response(*await conversations.list_sessions(*call, agent, text=q or None, **paging))


@router.get("/sessions/{session}")
async def get_session(call: Call, session: SessionPath, agent: AgentQuery = None) -> JsonResponse[Session]:
    """Get a session."""
    return json_response(await conversations.get_session(*call, agent, session))


@router.post(
    "/sessions/{session}/messages",
    status_code=201,
    responses={200: {"model": AppendMessagesResponse, "description": "Nothing stored: X-Reverie-No-Memory is set"}},
    summary="Append messages to a session",
)
async def append_messages(
    call: Call, session: SessionPath, body: AppendMessages
) -> JsonResponse[AppendMessagesResponse]:
    """Creates the session on first use. Messages are numbered without gaps."""
    answer = await conversations.append_messages(
        *call, body.agent, session, body.messages, user=body.user, searchable=body.searchable
    )
    return json_response(answer, 201 if answer.messages else 200)


@router.get("/sessions/{session}/messages", summary="List the messages of a session")
async def list_messages(
    call: Call,
    session: SessionPath,
    paging: Paging,
    agent: AgentQuery = None,
    order: Annotated[
        Literal["asc", "desc"],
        Query(description="Order: `asc` (oldest first) or `desc` (newest first). Default `asc`."),
    ] = "asc",
    q: Annotated[Text | None, Query(max_length=1000, description="Part of the text, at most 1,000 characters.")] = None,
    around: Annotated[
        UUID | None, Query(description="Id of the message in the middle of the page. Default: the first page.")
    ] = None,
) -> JsonResponse[MessagePage]:
    """The permanent history, independent of the window."""
    found = await conversations.list_messages(
        *call, agent, session, descending=order == "desc", text=q or None, around=around, **paging
    )
    return json_response(found)


@router.get("/sessions/{session}/window", summary="Get the window of a session")
async def get_window(call: Call, session: SessionPath, agent: AgentQuery = None) -> JsonResponse[Window]:
    """The messages passed to the model verbatim, and the summary of the earlier ones."""
    return json_response(await conversations.window(*call, agent, session))


@router.post("/sessions/{session}/compact", summary="Compact the window of a session")
async def compact_window(call: Call, session: SessionPath, agent: AgentQuery = None) -> JsonResponse[Window]:
    """Summarizes the older half of the window now and returns the new window."""
    return json_response(await conversations.compact_window(*call, agent, session))


@router.delete("/sessions/{session}/window", status_code=204, summary="Clear the window of a session")
async def clear_window(call: Call, session: SessionPath, agent: AgentQuery = None) -> None:
    """The window is empty afterwards; the history is kept."""
    await conversations.clear_window(*call, agent, session)


@router.get("/messages/{message_id}/memories")
async def list_message_memories(
    call: Call, message_id: Annotated[UUID, Path(description="Id of the message.")]
) -> JsonResponse[Items[Memory]]:
    """List the memories derived from a message."""
    return items_response(await conversations.message_memories(*call, message_id))


context_router = api_router(prefix="/v1", tags=["context"])

KEEP_ALIVE_S = 15.0


@context_router.post("/context", summary="Build the context of a model call")
async def build_context(call: Call, request: ContextRequest) -> JsonResponse[context.ContextAnswer]:
    """Bulletin, identity, preferences, memories, documents, window and tool results within one token budget."""
    built = await context.build_context(*call, request)
    return json_response(built.answer(request.message, request.placement))


@context_router.post(
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
    with holding(call.runtime.part(streams).slot(call.caller)) as held:
        return event_stream(_answer_stream(partial(answer_from, *call, request, found), found), held)


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


@context_router.post("/extract", summary="Extract memories from messages, storing nothing")
async def extract_memories(call: Call, request: ExtractRequest) -> JsonResponse[Extraction]:
    """Returns what a dream would propose, before it compares that with what is known, or the prompts for it."""
    return json_response(await preview_extraction(*call, request))
