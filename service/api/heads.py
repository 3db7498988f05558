"""The heads of requests, bounded in time and bytes: uvicorn bounds neither, and a body's bounds begin after them."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX = 65_536


def bounded_heads(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol; a connection on which a request's head does not come whole within so many seconds, counted
    from when the connection is made or from the head's first byte, or not within 64 KiB, is closed."""

    class BoundedHeads(HttpToolsProtocol):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._due: asyncio.TimerHandle | None = None
            self._taken = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._expect()

        def data_received(self, data: bytes) -> None:
            if self._due is None and (self.cycle is None or self.cycle.response_complete):
                self._expect()
            self._taken += len(data)
            super().data_received(data)
            if self._due is not None and self._taken > HEAD_BYTES_MAX and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

        def on_headers_complete(self) -> None:
            self._come()
            super().on_headers_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._come()
            super().connection_lost(exc)

        def _expect(self) -> None:
            self._taken = 0
            self._due = asyncio.get_running_loop().call_later(seconds, self.transport.close)

        def _come(self) -> None:
            if self._due is not None:
                self._due.cancel()
                self._due = None

    return BoundedHeads
