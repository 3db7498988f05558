"""The API's composition root: ``create_app(settings)`` builds everything, and nothing happens at import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount, Route

from service import __version__, studio
from service.api import docs_page, errors
from service.api.dependencies import NO_MEMORY, OTHERS_NO_MEMORY, streams
from service.api.fast_route import fast_route_middleware
from service.api.middleware import OptOutHeaders, RequestMiddleware, cors_middleware, idempotency_middleware
from service.api.routes import admin, agents, chat, engine, events, graph, memories, pages, sessions, transfer
from service.api.routes.chat import wire_format_middleware
from service.errors import Unauthenticated, WorkspaceSuspended
from service.mcp.server import PATH, McpEndpoint
from service.memory.access.keys import authenticate, describe_caller, revoke_own_key
from service.oauth import BODY_BYTES_MAX, OPEN_TO_PAGES, PATHS, OAuthEndpoints
from service.oidc import OidcSignIn, oidc_settings
from service.proxy.chat import Chat
from service.proxy.upstream import open_upstream
from service.runtime import Runtime
from service.sealed_tokens import Seal
from service.settings import Settings
from service.startup import open_runtime
from service.store.installation import shared_secret
from service.studio import SessionCookie, session_cookie_middleware
from service.telemetry import open_telemetry

ROUTERS = (
    memories.router, sessions.router, sessions.context_router, agents.router, agents.inbox_router, pages.router,
    pages.searches_router, agents.tasks_router, graph.router, admin.router, admin.model_calls_router,
    admin.workspaces_router, transfer.router, transfer.users_router, transfer.deletions_router, chat.router,
    memories.documents_router, engine.router, engine.dead_letters_router, events.router, engine.health_router,
)  # fmt: skip


def create_app(settings: Settings) -> FastAPI:
    """Return the ASGI application. Its lifespan opens the runtime and closes it, writing out what is still counted."""

    telemetry = open_telemetry("reverie-api")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            open_runtime(settings, "reverie-api", telemetry, with_replica=True) as runtime,
            mcp.running(await _secret(runtime, "mcp")),
        ):
            app.state.runtime = runtime
            app.state.session_cookie = SessionCookie(await _secret(runtime, "studio"))
            app.state.seal = Seal(await _secret(runtime, "oauth"))
            app.state.chat = Chat(runtime, open_upstream(settings), settings.llm_model)
            try:
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
    app.add_middleware(session_cookie_middleware)
    app.add_middleware(
        RequestMiddleware,
        body_bytes_max=settings.tuning.body_bytes_max,
        body_timeout_s=settings.tuning.body_timeout_s,
        unbounded_paths={transfer.STREAMED},
        body_limit_overrides=dict.fromkeys(chat.PATHS, chat.BODY_BYTES_MAX) | dict.fromkeys(PATHS, BODY_BYTES_MAX),
    )
    app.add_middleware(wire_format_middleware)
    app.add_middleware(OptOutHeaders, name=NO_MEMORY, others=OTHERS_NO_MEMORY)
    if telemetry is not None:
        app.add_middleware(telemetry.middleware)
    if settings.cors_origins:
        app.add_middleware(cors_middleware, origins=settings.cors_origins, excluded=(studio.PATH, *OPEN_TO_PAGES))
    errors.install(app)
    app.router.routes.extend(route for router in ROUTERS for route in router.routes)
    app.router.routes.extend(docs_page.ROUTES)

    mcp = McpEndpoint(
        app,
        lambda key: authenticate(app.state.runtime, key),
        errors.problem_response,
        lambda caller: app.state.runtime.part(streams).slot(caller),
    )
    oauth = OAuthEndpoints(settings.public_url)
    app.router.routes.append(Route(PATH, endpoint=oauth.challenging(mcp) if settings.oauth else mcp))
    app.router.routes.extend(oauth.routes() if settings.oauth else ())
    if settings.studio:
        app.router.routes.extend(_studio_routes(app, settings))
    return app


def _studio_routes(app: FastAPI, settings: Settings) -> list[BaseRoute]:
    """Return the Studio's pages, and the sign-in at a provider where one is set, whose addresses come first."""

    async def identify(key: str) -> dict[str, Any]:
        return asdict(await describe_caller(app.state.runtime, await authenticate(app.state.runtime, key)))

    async def revoke(key: str) -> None:
        with suppress(Unauthenticated, WorkspaceSuspended):
            await revoke_own_key(app.state.runtime, await authenticate(app.state.runtime, key))

    oidc = oidc_settings(settings)
    if oidc is None:
        return [Mount(studio.PATH, studio.studio_app(identify, revoke))]
    sign_in = OidcSignIn(oidc, settings.public_url, lambda: app.state.runtime, lambda: app.state.session_cookie)
    provider = studio.SingleSignOn(oidc.name, sign_in.end_session)
    return [*sign_in.routes(), Mount(studio.PATH, studio.studio_app(identify, revoke, provider))]


async def _secret(runtime: Runtime, name: str) -> bytes:
    async with runtime.db.unscoped() as connection:
        return await shared_secret(connection, name)
