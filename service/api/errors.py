"""Domain errors to HTTP: RFC 9457 problem details, as OpenAPI shows them, and the status of each error in one table."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from service import errors
from service.domain.json import dumps
from service.domain.validation import reason_of
from service.domain.workspace import FORMER_SETTINGS, former_notice
from service.privacy.redactor import RedactorUnavailable


class Problem(BaseModel):
    """Problem details of RFC 9457."""

    type: str = Field(description="URI reference of the problem type.")
    title: str = Field(description="Short name of the problem.")
    status: int = Field(description="HTTP status code.")
    detail: str = Field(description="Explanation of this occurrence.")
    errors: list[dict[str, Any]] | None = Field(
        None, description="Invalid fields with `loc` (path) and `msg` (reason); null for problems without fields."
    )


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {"application/problem+json": {}}}
    for status, text in (
        (401, "No valid key, or a key that has expired"),
        (403, "Not with this key: its role or its scopes leave it out"),
        (404, "Not found"),
        (408, "The body took too long to come"),
        (409, "Conflict"),
        (413, "Body too large"),
        (422, "Invalid input"),
        (429, "Too many requests with this key, or the budget for models is used up"),
        (503, "Database unavailable"),
    )
}

NOTHING_STORED: dict[int | str, dict[str, Any]] = {
    200: {"model": None, "description": "Nothing stored: X-Reverie-No-Memory is set"}
}


log = structlog.get_logger(__name__)

STATUSES: tuple[tuple[type[errors.ReverieError], int, str], ...] = (
    (errors.InvalidInput, 422, "Invalid input"),
    (errors.KeyExpired, 401, "Key expired"),
    (errors.Unauthenticated, 401, "Not authenticated"),
    (errors.WorkspaceSuspended, 403, "Workspace suspended"),
    (errors.Forbidden, 403, "Forbidden"),
    (errors.NotFound, 404, "Not found"),
    (errors.Ambiguous, 300, "Ambiguous"),
    (errors.Conflict, 409, "Conflict"),
    (errors.TooLarge, 413, "Too large"),
    (errors.RequestTimeout, 408, "Request timeout"),
    (errors.RateLimited, 429, "Too many requests"),
    (errors.TemporaryLimitReached, 429, "Limit reached"),
    (errors.LimitReached, 409, "Limit reached"),
    (errors.BudgetReached, 429, "Budget reached"),
    (errors.AnswerTooLarge, 502, "Bad gateway"),
    (errors.Unavailable, 503, "Unavailable"),
    (RedactorUnavailable, 503, "Unavailable"),
)

ERRORS_MAX = 100
"""Errors of one request that are listed: a body may have tens of thousands of unknown fields."""

RETRY_AFTER_STATUSES = (429, 503)
"""Statuses that say when to ask again, in seconds."""

BAD_REQUEST = 400
"""What FastAPI makes of a body that is not UTF-8, or nested deeper than a parser goes."""

RESOURCE_EXHAUSTED_ERRNOS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)
"""What writing a file of one's own (an import, an export) fails with when disk, handles or memory are used up, or when
a file may grow no more."""

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
NOT_ALLOWED = 405
NOT_AN_OBJECT = ("model_attributes_type", "dict_type", "list_type")
"""What pydantic calls a body that FastAPI has not read as JSON."""

DETAIL_CHARS_MAX = 1_000

TITLES = {404: "Not found", 405: "Method not allowed", 415: "Unsupported media type"}


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return one problem-details answer."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return Response(dumps(body), status, headers, "application/problem+json")


def install(app: FastAPI) -> None:
    """Answer every error of the app with problem details."""
    app.add_exception_handler(errors.ReverieError, _reverie_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


async def _reverie_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.ReverieError)
    count_refusal(request.app.state, error)
    return problem_response(error)


def count_refusal(state: State, error: errors.ReverieError) -> None:
    """Count a request that a limit refused."""
    if isinstance(error, (errors.LimitReached, errors.CostLimitReached)):
        state.runtime.metrics.limits_reached.labels(error.limit, error.of).inc()


def expected_failure(error: BaseException | None) -> errors.ReverieError | None:
    """Return the error if it has a status, Unavailable where this machine has no room left, None for a surprise."""
    if isinstance(error, OSError) and error.errno in RESOURCE_EXHAUSTED_ERRNOS:
        return errors.Unavailable(f"This machine has no room for that now ({errno.errorcode[error.errno]}).")
    if isinstance(error, errors.ReverieError) and any(isinstance(error, entry[0]) for entry in STATUSES):
        return error
    return None


def problem_response(error: errors.ReverieError) -> Response:
    """Return the answer to an expected failure; one without a status is raised again."""
    known = next((entry for entry in STATUSES if isinstance(error, entry[0])), None)
    if known is None:
        raise error
    status, title = known[1:]
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}
    detail = error.message
    if isinstance(error, errors.InvalidInput):
        more["errors"] = [{"loc": error.loc, "msg": error.message}]
        if not isinstance(error, errors.InvalidImportLine) and error.loc:
            detail = f"{_field(error.loc)}: {error.message}"
    if isinstance(error, errors.InvalidImportLine):
        more["line"] = error.line
    if isinstance(error, errors.Conflict):
        more |= error.details
    if isinstance(error, (errors.LimitReached, errors.CostLimitReached)):
        more |= {"limit": error.limit, "of": error.of, "max": error.max, "used": error.used}
    if isinstance(error, errors.Ambiguous):
        more["candidates"] = error.candidates
    if status in RETRY_AFTER_STATUSES:
        headers["Retry-After"] = str(getattr(error, "retry_after_s", 1))
    if isinstance(error, errors.KeyExpired):
        more["expired_at"] = error.expired_at
    if isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    return problem(status, title, detail, headers, **more)


async def _validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if any(entry["loc"][:1] == ("path",) for entry in error.errors()) and (others := _named_route_methods(request)):
        return _not_allowed(request, others)
    found = [{"loc": list(entry["loc"]), "msg": _message(entry, request)} for entry in error.errors()[:ERRORS_MAX]]
    return _invalid(found)


def _invalid(found: list[dict[str, Any]]) -> Response:
    """422, whose detail names each field and what is wrong with it."""
    reasons = dict.fromkeys(f"{_field(entry['loc'])}: {entry['msg']}" for entry in found)
    return problem(422, "Invalid input", "; ".join(reasons)[:DETAIL_CHARS_MAX], errors=found)


def _field(loc: Sequence[str | int]) -> str:
    """Return a place in a request in words; a number alone is a position in the text of the body."""
    if len(loc) == 2 and loc[0] == "body" and isinstance(loc[1], int):
        return f"body, character {loc[1]}"
    return ".".join(map(str, loc[1:])) or str(loc[0])


def _message(entry: Any, request: Request) -> str:
    if entry["type"] == "json_invalid":
        return f"malformed JSON ({entry['ctx']['error']})"
    if entry["type"] == "extra_forbidden":
        name = ".".join(map(str, entry["loc"][1:])).removeprefix("settings.")
        return former_notice(name) if name in FORMER_SETTINGS else reason_of(entry)
    if tuple(entry["loc"]) == ("body",) and entry["type"] in NOT_AN_OBJECT and not is_json(request):
        given = request.headers.get("content-type")
        return f"Content-Type must be application/json{f', not {given}' if given else '; the request has none'}"
    return reason_of(entry)


def is_json(request: Request) -> bool:
    """Return whether FastAPI reads the body of a request as JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, errors.ReverieError):
        return problem_response(error.__cause__)
    if error.status_code == BAD_REQUEST:
        return _invalid([{"loc": ["body"], "msg": "malformed JSON: not UTF-8, or nested too deep"}])
    if error.status_code == NOT_ALLOWED:
        return _not_allowed(request, _matching_methods(request))
    title = TITLES.get(error.status_code, "Error")
    return problem(error.status_code, title, str(error.detail), dict(error.headers or {}))


def _matching_methods(request: Request) -> list[str]:
    """Return the methods of all routes that match this path: Starlette's own answer names those of the first one."""
    scope = request.scope
    return [
        method
        for method in METHODS
        if any(one.matches({**scope, "method": method})[0] is Match.FULL for one in request.app.router.routes)
    ]


def _named_route_methods(request: Request) -> list[str]:
    """Return the methods of the routes whose path is this one word for word, such as /v1/memories/search, which with
    another method is read as the id of a memory."""
    named = [one for one in request.app.router.routes if getattr(one, "path", None) == request.url.path]
    return sorted({method for one in named for method in one.methods})


def _not_allowed(request: Request, methods: list[str]) -> Response:
    """Return the answer 405 with the methods that are allowed."""
    allowed = ", ".join(methods)
    return problem(
        NOT_ALLOWED, TITLES[NOT_ALLOWED], f"{request.method} is not allowed here; {allowed} is.", {"Allow": allowed}
    )
