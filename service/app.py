"""The API's composition root: ``create_app(settings)`` builds everything, and nothing happens at import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Mount, Route

from service.api import errors
from service.api.idempotency import IdempotencyMiddleware
from service.api.middleware import RequestMiddleware
from service.api.routes import (
    admin,
    agents,
    chat,
    context,
    documents,
    engine,
    events,
    graph,
    health,
    memories,
    sessions,
    transfer,
    users,
)  # fmt: skip
from service.api.schemas import PROBLEMS
from service.api.short_path import ShortPathMiddleware
from service.mcp.endpoint import PATH, McpEndpoint
from service.memory.keys import authenticate
from service.proxy.chat import Chat
from service.proxy.upstream import open_upstream
from service.runtime import open_runtime
from service.settings import Settings
from service.studio import endpoint
from service.studio.endpoint import Studio
from service.telemetry import open_telemetry

ROUTES = (
    memories, sessions, context, agents, graph, admin, transfer, users, chat, documents, engine, events, health
)  # fmt: skip


def create_app(settings: Settings) -> FastAPI:
    """The ASGI application. Its lifespan opens the runtime and closes it, writing out what is still counted."""

    telemetry = open_telemetry("reverie-api")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            open_runtime(settings, "reverie-api", telemetry, with_replica=True) as engine,
            mcp.running(),
            studio.running(),
        ):
            app.state.engine = engine
            app.state.chat = Chat(engine, open_upstream(settings))
            try:
                yield
            finally:
                await app.state.chat.aclose()

    app = FastAPI(title="Reverie", version="0.1.0", summary="Memory for AI agents that dreams.", lifespan=lifespan)
    app.add_middleware(ShortPathMiddleware)
    app.add_middleware(IdempotencyMiddleware)
    app.add_middleware(
        RequestMiddleware,
        body_bytes_max=settings.body_bytes_max,
        body_timeout_s=settings.body_timeout_s,
        streamed={transfer.STREAMED, endpoint.IMPORT_PATH},
        larger={chat.PATH: settings.proxy_body_bytes_max},
    )
    if telemetry is not None:
        app.add_middleware(telemetry.middleware)
    errors.install(app)
    for module in ROUTES:
        app.include_router(module.router, responses=PROBLEMS)

    mcp = McpEndpoint(
        app, lambda key: authenticate(app.state.engine, key), errors.answer_to, secret=settings.database_url or ""
    )
    app.router.routes.append(Route(PATH, endpoint=mcp))
    studio = Studio(app)
    if settings.studio:
        app.router.routes.append(Mount(endpoint.PATH, studio))

    return app
