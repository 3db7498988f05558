"""Domain errors to HTTP: RFC 9457 problem details, the status of each error in one table."""

from __future__ import annotations

import errno
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from service import errors
from service.domain.json import dumps
from service.privacy import RedactorUnavailable

log = structlog.get_logger(__name__)

STATUSES: tuple[tuple[type[errors.ReverieError], int, str], ...] = (
    (errors.InvalidInput, 422, "Invalid input"),
    (errors.Unauthenticated, 401, "Not authenticated"),
    (errors.Forbidden, 403, "Forbidden"),
    (errors.NotFound, 404, "Not found"),
    (errors.Ambiguous, 300, "Ambiguous"),
    (errors.Conflict, 409, "Conflict"),
    (errors.TooLarge, 413, "Too large"),
    (errors.TooSlow, 408, "Request timeout"),
    (errors.RateLimited, 429, "Too many requests"),
    (errors.Unavailable, 503, "Unavailable"),
    (RedactorUnavailable, 503, "Unavailable"),
)

COME_BACK = (429, 503)
"""Statuses that say when to ask again, in seconds."""

UNREADABLE_BODY = 400
"""What FastAPI makes of a body that is not UTF-8, or nested deeper than a parser goes."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""What writing a file of one's own (an import, an export) fails with when disk, handles or memory are used up."""

TITLES = {404: "Not found", 405: "Method not allowed", 415: "Unsupported media type"}


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """One problem-details answer."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return Response(dumps(body), status, headers, "application/problem+json")


def install(app: FastAPI) -> None:
    """Answer every error of the app with problem details."""
    app.add_exception_handler(errors.ReverieError, _reverie_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


async def _reverie_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, errors.ReverieError)
    return answer_to(error)


def expected_failure(error: BaseException | None) -> errors.ReverieError | None:
    """The error if it has a status, Unavailable where this machine has no room left, None for a surprise."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return errors.Unavailable(f"This machine has no room for that now ({errno.errorcode[error.errno]}).")
    if isinstance(error, errors.ReverieError) and any(isinstance(error, entry[0]) for entry in STATUSES):
        return error
    return None


def answer_to(error: errors.ReverieError) -> Response:
    """The answer to an expected failure; one without a status is raised again."""
    known = next((entry for entry in STATUSES if isinstance(error, entry[0])), None)
    if known is None:
        raise error
    status, title = known[1:]
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}
    if isinstance(error, errors.InvalidInput):
        more["errors"] = [{"loc": error.loc, "msg": error.message}]
    if isinstance(error, errors.BrokenLine):
        more["line"] = error.line
    if isinstance(error, errors.Conflict):
        more |= error.details
    if isinstance(error, errors.Ambiguous):
        more["candidates"] = error.candidates
    if status in COME_BACK:
        headers["Retry-After"] = str(getattr(error, "retry_after_s", 1))
    if isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    return problem(status, title, error.message, headers, **more)


async def _validation_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [{"loc": list(entry["loc"]), "msg": _plain(entry)} for entry in error.errors()]
    fields = ", ".join(dict.fromkeys(".".join(str(part) for part in entry["loc"][1:]) or "body" for entry in found))
    return problem(422, "Invalid input", f"Not valid: {fields[:500]}", errors=found)


def _plain(entry: Any) -> str:
    return str(entry["msg"]).removeprefix("Value error, ").encode("utf-8", "replace").decode()


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, errors.ReverieError):
        return answer_to(error.__cause__)
    if error.status_code == UNREADABLE_BODY:
        found = [{"loc": ["body"], "msg": "is not JSON that can be read"}]
        return problem(422, "Invalid input", "Not valid: body", errors=found)
    title = TITLES.get(error.status_code, "Error")
    return problem(error.status_code, title, str(error.detail), dict(error.headers or {}))
