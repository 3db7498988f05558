"""The API as a process: uvicorn, with streams that end when it is told to stop."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from contextlib import suppress

import structlog
import uvicorn
from fastapi import FastAPI

from service.api.header_limits import header_limited_protocol
from service.app import create_app
from service.concurrency.garbage_collection import freeze_heap
from service.embedding.embedder import Embedder
from service.listeners import listen
from service.settings import Settings, url_at

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
                "serving", url=url_at(at[0], at[1]), **describe_models(self._settings, self._app.state.engine.embedder)
            )
        freeze_heap()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.engine.event_notifier.close()
        await super().shutdown(sockets)


def describe_models(settings: Settings, embedder: Embedder | None) -> dict[str, str]:
    """Which models are used, and where texts go."""
    remote = {
        "embedder": settings.embedding_api_base or embedder.model if embedder and embedder.source == "remote" else None,
        "language model": settings.llm_model and (settings.llm_api_base or settings.llm_model),
        "reranker": settings.rerank_model and (settings.rerank_api_base or settings.rerank_model),
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
        http=header_limited_protocol(settings.body_timeout_s),
    )
    server = _Server(config, app, settings)
    with suppress(KeyboardInterrupt):
        server.run(sockets=sockets)
    if not server.started:
        sys.exit(NOT_STARTED)
