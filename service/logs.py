"""How an exception is logged: its kind and where it came from, never what it says.

Messages of libraries quote what they were given (a failed statement its parameters, a validation error its input),
and that may be somebody's words. Only Reverie's own errors, whose messages quote nothing, are logged with theirs.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import MutableMapping
from datetime import datetime
from typing import Any

from service.errors import ReverieError

HIDDEN = frozenset({"timestamp", "level", "event", "request_id", "exception"})
"""What a person reads elsewhere in the line, or not at all."""


def without_messages(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Return the structlog processor: ``exc_info`` becomes ``exception``, one string."""
    given = event.pop("exc_info", None)
    error = given if isinstance(given, BaseException) else sys.exc_info()[1] if given else None
    if error is not None:
        event["exception"] = traced(error)
    return event


def as_text_line(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    """Return the structlog renderer for terminals: local time, what happened, its values; of an exception the last
    line."""
    at = datetime.fromisoformat(event["timestamp"]).astimezone().strftime("%H:%M:%S")
    level = "" if event["level"] == "info" else f" {event['level'].upper()}"
    said = event["event"].replace("_", " ")
    values = "".join(f" {name}={value}" for name, value in event.items() if name not in HIDDEN and value is not None)
    last = event["exception"].rstrip().rpartition("\n")[2] if "exception" in event else ""
    return f"{at}{level} {said}{values}" + (f": {last}" if last else "")


def traced(error: BaseException) -> str:
    """Return an exception and those behind it, the first cause first, each with its frames."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n".join(_one(one) for one in reversed(chain))


def _one(error: BaseException) -> str:
    frames = "".join(
        f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in traceback.extract_tb(error.__traceback__)
    )
    code = getattr(error, "sqlstate", None)
    name = f"{type(error).__module__}.{type(error).__qualname__}" + (f" [{code}]" if code else "")
    return f"{frames}{name}: {error.message}" if isinstance(error, ReverieError) else f"{frames}{name}"
