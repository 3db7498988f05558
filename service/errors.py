"""Every failure Reverie expects, in one tree. The default message of an error is its docstring.

ReverieError
├── InvalidInput            a field is out of bounds; names it          (422)
│   └── InvalidImportLine   a line of an import; names line and field
├── Unauthenticated         no key, or not a valid one                  (401)
│   ├── KeyExpired          the key was valid until then
│   └── StaleCredential     whether a key still holds has to be looked up
├── Forbidden               the key's role may not do this              (403)
│   └── WorkspaceSuspended  nobody may do anything in it
├── NotFound                unknown here, or not visible to the caller  (404)
├── Conflict                the state does not allow it                 (409)
│   └── StaleVersion        the row changed since it was read
├── Ambiguous               a name fits several things                  (300)
├── TooLarge                the request is over a bound                 (413)
├── RequestTimeout          the request's body does not come            (408)
├── RateLimited             too many requests with this key             (429)
├── LimitReached            a limit of the workspace or the key         (409)
│   └── TemporaryLimitReached  one that makes room by itself            (429)
├── Unavailable             the database or pool cannot serve now       (503)
│   └── SchemaMismatch      the database's schema is not this release's
├── BudgetReached           the budget for models does not allow the call (429)
│   └── CostLimitReached    a limit of the workspace or the key
├── AnswerTooLarge          a model's answer is over its bound          (502)
├── EmbeddingFailed         in service.embedding; searches degrade, writes stay pending
├── LLMUnavailable, LLMInvalidOutput                    in service.llm
└── PiiRejected, RedactorUnavailable                    in service.privacy

The HTTP status of each is set in ``service.api.errors`` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any


class ReverieError(Exception):
    """Something Reverie expected to go wrong went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])

    @property
    def message(self) -> str:
        return str(self.args[0])


Loc = tuple[str | int, ...]
"""Where in a request a field stands, as FastAPI names it: ``("body", "items", 3, "content")``."""


class InvalidInput(ReverieError):
    """A field of the request is out of bounds."""

    def __init__(self, loc: Sequence[str | int], message: str) -> None:
        super().__init__(message)
        self.loc = list(loc)


class InvalidImportLine(InvalidInput):
    """A line of the import cannot be read in. ``line`` counts from 1."""

    def __init__(self, line: int, loc: Sequence[str | int], message: str) -> None:
        field = ".".join(map(str, loc))
        super().__init__(("body", line, *loc), f"line {line}: {field}{': ' if field else ''}{message}")
        self.line = line


class Unauthenticated(ReverieError):
    """A valid API key is needed: Authorization: Bearer <key>."""


class KeyExpired(Unauthenticated):
    """This key has expired."""

    def __init__(self, expired_at: datetime) -> None:
        super().__init__(f"This key expired at {expired_at.isoformat()}.")
        self.expired_at = expired_at


class StaleCredential(Unauthenticated):
    """This key was not made sure of."""


class Forbidden(ReverieError):
    """This key may not do that."""


class WorkspaceSuspended(Forbidden):
    """This workspace is suspended."""


class NotFound(ReverieError):
    """There is no such thing here."""


class Conflict(ReverieError):
    """The current state does not allow this."""

    def __init__(self, message: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class StaleVersion(Conflict):
    """The memory has changed since it was read."""


class Ambiguous(ReverieError):
    """The name fits more than one thing."""

    def __init__(self, message: str, candidates: Sequence[object]) -> None:
        super().__init__(message)
        self.candidates = candidates


class TooLarge(ReverieError):
    """The request is larger than is allowed."""


class RequestTimeout(ReverieError):
    """The body of the request took too long to come."""


class RetryLater(ReverieError):
    """This may work later."""

    def __init__(self, message: str | None = None, *, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimited(RetryLater):
    """Too many requests with this key."""


class LimitReached(ReverieError):
    """A limit of the workspace or of the key is reached. ``limit`` is its name, ``max`` its value, ``used`` what was in
    use before this request."""

    def __init__(self, limit: str, of: str, *, max: float, used: float) -> None:
        super().__init__(f"The {of}'s limit {limit} is {max:,}, and {used:,} are in use.")
        self.limit, self.of, self.max, self.used = limit, of, max, used


class TemporaryLimitReached(LimitReached):
    """A limit that makes room by itself is reached."""

    def __init__(self, limit: str, of: str, *, max: float, used: float, retry_after_s: int) -> None:
        super().__init__(limit, of, max=max, used=used)
        self.retry_after_s = retry_after_s


class Unavailable(RetryLater):
    """The database cannot be reached right now."""


class SchemaMismatch(Unavailable):
    """The database's schema is older than this release, or too new for it."""


class BudgetReached(RetryLater):
    """The budget does not allow another call."""

    def __init__(self, message: str | None = None, *, retry_after_s: int = 60) -> None:
        super().__init__(message, retry_after_s=retry_after_s)


class CostLimitReached(BudgetReached):
    """A limit of the cost of models is reached, as ``LimitReached``."""

    def __init__(self, limit: str, of: str, *, max: float, used: float, retry_after_s: int) -> None:
        message = f"budget reached: the {of}'s limit {limit} is ${max:,.4f}, and ${used:,.4f} are taken."
        super().__init__(message, retry_after_s=retry_after_s)
        self.limit, self.of, self.max, self.used = limit, of, max, used


class AnswerTooLarge(ReverieError):
    """The model's answer is larger than is allowed."""
