"""OpenAI's chat completions, with memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from service.api.dependencies import Caller
from service.api.problems import Problem
from service.api.streams import HoldingStream
from service.domain.context import TOKENS_MAX, Placement
from service.domain.field_types import Name
from service.domain.principal import Principal
from service.proxy.chat import Chat, CompletionRequest

PATH = "/v1/chat/completions"

router = APIRouter(tags=["chat"])

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Request of OpenAI's chat completions API, passed on to the model.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


class ChatHeaders(BaseModel):
    """What the headers of a completion say of memory."""

    agent: Name | None = Field(
        None, alias="X-Reverie-Agent", description="Name of the acting agent; ignored with an agent key."
    )
    user: Name | None = Field(None, alias="X-Reverie-User", description="User speaking. Default: `user` of the body.")
    session: Name | None = Field(
        None, alias="X-Reverie-Session", description="Name of the session. Default: derived from the first messages."
    )
    task: Name | None = Field(
        None, alias="X-Reverie-Task", description="Current task; its task-scoped memories are included."
    )
    placement: Placement | None = Field(
        None,
        alias="X-Reverie-Placement",
        description="Role of the memory block: `system` message or `user` message. Default: the workspace setting.",
    )
    max_tokens: int | None = Field(
        None,
        alias="X-Reverie-Max-Tokens",
        ge=0,
        le=TOKENS_MAX,
        description="Token budget of the memory block. Default: the workspace setting.",
    )


def _chat(request: Request) -> Chat:
    chat: Chat = request.app.state.chat
    return chat


@router.post(
    PATH,
    openapi_extra=_BODY,
    responses={502: {"model": Problem, "description": "The answer is too large"}},
    operation_id="create_chat_completion",
    summary="Create a chat completion",
)
async def complete(
    request: Request,
    chat: Annotated[Chat, Depends(_chat)],
    caller: Caller,
    headers: Annotated[ChatHeaders, Header()],
) -> Response:
    """OpenAI's chat completion with recalled memories added to the request and the turn stored.

    404 unless the setting `proxy.enabled` is on; 403 for a reader key, and for a model not listed in `proxy.models`.
    With X-Reverie-No-Memory the request is passed on byte for byte. The response header X-Reverie-Memory is on, off,
    degraded or failed.
    """
    return await complete_for(chat, caller, headers, await request.body())


async def complete_for(chat: Chat, caller: Principal, headers: ChatHeaders, content: bytes) -> Response:
    """The answer to a completion whose body is ``content``."""
    with ExitStack() as held:
        held.enter_context(chat.limit.slot(caller))
        answer = await chat.complete(caller, CompletionRequest(content, **dict(headers)))
        if isinstance(answer.body, AsyncIterator):
            return HoldingStream(answer.body, held.pop_all(), status_code=answer.status, headers=answer.headers)
        return Response(answer.body, answer.status, answer.headers)
