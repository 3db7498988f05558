"""The wire formats' own ways with keys and errors.

Clients of OpenAI and Anthropic look for ``error`` in what they are answered, each in a shape of its own, and those of
Anthropic send their key as ``x-api-key``. Both are settled here, outside of everything that reads a key or answers with
a problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import PROBLEMS, Problem
from service.domain.json import dumps

API_KEY_HEADER: Final = "x-api-key"
OPENAI_PATHS: Final = frozenset({"/v1/chat/completions", "/v1/responses"})
ANTHROPIC_PATHS: Final = frozenset({"/v1/messages", "/v1/messages/count_tokens"})
BOTH_PATHS: Final = frozenset({"/v1/models"})
"""Anthropic's for requests with ``anthropic-version``, else OpenAI's."""

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
    if path not in BOTH_PATHS:
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
