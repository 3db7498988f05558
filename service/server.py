"""The API as a process: uvicorn, with streams that end when it is told to stop."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from service.api.heads import bounded_heads
from service.app import create_app
from service.settings import Settings

GRACE_S = 10
"""For requests under way, once the process is told to stop."""
NOT_STARTED = 3


class _Server(uvicorn.Server):
    """uvicorn waits for requests under way; those that follow events last until they are told to end."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.engine.feed.close()
        await super().shutdown(sockets)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        http=bounded_heads(settings.body_timeout_s),
    )
    server = _Server(config, app)
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(NOT_STARTED)
