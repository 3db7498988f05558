"""Slowloris protection: request headers bounded in time and bytes, as uvicorn bounds neither; body bounds begin after.

A request may be answered before its body has come (413, 401). The rest of that body is read and dropped, so that the
connection can be used again, and is never taken for a request or answered itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 65_536


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's protocol; a connection on which a request's head does not come whole within ``head_timeout_s``, counted
    from when the connection is made or from the head's first byte, or not within 64 KiB, is closed. So is one on which
    the rest of an answered request's body takes longer than that."""

    head_timeout_s: float

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._due: asyncio.TimerHandle | None = None
        self._taken = 0
        self._in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self._due is None and not self._in_body and (self.cycle is None or self.cycle.response_complete):
            self._expect()
        self._taken += len(data)
        super().data_received(data)
        if self._due is not None and not self._in_body and self._taken > HEAD_BYTES_MAX:
            self.send_400_response("The head of the request is too large.")

    def on_headers_complete(self) -> None:
        self._come()
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_body = False
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete:
            self._come()
            self._expect()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_body and self.cycle.response_complete:
            self._expect()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed, unless it belongs to a request that has its answer."""
        if self._in_body and self.cycle is not None and self.cycle.response_started:
            self.transport.close()
        elif not self.transport.is_closing():
            super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        self._come()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._taken = 0
        self._due = asyncio.get_running_loop().call_later(self.head_timeout_s, self.transport.close)

    def _come(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def header_limited_protocol(seconds: float) -> type[BoundedHeads]:
    """The protocol with this ``head_timeout_s``."""
    return type("BoundedHeads", (BoundedHeads,), {"head_timeout_s": seconds})
