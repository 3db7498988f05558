"""The API as an ASGI application, without what stands beside it: MCP, OAuth, the Studio (``service.app``)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from service import __version__
from service.api import errors
from service.api.dependencies import NO_MEMORY, OTHERS_NO_MEMORY
from service.api.fast_route import fast_route_middleware
from service.api.middleware import OptOutHeaders, RequestMiddleware, idempotency_middleware
from service.api.routes import admin, agents, chat, engine, events, graph, memories, pages, sessions, transfer
from service.api.routes.chat import wire_format_middleware
from service.proxy.chat import Chat
from service.proxy.upstream import open_upstream
from service.settings import Settings
from service.startup import open_runtime

if TYPE_CHECKING:
    from service.telemetry import Telemetry

ROUTERS = (
    memories.router, sessions.router, sessions.context_router, agents.router, agents.inbox_router, pages.router,
    pages.searches_router, agents.tasks_router, graph.router, admin.router, admin.model_calls_router,
    admin.workspaces_router, transfer.router, transfer.users_router, transfer.deletions_router, chat.router,
    memories.documents_router, engine.router, engine.dead_letters_router, events.router, engine.health_router,
)  # fmt: skip


def create_api(
    settings: Settings,
    telemetry: Telemetry | None = None,
    *,
    middlewares: Sequence[Any] = (),
    body_limits: dict[str, int] | None = None,
    beside: Callable[[FastAPI], AbstractAsyncContextManager[None]] = lambda _: nullcontext(),
) -> FastAPI:
    """Return the application. Its lifespan opens the runtime and closes it, writing out what is still counted.

    ``middlewares`` see a request after its bounds are checked; ``body_limits`` are the bounds of other paths, in bytes;
    ``beside`` is open while the runtime is.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_runtime(settings, "reverie-api", telemetry, with_replica=True) as runtime:
            app.state.runtime = runtime
            app.state.chat = Chat(runtime, open_upstream(settings), settings.llm_model)
            try:
                async with beside(app):
                    yield
            finally:
                await app.state.chat.aclose()

    app = FastAPI(
        title="Reverie",
        version=__version__,
        summary="Memory for AI agents that dreams.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(fast_route_middleware)
    app.add_middleware(idempotency_middleware)
    for middleware in middlewares:
        app.add_middleware(middleware)
    app.add_middleware(
        RequestMiddleware,
        body_bytes_max=settings.tuning.body_bytes_max,
        body_timeout_s=settings.tuning.body_timeout_s,
        unbounded_paths={transfer.STREAMED},
        body_limit_overrides=dict.fromkeys(chat.PATHS, chat.BODY_BYTES_MAX) | (body_limits or {}),
    )
    app.add_middleware(wire_format_middleware)
    app.add_middleware(OptOutHeaders, name=NO_MEMORY, others=OTHERS_NO_MEMORY)
    if telemetry is not None:
        app.add_middleware(telemetry.middleware)
    errors.install(app)
    app.router.routes.extend(route for router in ROUTERS for route in router.routes)
    return app
