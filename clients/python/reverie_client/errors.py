"""What can go wrong with a call, as types.

ReverieClientError
├── ConnectionFailed        no answer came, after all retries
└── APIError                an answer that is no success; ``status``, ``problem`` (RFC 9457)
    ├── InvalidRequest      422, 400: ``errors`` and ``fields`` name the fields
    ├── NotAuthenticated    401
    ├── NotAllowed          403
    ├── NotFound            404
    ├── Ambiguous           300: ``candidates``
    ├── Conflict            409
    ├── TooLarge            413
    ├── RateLimited         429
    └── ServerFailed        5xx
"""

from __future__ import annotations

from typing import Any

import httpx


class ReverieClientError(Exception):
    """A call to Reverie did not succeed."""


class ConnectionFailed(ReverieClientError):
    """No answer came. A write may have happened all the same; the same Idempotency-Key tells."""


class APIError(ReverieClientError):
    """Reverie answered with an error."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('title', '')}: {problem.get('detail', '')}")
        self.status = status
        self.problem = problem

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Return the fields at fault: ``loc`` and ``msg`` of each."""
        return list(self.problem.get("errors") or [])

    @property
    def fields(self) -> list[str]:
        """Return the names of the fields at fault, as paths: ``items.3.content``."""
        return [".".join(map(str, error["loc"][1:] or error["loc"])) for error in self.errors]


class InvalidRequest(APIError):
    """A field is out of bounds."""


class NotAuthenticated(APIError):
    """No valid API key."""


class NotAllowed(APIError):
    """Not with this key."""


class NotFound(APIError):
    """Unknown here, or not visible with this key."""


class Ambiguous(APIError):
    """The name fits several things."""

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """Return what it fits."""
        return list(self.problem.get("candidates") or [])


class Conflict(APIError):
    """The present state does not allow it: a stale version, or a key used for something else."""


class TooLarge(APIError):
    """The request is over a bound."""


class RateLimited(APIError):
    """Too many requests with this key."""


class ServerFailed(APIError):
    """The server could not serve this."""


_BY_STATUS: dict[int, type[APIError]] = {
    300: Ambiguous,
    400: InvalidRequest,
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: InvalidRequest,
    429: RateLimited,
}


def error_of(response: httpx.Response) -> APIError:
    """Return the error an answer stands for; its body must have been read."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": response.reason_phrase, "detail": response.text[:500]}
    kind = _BY_STATUS.get(response.status_code, ServerFailed if response.is_server_error else APIError)
    return kind(response.status_code, problem)
