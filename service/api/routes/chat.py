"""OpenAI's chat completions, with memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from starlette.responses import Response, StreamingResponse

from service.api.dependencies import Caller
from service.domain.context import TOKENS_MAX, Placement
from service.domain.values import Name
from service.proxy.chat import Asked, Chat

PATH = "/v1/chat/completions"

router = APIRouter(tags=["chat"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "as OpenAI's API takes it; passed on to the model untouched",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


def _chat(request: Request) -> Chat:
    chat: Chat = request.app.state.chat
    return chat


def _reverie(name: str, what: str) -> Any:
    return Header(alias=f"X-Reverie-{name}", description=what)


@router.post(PATH, openapi_extra=_BODY)
async def complete(
    request: Request,
    chat: Annotated[Chat, Depends(_chat)],
    caller: Caller,
    agent: Annotated[Name | None, _reverie("Agent", "who acts; an agent key acts as its own")] = None,
    user: Annotated[Name | None, _reverie("User", "who speaks; else the body's user")] = None,
    session: Annotated[Name | None, _reverie("Session", "the conversation; else one is told by its opening")] = None,
    task: Annotated[Name | None, _reverie("Task", "whose memories may be read too")] = None,
    placement: Annotated[Placement | None, _reverie("Placement", "of the memory block")] = None,
    max_tokens: Annotated[
        int | None, Header(alias="X-Reverie-Max-Tokens", ge=0, le=TOKENS_MAX, description="of the memory block")
    ] = None,
) -> Response:
    """A chat completion by the model behind Reverie, with what is remembered added to it and the turn kept.

    Off unless the setting ``proxy.enabled`` is on: then, and with X-Reverie-No-Memory, the request goes through
    byte for byte. The answer's header X-Reverie-Memory says on, off, degraded or failed.
    """
    asked = Asked(await request.body(), agent, user, session, task, placement, max_tokens)
    answer = await chat.complete(caller, asked)
    if isinstance(answer.body, AsyncIterator):
        return StreamingResponse(answer.body, answer.status, answer.headers)
    return Response(answer.body, answer.status, answer.headers)
