"""Sessions, their messages and their window."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path, Query

from service.api import schemas
from service.api.dependencies import (
    AgentQuery,
    Call,
    Items,
    JsonResponse,
    Page,
    Paging,
    SessionPath,
    items_response,
    json_response,
    page_response,
)
from service.api.routing import api_router
from service.domain.field_types import Text
from service.domain.memory import Memory
from service.domain.session import AppendMessagesResponse, MessagePage, Session, Window
from service.memory.sessions import conversations

router = api_router(prefix="/v1", tags=["sessions"])


@router.post("/sessions", status_code=201, summary="Start a session")
async def start_session(call: Call, body: schemas.StartSession) -> JsonResponse[Session]:
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
    call: Call, session: SessionPath, body: schemas.AppendMessages
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
