"""The wire formats of models, with memory: OpenAI's chat completions and responses, Anthropic's messages.

Clients of OpenAI and Anthropic look for ``error`` in what they are answered, each in a shape of its own, and those of
Anthropic send their key as ``x-api-key``. Both are settled by a middleware, outside of everything that reads a key or
answers with a problem.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Depends, Header, Request, Security
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.dependencies import Call, HoldingStream, holding, json_response
from service.api.errors import PROBLEMS, Problem
from service.api.routing import OperationRoute
from service.domain.context import Placement
from service.domain.field_types import TOKENS_MAX, Name
from service.domain.json import dumps
from service.domain.principal import Principal
from service.proxy.chat import ATTEMPT_HEADER, Chat, CompletionRequest, attempt_number
from service.proxy.wire_formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES, VERSION, WireFormat

API_KEY_HEADER: Final = "x-api-key"
PATH: Final = "/v1/chat/completions"
RESPONSES_PATH: Final = "/v1/responses"
MESSAGES_PATH: Final = "/v1/messages"
COUNT_PATH: Final = "/v1/messages/count_tokens"
MODELS_PATH: Final = "/v1/models"
OPENAI_PATHS: Final = frozenset({PATH, RESPONSES_PATH})
ANTHROPIC_PATHS: Final = frozenset({MESSAGES_PATH, COUNT_PATH})
PATHS: Final = OPENAI_PATHS | ANTHROPIC_PATHS
"""Whose bodies may be as long as the prompts of models are."""
BODY_BYTES_MAX: Final = 33_554_432

OPENAI_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
OPENAI_CODES: Final = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
ANTHROPIC_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}
SERVER_ERROR: Final = 500
BUDGET_REACHED: Final = "Budget reached"
PROBLEM_JSON: Final = b"application/problem+json"

Shape = Callable[[dict[str, Any], str], dict[str, Any]]


class OpenAIErrorDetail(BaseModel):
    """Error as OpenAI's clients read it."""

    message: str = Field(description="Explanation of this occurrence.")
    type: str = Field(description="Kind of error, such as `invalid_request_error`.")
    param: str | None = Field(description="Name of the invalid field; null for errors without one.")
    code: str | None = Field(description="Code of the error, such as `invalid_api_key`; null for most errors.")


class OpenAIProblem(Problem):
    """Problem details, with the error as OpenAI's clients read it."""

    error: OpenAIErrorDetail = Field(description="Error as OpenAI's clients read it.")


class AnthropicErrorDetail(BaseModel):
    """Error as Anthropic's clients read it."""

    type: str = Field(description="Kind of error, such as `invalid_request_error`.")
    message: str = Field(description="Explanation of this occurrence.")


class AnthropicProblem(Problem):
    """Problem details, with the error as Anthropic's clients read it; `type` is `error`."""

    error: AnthropicErrorDetail = Field(description="Error as Anthropic's clients read it.")
    request_id: str | None = Field(description="Id of the request, as in the header X-Request-Id.")


def _documented(model: type[Problem]) -> dict[int | str, dict[str, Any]]:
    too_large = {502: {"description": "The answer is too large", "content": {"application/problem+json": {}}}}
    return {status: {**entry, "model": model} for status, entry in (PROBLEMS | too_large).items()}


OPENAI_PROBLEMS: Final = _documented(OpenAIProblem)
ANTHROPIC_PROBLEMS: Final = _documented(AnthropicProblem)


def wire_format_middleware(app: ASGIApp) -> ASGIApp:
    """On the paths of the formats: a key in ``x-api-key`` counts where there is none in ``Authorization``, and problem
    details also say what the format's clients look for."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        shape = _shape(scope) if scope["type"] == "http" else None
        if shape is None:
            await app(scope, receive, send)
            return
        await app(_with_bearer(scope), receive, _Rewriter(shape, send).send)

    return handle


@dataclass(slots=True)
class _Rewriter:
    """Passes an answer on; one with problem details when all of it is there, in the format's shape."""

    shape: Shape
    forward: Send
    _start: Message | None = None
    _parts: list[bytes] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and (b"content-type", PROBLEM_JSON) in message["headers"]:
            self._start = message
        elif self._start is None:
            await self.forward(message)
        else:
            self._parts.append(message.get("body", b""))
            if not message.get("more_body"):
                await self._flush(self._start)

    async def _flush(self, start: Message) -> None:
        headers = dict(start["headers"])
        problem = orjson.loads(b"".join(self._parts))
        body = dumps(problem | self.shape(problem, headers.get(b"x-request-id", b"").decode()))
        headers[b"content-length"] = str(len(body)).encode()
        await self.forward({**start, "headers": list(headers.items())})
        await self.forward({"type": "http.response.body", "body": body})


def _shape(scope: Scope) -> Shape | None:
    path = scope["path"]
    if path in OPENAI_PATHS:
        return _openai_error
    if path in ANTHROPIC_PATHS:
        return _anthropic_error
    if path != MODELS_PATH:  # Anthropic's for requests with anthropic-version, else OpenAI's
        return None
    return _anthropic_error if any(name == b"anthropic-version" for name, _ in scope["headers"]) else _openai_error


def _with_bearer(scope: Scope) -> Scope:
    headers = dict(scope["headers"])
    key = headers.get(API_KEY_HEADER.encode())
    if scope["path"] in OPENAI_PATHS or key is None or b"authorization" in headers:
        return scope
    scope["headers"] = [*scope["headers"], (b"authorization", b"Bearer " + key)]
    return scope


def _openai_error(problem: dict[str, Any], _: str) -> dict[str, Any]:
    status = problem["status"]
    spent = problem["title"] == BUDGET_REACHED
    kind = "server_error" if status >= SERVER_ERROR else OPENAI_TYPES.get(status, "invalid_request_error")
    fields = [".".join(map(str, each["loc"][1:])) for each in problem.get("errors") or ()]
    return {
        "error": {
            "message": problem["detail"],
            "type": "insufficient_quota" if spent else kind,
            "param": fields[0] if fields and fields[0] else None,
            "code": "insufficient_quota" if spent else OPENAI_CODES.get(status),
        }
    }


def _anthropic_error(problem: dict[str, Any], request_id: str) -> dict[str, Any]:
    status = problem["status"]
    usual = "api_error" if status >= SERVER_ERROR else "invalid_request_error"
    error = {"type": ANTHROPIC_TYPES.get(status, usual), "message": problem["detail"]}
    return {"type": "error", "error": error, "request_id": request_id or None}


OPENAI_MODEL: Final = {"object": "model", "created": 0, "owned_by": "reverie"}
ANTHROPIC_MODEL: Final = {"type": "model", "created_at": "1970-01-01T00:00:00Z"}
"""What the formats say of every model; what its server says of it goes before."""
NONE_FORWARDED: Final[Mapping[str, str]] = {}

router = APIRouter(route_class=OperationRoute, tags=["chat"], responses=PROBLEMS)
api_key = APIKeyHeader(name=API_KEY_HEADER, auto_error=False, description="API key, as Anthropic's clients send it.")


MODEL_KEY: Final = "X-Reverie-Model-Key"
MODEL_KEY_DESCRIPTION: Final = (
    "Key of the caller's own for the model, with the setting `proxy.caller_keys`. Default: the installation's key."
)
ModelKey = Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern="^[!-~]+$")]


def _body(api: str) -> dict[str, Any]:
    return {
        "requestBody": {
            "required": True,
            "description": f"Request of {api} API, passed on to the model.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    }


class ChatHeaders(BaseModel):
    """What the headers of a request to a model say to Reverie."""

    agent: Name | None = Field(
        None, alias="X-Reverie-Agent", description="Name of the acting agent; ignored with an agent key."
    )
    user: Name | None = Field(
        None,
        alias="X-Reverie-User",
        description="User speaking, whom the request is for; ignored with the key of a user. Default: `user` of the "
        "body.",
    )
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
    model_key: ModelKey | None = Field(None, alias=MODEL_KEY, description=MODEL_KEY_DESCRIPTION)
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


class ListedModel(BaseModel):
    """Model that may be called, with whatever else its server says of it."""

    model_config = ConfigDict(extra="allow")

    id: str = Field(description="Name of the model.")


class ModelList(BaseModel):
    """Models that may be called, in the shape of OpenAI or of Anthropic."""

    model_config = ConfigDict(extra="allow")

    data: list[ListedModel] = Field(description="Models that may be called.")


ChatDep = Annotated[Chat, Depends(_chat)]
MemoryHeaders = Annotated[ChatHeaders, Header()]


@router.post(
    PATH,
    openapi_extra=_body("OpenAI's chat completions"),
    responses=OPENAI_PROBLEMS,
    summary="Create a chat completion",
)
async def create_chat_completion(request: Request, chat: ChatDep, call: Call, headers: MemoryHeaders) -> Response:
    """OpenAI's chat completion with recalled memories added to the request and the turn stored.

    404 unless the setting `proxy.enabled` is on; 403 for a reader key, and for a model not listed in `proxy.models`.
    Fields that are not of the format are dropped; else, with
    X-Reverie-No-Memory, the request is passed on byte for byte. The response header X-Reverie-Memory is on, off,
    degraded or failed; X-Reverie-Memory-Viewer is for whom it was recalled: users as a JSON array, or `"nobody"`
    without a user or a session with members.
    """
    return await _answer(request, chat, call.caller, headers, CHAT_COMPLETIONS)


@router.post(
    RESPONSES_PATH, openapi_extra=_body("OpenAI's responses"), responses=OPENAI_PROBLEMS, summary="Create a response"
)
async def create_response(request: Request, chat: ChatDep, call: Call, headers: MemoryHeaders) -> Response:
    """OpenAI's response with recalled memories added to `instructions` and the turn stored.

    As with chat completions; `background` is a 422. `previous_response_id`, `conversation` and `store` are passed on:
    a session then holds what came through the proxy, and is named by X-Reverie-Session, else by `conversation`.
    """
    return await _answer(request, chat, call.caller, headers, RESPONSES)


@router.post(
    MESSAGES_PATH,
    openapi_extra=_body("Anthropic's messages"),
    responses=ANTHROPIC_PROBLEMS,
    dependencies=[Security(api_key)],
    summary="Create a message",
)
async def create_message(request: Request, chat: ChatDep, call: Call, headers: MemoryHeaders) -> Response:
    """Anthropic's message with recalled memories added to `system` and the turn stored.

    As with chat completions. The API key is taken from `x-api-key` as well; `anthropic-version` and `anthropic-beta`
    are passed on.
    """
    return await _answer(request, chat, call.caller, headers, MESSAGES)


@router.post(
    COUNT_PATH,
    openapi_extra=_body("Anthropic's token counting"),
    responses=ANTHROPIC_PROBLEMS,
    dependencies=[Security(api_key)],
    summary="Count the tokens of a message",
)
async def count_message_tokens(
    request: Request,
    chat: ChatDep,
    call: Call,
    model_key: Annotated[ModelKey | None, Header(alias=MODEL_KEY, description=MODEL_KEY_DESCRIPTION)] = None,
) -> Response:
    """Anthropic's count of the tokens of a message, without the memory block; an estimate where the model is of another
    provider. Nothing is recalled and nothing stored."""
    with chat.limit.slot(call.caller):
        asked = CompletionRequest(await request.body(), MESSAGES, model_key, _forwarded(request, MESSAGES))
        answer = await chat.count_tokens(call.caller, asked)
        assert isinstance(answer.body, bytes)
        return Response(answer.body, answer.status, answer.headers)


@router.get(
    MODELS_PATH,
    responses=OPENAI_PROBLEMS | {200: {"model": ModelList}},
    dependencies=[Security(api_key)],
    summary="List the models of the proxy",
)
async def list_models(request: Request, chat: ChatDep, call: Call) -> Response:
    """Models that may be called: those that `proxy.models` names, and those of the models' servers that it allows. In
    Anthropic's shape for requests with `anthropic-version`, else in OpenAI's."""
    anthropic = "anthropic-version" in request.headers
    found = await chat.models(call.caller, _forwarded(request, MESSAGES) if anthropic else {})
    if not anthropic:
        return json_response({"object": "list", "data": [OPENAI_MODEL | model for model in found]})
    data = [ANTHROPIC_MODEL | {"display_name": model["id"]} | model for model in found]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return json_response({"data": data, "has_more": False} | ends)


async def complete_for(
    chat: Chat,
    caller: Principal,
    headers: ChatHeaders,
    content: bytes,
    attempt: int | None,
    wire: WireFormat = CHAT_COMPLETIONS,
    forwarded: Mapping[str, str] = NONE_FORWARDED,
) -> Response:
    """The answer to a request whose body is ``content``, after so many attempts before, if the client counts them."""
    with holding(chat.limit.slot(caller)) as held:
        asked = CompletionRequest(content, wire, forwarded=forwarded, attempt=attempt, **dict(headers))
        answer = await chat.complete(caller, asked)
        if isinstance(answer.body, AsyncIterator):
            return HoldingStream(answer.body, held.pop_all(), status_code=answer.status, headers=answer.headers)
        return Response(answer.body, answer.status, answer.headers)


async def _answer(request: Request, chat: Chat, caller: Principal, headers: ChatHeaders, wire: WireFormat) -> Response:
    attempt = attempt_number(request.headers.get(ATTEMPT_HEADER))
    return await complete_for(chat, caller, headers, await request.body(), attempt, wire, _forwarded(request, wire))


def _forwarded(request: Request, wire: WireFormat) -> dict[str, str]:
    """The headers of a request that go on to the model."""
    given = {name: request.headers[name] for name in wire.forwarded_headers if name in request.headers}
    return ({"anthropic-version": VERSION} | given) if wire is MESSAGES else given
