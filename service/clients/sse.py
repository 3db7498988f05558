"""Reading a stream of server-sent events, and going on where it broke off."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

PAUSE_S = 1.0
FOR_NOW = frozenset({429, 502, 503, 504})


class EventStream:
    """The place in the stream: what to ask for, and what its lines say."""

    path = "/v1/events"
    pause_s = PAUSE_S

    def __init__(self, after: int | None, types: Sequence[str]) -> None:
        self._position = after
        self.query: list[tuple[str, str | int | float | bool | None]] = [("types", kind) for kind in types]

    def headers(self, own: Mapping[str, str]) -> dict[str, str]:
        """The headers to ask with."""
        return dict(own) | ({} if self._position is None else {"Last-Event-ID": str(self._position)})

    def must_reconnect(self, status: int, reconnect: bool) -> bool:
        """Whether an answer is the end of it: what cannot be had for now is asked for again, if that is wanted."""
        return status >= 400 and not (reconnect and status in FOR_NOW)

    def read(self, line: str) -> dict[str, Any] | None:
        """The event that a line completes; None for any other. A gap is an event of the type ``gap``."""
        name, _, value = line.partition(": ")
        if name != "data":
            return None
        event: dict[str, Any] = json.loads(value)
        if "position" not in event:
            return event | {"type": "gap"}
        self._position = event["position"]
        return event
