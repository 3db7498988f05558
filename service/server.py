"""The API as a process: uvicorn, with bounds on the heads of requests, and streams that end when it is told to stop.

Slowloris protection: request headers are bounded in time and bytes, as uvicorn bounds neither; body bounds begin after.
A request may be answered before its body has come (413, 401). The rest of that body is read and dropped, so that the
connection can be used again, and is never taken for a request or answered itself.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import structlog
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.app import create_app
from service.concurrency.garbage_collection import freeze_heap
from service.embedding.embedder import Embedder
from service.listeners import listen
from service.memory.event_delivery import EventNotifier
from service.settings import Settings, url_at

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
    """Return the protocol with this ``head_timeout_s``."""
    return type("BoundedHeads", (BoundedHeads,), {"head_timeout_s": seconds})


log = structlog.get_logger(__name__)

GRACE_S = 10
"""For requests under way, once the process is told to stop."""
NOT_STARTED = 3


class _Server(uvicorn.Server):
    """uvicorn waits for requests under way; those that follow events last until they are told to end."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, settings: Settings) -> None:
        super().__init__(config)
        self._app = app
        self._settings = settings

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            at = (self.servers[0].sockets if self.servers else sockets or [])[0].getsockname()
            log.info(
                "serving", url=url_at(at[0], at[1]), **describe_models(self._settings, self._app.state.runtime.embedder)
            )
        freeze_heap()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.runtime.part(EventNotifier).close()
        await super().shutdown(sockets)


def describe_models(settings: Settings, embedder: Embedder | None) -> dict[str, str]:
    """Return which models are used, and where texts go."""
    remote = {
        "embedder": settings.embedding_api_base or embedder.model if embedder and embedder.source == "remote" else None,
        "language model": settings.llm_model and (settings.llm_api_base or settings.llm_model),
        "reranker": settings.rerank_model and (settings.rerank_model.api_base or settings.rerank_model.model),
    }
    sent = ", ".join(f"{name} at {place}" for name, place in remote.items() if place)
    return {
        "embedder": embedder.signature if embedder else "none: keyword search alone",
        "language_model": settings.llm_model or "none: built-in rules",
        "texts_go_to": f"this database and the {sent}" if sent else "this database alone",
    }


def serve(settings: Settings, inherited: Sequence[int] = ()) -> None:
    """Serve until SIGTERM or SIGINT, on listening sockets of these descriptors or else on host and port.

    Raises Unavailable when the port is in use.
    """
    sockets = [socket.socket(fileno=descriptor) for descriptor in inherited] or listen(settings.host, settings.port)
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        http=header_limited_protocol(settings.tuning.body_timeout_s),
    )
    server = _Server(config, app, settings)
    with suppress(KeyboardInterrupt):
        server.run(sockets=sockets)
    if not server.started:
        sys.exit(NOT_STARTED)
