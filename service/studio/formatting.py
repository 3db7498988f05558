"""Values and failures in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from reverie_client import (
    APIError,
    ConnectionFailed,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    RateLimited,
    ReverieClientError,
)

ABBREVIATIONS = frozenset({"IBAN", "IP", "SSN", "UK", "URL", "US"})


def error_message(error: ReverieClientError) -> str:
    """What went wrong, and what to do about it where that is known."""
    match error:
        case ConnectionFailed():
            return "Reverie did not answer. It may be restarting: try again in a moment."
        case NotAuthenticated():
            return "This key opens nothing here. It may be mistyped, or it has been revoked."
        case NotAllowed():
            return f"{_detail(error)} Sign in with another key to do this."
        case RateLimited():
            return "That was too many requests for this key in a short time. Wait a moment, then try again."
        case InvalidRequest() if error.errors:
            return " ".join(f"{field_of(one) or 'This'}: {one.get('msg', '')}." for one in error.errors)
        case APIError():
            return _detail(error)
    return str(error)


def _detail(error: APIError) -> str:
    detail = str(error.problem.get("detail") or error.problem.get("title") or f"Reverie answered {error.status}.")
    return detail if detail.endswith((".", "!", "?")) else f"{detail}."


def field_of(problem: dict[str, Any]) -> str:
    """The field a validation problem is about: ``retrieval.rrf_k``."""
    return ".".join(str(part) for part in problem.get("loc", []) if part not in ("body", "query", "path"))


def constant_in_words(constant: str) -> str:
    """``US_SSN`` is ``US SSN``, ``EMAIL_ADDRESS`` is ``Email address``."""
    words = [word if word in ABBREVIATIONS else word.lower() for word in constant.split("_")]
    return " ".join([words[0][0].upper() + words[0][1:], *words[1:]])


def relative_time(moment: datetime | str | None, now: datetime | None = None) -> str:
    """How long ago, roughly; or in how long."""
    if moment is None:
        return "never"
    then = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    size = abs(seconds)
    if size < 45:
        return "just now" if seconds >= 0 else "in a moment"
    for unit, length in (("min", 60), ("h", 3600), ("d", 86_400)):
        if size < {"min": 3600, "h": 86_400, "d": 30 * 86_400}[unit]:
            amount = f"{max(1, round(size / length))} {unit}"
            return f"{amount} ago" if seconds >= 0 else f"in {amount}"
    return then.strftime("%-d %b %Y")


def exact_time(moment: datetime | str | None) -> str:
    """A time to the second, UTC."""
    if moment is None:
        return ""
    then = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return then.astimezone(UTC).strftime("%-d %b %Y, %H:%M:%S UTC")


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 memory``, ``2,000 memories``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def seconds_between(start: datetime | str, end: datetime | str) -> str:
    """A length of time."""
    first, last = (datetime.fromisoformat(one) if isinstance(one, str) else one for one in (start, end))
    seconds = (last - first).total_seconds()
    return (
        f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
    )
