"""The API's composition root: ``create_app(settings)`` builds everything, and nothing happens at import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount, Route

from service import studio
from service.api import docs_page, errors
from service.api.application import create_api
from service.api.dependencies import streams
from service.api.middleware import cors_middleware
from service.errors import Unauthenticated, WorkspaceSuspended
from service.mcp.server import PATH, McpEndpoint
from service.memory.access.keys import authenticate, describe_caller, revoke_own_key
from service.oauth import BODY_BYTES_MAX, OPEN_TO_PAGES, PATHS, OAuthEndpoints
from service.oidc import OidcSignIn, oidc_settings
from service.runtime import Runtime
from service.sealed_tokens import Seal
from service.settings import Settings
from service.store.installation import shared_secret
from service.studio import SessionCookie, session_cookie_middleware
from service.telemetry import open_telemetry


def create_app(settings: Settings) -> FastAPI:
    """Return the ASGI application: the API, and beside it MCP, OAuth, the Studio and the pages of the reference."""

    @asynccontextmanager
    async def beside(app: FastAPI) -> AsyncIterator[None]:
        runtime: Runtime = app.state.runtime
        app.state.session_cookie = SessionCookie(await _secret(runtime, "studio"))
        app.state.seal = Seal(await _secret(runtime, "oauth"))
        async with mcp.running(await _secret(runtime, "mcp")):
            yield

    app = create_api(
        settings,
        open_telemetry("reverie-api"),
        middlewares=(session_cookie_middleware,),
        body_limits=dict.fromkeys(PATHS, BODY_BYTES_MAX),
        beside=beside,
    )
    if settings.cors_origins:
        app.add_middleware(cors_middleware, origins=settings.cors_origins, excluded=(studio.PATH, *OPEN_TO_PAGES))
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
