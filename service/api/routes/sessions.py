"""Sessions, their messages and their window."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, SessionPath, json_response, page
from service.api.naming import api_router
from service.domain.field_types import Name
from service.memory.sessions import conversations

router = api_router(prefix="/v1", tags=["sessions"])


@router.post("/sessions", status_code=201, response_model=schemas.Session)
async def start(engine: EngineDep, caller: Caller, body: schemas.StartSession) -> Response:
    """Start a session; without a name it gets a fresh UUID."""
    return json_response(await conversations.start_session(engine, caller, body.agent, body.session, body.user), 201)


@router.get("/sessions", response_model=schemas.Page[schemas.Session])
async def list_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    user: Name | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Sessions, newest first."""
    return page(*await conversations.list_sessions(engine, caller, agent, user, limit=limit, cursor=cursor))


@router.get("/sessions/{session}", response_model=schemas.Session)
async def get(engine: EngineDep, caller: Caller, session: SessionPath, agent: AgentQuery = None) -> Response:
    """One session."""
    return json_response(await conversations.get_session(engine, caller, agent, session))


@router.post(
    "/sessions/{session}/messages",
    status_code=201,
    response_model=schemas.AppendMessagesResponse,
    responses={
        200: {"model": schemas.AppendMessagesResponse, "description": "The call has its memory off: nothing was kept"}
    },
)
async def append(engine: EngineDep, caller: Caller, session: SessionPath, body: schemas.AppendMessages) -> Response:
    """Append turns to a session, made on first use; numbered without a gap."""
    stored, window = await conversations.append_messages(
        engine, caller, body.agent, session, body.messages, user=body.user, searchable=body.searchable
    )
    return json_response({"messages": stored, "window": window}, 201 if stored else 200)


@router.get("/sessions/{session}/messages", response_model=schemas.Page[schemas.Message])
async def history(
    engine: EngineDep,
    caller: Caller,
    session: SessionPath,
    agent: AgentQuery = None,
    order: Literal["asc", "desc"] = "asc",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """The permanent history."""
    return page(
        *await conversations.history(
            engine, caller, agent, session, descending=order == "desc", limit=limit, cursor=cursor
        )
    )


@router.get("/sessions/{session}/window", response_model=schemas.Window)
async def window(engine: EngineDep, caller: Caller, session: SessionPath, agent: AgentQuery = None) -> Response:
    """The turns that still go to the model verbatim."""
    return json_response(await conversations.window(engine, caller, agent, session))


@router.post("/sessions/{session}/compact", response_model=schemas.Window)
async def compact(engine: EngineDep, caller: Caller, session: SessionPath, agent: AgentQuery = None) -> Response:
    """Fold the older half of the window into a summary memory now; the window after it."""
    return json_response(await conversations.compact_window(engine, caller, agent, session))


@router.delete("/sessions/{session}/window", status_code=204)
async def clear_window(engine: EngineDep, caller: Caller, session: SessionPath, agent: AgentQuery = None) -> None:
    """Clear the window only."""
    await conversations.clear_window(engine, caller, agent, session)


@router.get("/messages/{message_id}/memories", response_model=schemas.Items[schemas.Memory])
async def message_memories(engine: EngineDep, caller: Caller, message_id: UUID) -> Response:
    """The memories made of a message."""
    return json_response({"items": await conversations.message_memories(engine, caller, message_id)})
