"""The endpoints of OAuth: discovery, registration, authorization, tokens, revocation.

The server's address comes first in all of them: REVERIE_PUBLIC_URL, else, on the loopback alone, the address that the
request names. Anything else that a request may name is not to be trusted, so there is no OAuth there.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.metadata import MetadataHandler, ProtectedResourceMetadataHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.routes import (
    AUTHORIZATION_PATH,
    REGISTRATION_PATH,
    REVOCATION_PATH,
    TOKEN_PATH,
    build_metadata,
    build_resource_metadata_url,
    cors_middleware,
)
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import ProtectedResourceMetadata
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import NotFound
from service.mcp.endpoint import PATH as MCP_PATH
from service.oauth import consent
from service.oauth.pages import message
from service.oauth.provider import CONSENT_PATH, PUBLIC, SCOPES, Provider
from service.oauth.registrations import Registrations

RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
SERVER_METADATA = "/.well-known/oauth-authorization-server"
PATHS = (AUTHORIZATION_PATH, TOKEN_PATH, REGISTRATION_PATH, REVOCATION_PATH, CONSENT_PATH)
OPEN_TO_PAGES = (RESOURCE_METADATA, SERVER_METADATA, TOKEN_PATH, REGISTRATION_PATH, REVOCATION_PATH)
"""What MCP clients in a browser call from pages of any origin; nothing there looks at cookies."""
BODY_BYTES_MAX = 16_384
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?")
_URL: TypeAdapter[AnyHttpUrl] = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))

Handler = Callable[[Request], Awaitable[Response]]


class _Challenging:
    """Names the metadata of the resource in answers 401 of an app (RFC 9728, section 5.1)."""

    def __init__(self, app: ASGIApp, base_of: Callable[[Request], str | None]) -> None:
        self._app = app
        self._base_of = base_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        base = self._base_of(Request(scope))
        had_token = any(name == b"authorization" for name, _ in scope["headers"])

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401 and base is not None:
                error = 'error="invalid_token", ' if had_token else ""
                metadata = build_resource_metadata_url(_URL.validate_python(base + MCP_PATH))
                MutableHeaders(scope=message)["WWW-Authenticate"] = f'Bearer {error}resource_metadata="{metadata}"'
            await send(message)

        await self._app(scope, receive, sending)


class OAuthEndpoints:
    """``public_url``: REVERIE_PUBLIC_URL, the origin at which clients reach this server."""

    def __init__(self, public_url: str | None) -> None:
        self._public_url = public_url
        self._registrations = Registrations()

    def routes(self) -> list[BaseRoute]:
        """The routes. They use ``app.state.engine``, ``session_cookie`` and ``seal``, a Seal."""
        documents = (
            (SERVER_METADATA, self._server_metadata),
            (RESOURCE_METADATA, self._resource_metadata),
            (RESOURCE_METADATA + MCP_PATH, self._resource_metadata),
        )
        calls = ((REGISTRATION_PATH, self._register), (TOKEN_PATH, self._token), (REVOCATION_PATH, self._revoke))
        return [
            *(_open_to_pages(path, handler, "GET") for path, handler in documents),
            *(_open_to_pages(path, handler, "POST") for path, handler in calls),
            Route(AUTHORIZATION_PATH, self._authorize, methods=["GET", "POST"]),
            Route(CONSENT_PATH, consent.show, methods=["GET"]),
            Route(CONSENT_PATH, consent.decide, methods=["POST"]),
        ]

    def challenging(self, app: ASGIApp) -> ASGIApp:
        """The app, whose answers 401 say where the metadata of the resource are."""
        return _Challenging(app, self._base)

    def _base(self, request: Request) -> str | None:
        if self._public_url is not None:
            return self._public_url
        host = request.headers.get("host", "").lower()
        return f"{request.url.scheme}://{host}" if _LOOPBACK.fullmatch(host) else None

    def _base_of(self, request: Request) -> str:
        base = self._base(request)
        if base is None:
            raise NotFound("OAuth needs the address at which clients reach this server: set REVERIE_PUBLIC_URL.")
        return base

    def _provider(self, request: Request) -> Provider:
        engine, host = request.app.state.engine, request.client.host if request.client else None
        base = self._base_of(request)
        return Provider(engine, request.app.state.seal, base, lambda: self._registrations.note(host, engine.now()))

    async def _server_metadata(self, request: Request) -> Response:
        metadata = build_metadata(
            _URL.validate_python(self._base_of(request)), None,
            ClientRegistrationOptions(enabled=True, valid_scopes=list(SCOPES)), RevocationOptions(enabled=True),
        )  # fmt: skip
        metadata.token_endpoint_auth_methods_supported = [PUBLIC]
        metadata.revocation_endpoint_auth_methods_supported = [PUBLIC]
        metadata.authorization_response_iss_parameter_supported = True
        return await MetadataHandler(metadata).handle(request)

    async def _resource_metadata(self, request: Request) -> Response:
        base = self._base_of(request)
        metadata = ProtectedResourceMetadata(
            resource=_URL.validate_python(base + MCP_PATH),
            authorization_servers=[_URL.validate_python(base)],
            scopes_supported=list(SCOPES),
            resource_name="Reverie",
        )
        return await ProtectedResourceMetadataHandler(metadata).handle(request)

    async def _register(self, request: Request) -> Response:
        options = ClientRegistrationOptions(enabled=True)
        response = await RegistrationHandler(self._provider(request), options).handle(request)
        response.headers.update(NO_STORE)
        return response

    async def _authorize(self, request: Request) -> Response:
        """To the consent page. An error is shown, with a link back: anybody may register an address, so nobody is sent
        to one before they have decided (RFC 9700, section 4.11.2)."""
        base = self._base_of(request)
        asked = await request.form() if request.method == "POST" else request.query_params
        if not self._is_for_us(request, asked.getlist("resource")):
            return _not_authorized("invalid_target", "The resource asked for is not this server.")
        response = await AuthorizationHandler(self._provider(request)).handle(request)
        location = response.headers.get("location")
        if location is not None and location.startswith(f"{base}{CONSENT_PATH}?"):
            return response
        if location is None:
            return _not_authorized("invalid_request", "The app is not registered here, or not with this address.")
        answer = parse_qs(urlsplit(location).query)
        return _not_authorized(answer["error"][-1], answer.get("error_description", [""])[-1], link=location)

    async def _token(self, request: Request) -> Response:
        provider = self._provider(request)
        if not self._is_for_us(request, (await request.form()).getlist("resource")):
            refusal = {"error": "invalid_target", "error_description": "The resource asked for is not this server."}
            return JSONResponse(refusal, 400, NO_STORE)
        response: Response = await TokenHandler(provider, ClientAuthenticator(provider)).handle(request)
        return response

    async def _revoke(self, request: Request) -> Response:
        """The SDK's handler wants a secret, be it empty, which public clients do not send."""
        provider = self._provider(request)
        body = await request.body() + b"&client_secret="

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        handler = RevocationHandler(provider, ClientAuthenticator(provider))
        return await handler.handle(Request(request.scope, receive))

    def _is_for_us(self, request: Request, resources: list[Any]) -> bool:
        """Whether a token is asked for this server alone (RFC 8707), or for no server by name."""
        own = self._base_of(request) + MCP_PATH
        return all(isinstance(one, str) and one.removesuffix("/") == own for one in resources)


def _open_to_pages(path: str, handler: Handler, method: str) -> Route:
    return Route(path, endpoint=cors_middleware(handler, [method, "OPTIONS"]), methods=[method, "OPTIONS"])


def _not_authorized(error: str, description: str, *, link: str | None = None) -> Response:
    status = 503 if error in ("server_error", "temporarily_unavailable") else 400
    return message(status, "The app cannot connect", f"{error}: {description}", link=link)
