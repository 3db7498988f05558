"""OAuth 2.1 for ``/mcp``: an MCP client that knows the address alone registers, asks for consent, and gets a key.

The protocol is the SDK's (``mcp.server.auth``): its handlers, over a provider that stores in Postgres. The endpoints
around them are here (discovery, registration, authorization, tokens, revocation), and the consent page: the user signs
in with a key, sees who asks for what, and approves or denies. Its form carries a token against CSRF, which is also in a
sealed cookie (SameSite=Strict); nothing is decided by a GET. The pages are plain HTML without scripts, whatever a
client calls itself.

The server's address comes first in all endpoints: REVERIE_PUBLIC_URL, else, on the loopback alone, the address that the
request names. Anything else that a request may name is not to be trusted, so there is no OAuth there.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from uuid import UUID

from jinja2 import Environment, PackageLoader, StrictUndefined
from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.metadata import MetadataHandler, ProtectedResourceMetadataHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
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
from mcp.shared.auth import InvalidRedirectUriError, OAuthClientInformationFull, OAuthToken, ProtectedResourceMetadata
from pydantic import AnyHttpUrl, AnyUrl, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.datastructures import FormData, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import problem_response
from service.domain.field_types import Name
from service.domain.keys import Whoami
from service.domain.principal import KEY_SCOPES, Principal
from service.domain.redirect_uris import check_redirect_uri, csp_source, is_same_redirect_uri, shown_destination
from service.errors import Forbidden, InvalidInput, NotFound, RateLimited, ReverieError, Unauthenticated
from service.mcp.server import PATH as MCP_PATH
from service.memory.access import oauth
from service.memory.access.keys import authenticate, describe_caller
from service.memory.access.oauth import (
    Client,
    CodeBinding,
    approve,
    find_client,
    grantable_scopes,
    name_in_workspace,
    shown_name,
)
from service.memory.agents import list_agents
from service.runtime import Runtime
from service.sealed_tokens import SEALED_S, Seal, seal_of
from service.studio import BrowserSession, session_cookie_of

PER_ADDRESS_AND_MINUTE = 20
ADDRESSES_MAX = 10_000
"""Addresses remembered; the one that was heard of longest ago is forgotten."""
_MINUTE = timedelta(minutes=1)


class Registrations:
    """Those of the last minute, by address, in this process."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[datetime]] = OrderedDict()

    def note(self, host: str | None, now: datetime) -> None:
        """Note one more of an address. Raises RateLimited, which is not noted."""
        address = _network(host)
        times = self._times.setdefault(address, deque())
        self._times.move_to_end(address)
        while len(self._times) > ADDRESSES_MAX:
            self._times.popitem(last=False)
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= PER_ADDRESS_AND_MINUTE:
            raise RateLimited(retry_after_s=60)
        times.append(now)


def _network(host: str | None) -> str:
    """Return an IPv4 address, or the /64 of an IPv6 one, which is what one subscriber has."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


SCOPES: tuple[str, ...] = KEY_SCOPES
PUBLIC = "none"
"""Method of the token endpoint: none, as anybody may register. PKCE binds a code to its client."""
REDIRECT_URIS_MAX = 10
STATE_CHARS_MAX = 2_000
CONSENT_PATH = "/oauth/consent"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 in base64url (RFC 7636, section 4.2)."""


class ClientInformation(OAuthClientInformationFull):
    """A registered client, with our rules for what it may ask for."""

    def validate_scope(self, requested_scope: str | None) -> list[str] | None:
        """Return the scopes asked for that there are. Others are left out: what is given is said with the token."""
        return [scope for scope in SCOPES if scope in (requested_scope or "").split()]

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Exactly one of those registered, but for the port of a loopback address."""
        registered = self.redirect_uris or []
        if redirect_uri is None and len(registered) == 1:
            return registered[0]
        if redirect_uri is None or not any(is_same_redirect_uri(str(one), str(redirect_uri)) for one in registered):
            raise InvalidRedirectUriError("redirect_uri is not registered for this client")
        return redirect_uri

    def client(self) -> Client:
        """Return the client as the use cases know it."""
        return Client(UUID(self.client_id), self.client_name or "", tuple(map(str, self.redirect_uris or ())))


class ConsentRequest(BaseModel):
    """A checked request of a client, on its way to the consent page. ``base``: the server as the client reached it."""

    client_id: UUID
    base: str
    params: AuthorizationParams


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients, codes and tokens of a server that its clients reach at ``base``. ``note_registration`` raises
    RateLimited."""

    def __init__(self, runtime: Runtime, seal: Seal, base: str, note_registration: Callable[[], None]) -> None:
        self._runtime = runtime
        self._seal = seal
        self._base = base
        self._note_registration = note_registration

    async def get_client(self, client_id: str) -> ClientInformation | None:
        """Return a registered client; None for any other text."""
        try:
            found = await oauth.find_client(self._runtime, UUID(client_id))
        except ValueError:
            return None
        if found is None:
            return None
        return ClientInformation(
            client_id=str(found.id),
            client_name=found.name,
            redirect_uris=[AnyUrl(uri) for uri in found.redirect_uris],
            token_endpoint_auth_method=PUBLIC,
            scope=" ".join(SCOPES),
        )

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Take in a client, and change what it asked for to what it is given (RFC 7591, section 3.2.1): it is public,
        and nothing of it is kept but its name, without secrets, and its redirect URIs. Raises RegistrationError,
        RateLimited."""
        uris = list(map(str, client_info.redirect_uris or ()))
        if not 1 <= len(uris) <= REDIRECT_URIS_MAX:
            raise RegistrationError("invalid_redirect_uri", f"redirect_uris must be 1 to {REDIRECT_URIS_MAX} URIs")
        try:
            for uri in uris:
                check_redirect_uri(uri)
        except ValueError as error:
            raise RegistrationError("invalid_redirect_uri", str(error)) from None
        self._note_registration()
        name = await shown_name(self._runtime, client_info.client_name)
        await oauth.register_client(self._runtime, Client(UUID(client_info.client_id), name, tuple(uris)))
        given = OAuthClientInformationFull(
            client_id=client_info.client_id,
            client_id_issued_at=client_info.client_id_issued_at,
            client_name=name,
            redirect_uris=client_info.redirect_uris,
            token_endpoint_auth_method=PUBLIC,
            scope=" ".join(SCOPES),
        )
        for field in OAuthClientInformationFull.model_fields:
            setattr(client_info, field, getattr(given, field))

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Return the address of the consent page for a request. Raises AuthorizeError."""
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge must be a SHA-256 hash in base64url")
        if params.state is not None and len(params.state) > STATE_CHARS_MAX:
            raise AuthorizeError("invalid_request", f"state may have at most {STATE_CHARS_MAX} characters")
        sealed = self._seal.close(ConsentRequest(client_id=UUID(client.client_id), base=self._base, params=params))
        return f"{self._base}{CONSENT_PATH}?request={sealed}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code of the client that has not been used."""
        found = await oauth.find_code(self._runtime, _client(client), authorization_code)
        if found is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[*found.scopes],
            expires_at=found.expires_at.timestamp(),
            client_id=client.client_id,
            code_challenge=found.challenge,
            redirect_uri=AnyUrl(found.redirect_uri),
            redirect_uri_provided_explicitly=found.redirect_uri_given,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Tokens for a code, once. Raises TokenError."""
        return await _granted(oauth.redeem_code(self._runtime, _client(client), authorization_code.code))

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """Return a refresh token of the client that has not been used."""
        found = await oauth.find_refresh_token(self._runtime, _client(client), refresh_token)
        if found is None:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=client.client_id,
            scopes=[*found.scopes],
            expires_at=int(found.expires_at.timestamp()),
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: Sequence[str]
    ) -> OAuthToken:
        """Return the next tokens, once. Raises TokenError."""
        return await _granted(oauth.refresh(self._runtime, _client(client), refresh_token.token, scopes))

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return the live access token of a client."""
        key = await oauth.find_client_key(self._runtime, token)
        return AccessToken(token=token, client_id=str(key.client_id), scopes=[*key.scopes]) if key else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Revoke the access token and the refresh tokens of one consent, whichever of them is given."""
        await oauth.revoke_token(self._runtime, token.token)


def _client(client: OAuthClientInformationFull) -> Client:
    assert isinstance(client, ClientInformation)
    return client.client()


async def _granted(exchange: Awaitable[oauth.Tokens]) -> OAuthToken:
    try:
        tokens = await exchange
    except Unauthenticated as error:
        raise TokenError("invalid_grant", error.message) from None
    return OAuthToken(
        access_token=tokens.access,
        expires_in=tokens.expires_in_s,
        scope=" ".join(tokens.scopes),
        refresh_token=tokens.refresh,
    )


_templates = Environment(
    loader=PackageLoader("service", "consent_pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_STYLE = _templates.get_template("style.css").render()
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def page(name: str, status: int = 200, *, redirect_uri: str | None = None, **values: Any) -> Response:
    """Return the page of a template. Its form may end at ``redirect_uri``, and else only at this server."""
    html = _templates.get_template(f"{name}.html").render(style=_STYLE, **values)
    ends_at = f"'self' {csp_source(redirect_uri)}" if redirect_uri else "'self'"
    headers = {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action {ends_at}; base-uri 'none'; "
            "frame-ancestors 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    return HTMLResponse(html, status, headers)


def message(status: int, title: str, text: str, *, link: str | None = None) -> Response:
    """Return a page that only says something. ``link``: an address of the app, where the user may go on."""
    destination = shown_destination(link) if link else ""
    return page("message", status, title=title, text=text, link=link, destination=destination)


COOKIE = "reverie_consent"
AGENTS_LISTED = 100
SCOPE_TEXTS = {
    "read": "read memories, documents and conversations",
    "write": "save, change and delete memories",
    "dream": "have memories consolidated (dreams)",
    "export": "export all memories",
}
CHOSEN_UNASKED = ("read", "write")
"""Scopes that are chosen at first where the client names none."""
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class Visit(BaseModel):
    """A browser at the consent page: the token against CSRF, and the key that the user signed in with."""

    csrf: str = Field(default_factory=lambda: secrets.token_urlsafe(32))
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A request at the consent page: who asks for what, and the browser that shows it."""

    sealed: str
    request: ConsentRequest
    client: Client
    visit: Visit


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Whose consent it would be, and what ``/v1/whoami`` says of the key."""

    principal: Principal
    known: Whoami


async def show(request: Request) -> Response:
    """Return the page that asks for a key, or for a decision once there is one."""
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site") and "again" not in request.query_params:
        # Browsers send SameSite=Strict cookies with a navigation that this page starts, not with one from elsewhere.
        return page("again", here=f"{CONSENT_PATH}?request={quote(request.query_params.get('request', ''))}&again=1")
    try:
        asked = await _asked(request, request.query_params.get("request"))
        return await _next_step(request, asked)
    except ReverieError as error:
        return _refused(error)


async def decide(request: Request) -> Response:
    """Take in what the user has filled in: a key, or a decision."""
    form = await request.form()
    try:
        asked = await _asked(request, _text(form, "request"))
        _check_own(request, asked, form)
        match _text(form, "action"):
            case "sign-in":
                return await _sign_in(request, asked, form)
            case "sign-out":
                return _answer(request, asked, Visit(csrf=asked.visit.csrf), _back(asked))
            case "approve":
                return await _approve(request, asked, form)
            case "deny":
                denied = _redirect(asked, error="access_denied", error_description="The user denied the request.")
                return _answer(request, asked, None, denied)
        raise InvalidInput(("body", "action"), "must be sign-in, sign-out, approve or deny")
    except ReverieError as error:
        return _refused(error)


async def _asked(request: Request, sealed: str | None) -> Asked:
    opened = seal_of(request).open(sealed or "", ConsentRequest)
    if opened is None:
        raise InvalidInput((), "This link is not valid any more. Start again in the app.")
    client = await find_client(_runtime(request), opened.client_id)
    if client is None:
        raise NotFound("The app is not registered any more. Start again in the app.")
    visit = seal_of(request).open(request.cookies.get(COOKIE, ""), Visit) or Visit()
    return Asked(sealed or "", opened, client, visit)


def _check_own(request: Request, asked: Asked, form: FormData) -> None:
    """Raise Forbidden for a form that no page of ours has sent from this browser."""
    foreign = request.headers.get("sec-fetch-site") not in (None, "same-origin")
    if foreign or not hmac.compare_digest(_text(form, "csrf").encode(), asked.visit.csrf.encode()):
        raise Forbidden("This form was not sent from the consent page, or too late. Start again in the app.")


async def _next_step(request: Request, asked: Asked, error: ReverieError | None = None) -> Response:
    if asked.visit.key is None:
        return _sign_in_page(request, asked, error)
    try:
        signed_in = await _signed_in(request, asked.visit.key)
    except (Unauthenticated, Forbidden) as refused:
        return _sign_in_page(request, asked, refused)
    return await _consent_page(request, asked, signed_in, error)


async def _signed_in(request: Request, key: str) -> SignedIn:
    runtime = _runtime(request)
    principal = await authenticate(runtime, key)
    known = await describe_caller(runtime, principal)
    if known.client_id is not None:
        raise Forbidden("This is the access of an app. Sign in with an API key.")
    return SignedIn(principal, known)


async def _sign_in(request: Request, asked: Asked, form: FormData) -> Response:
    given = _text(form, "key").strip()
    held = _held(request).find(_text(form, "held"))
    key = given or (held.key if held else "")
    try:
        if not key:
            raise Unauthenticated("Enter an API key.")
        await _signed_in(request, key)
    except (Unauthenticated, Forbidden) as refused:
        return _sign_in_page(request, asked, refused)
    return _answer(request, asked, Visit(csrf=asked.visit.csrf, key=key), _back(asked))


async def _approve(request: Request, asked: Asked, form: FormData) -> Response:
    if asked.visit.key is None:
        raise Unauthenticated("Sign in first.")
    principal = (await _signed_in(request, asked.visit.key)).principal
    try:
        agent = _name(form, "agent")
        user = _name(form, "user") if _text(form, "user").strip() else None
    except InvalidInput as error:
        return await _next_step(request, asked, error)
    params = asked.request.params
    binding = CodeBinding(
        client_id=asked.client.id,
        granted_by=principal.key_id,
        challenge=params.code_challenge,
        redirect_uri=str(params.redirect_uri),
        redirect_uri_given=params.redirect_uri_provided_explicitly,
    )
    scopes = [scope for scope in form.getlist("scope") if isinstance(scope, str)]
    try:
        code = await approve(_runtime(request), principal, asked.client, binding, agent, scopes, user=user)
    except (InvalidInput, Forbidden) as error:
        return await _next_step(request, asked, error)
    return _answer(request, asked, None, _redirect(asked, code=code))


def _sign_in_page(request: Request, asked: Asked, error: ReverieError | None) -> Response:
    held = [one.described() for one in _held(request).keys]
    return _page(request, asked, "sign_in", error, held_keys=held)


async def _consent_page(request: Request, asked: Asked, signed_in: SignedIn, error: ReverieError | None) -> Response:
    principal = signed_in.principal
    wanted = asked.request.params.scopes
    offered = grantable_scopes(principal, wanted) or grantable_scopes(principal)
    agents, _ = await list_agents(_runtime(request), principal, limit=AGENTS_LISTED, cursor=None)
    name = await name_in_workspace(_runtime(request), principal.workspace_id, asked.client)
    asked = replace(asked, client=replace(asked.client, name=name))
    return _page(
        request, asked, "consent", error,
        key_name=signed_in.known.name,
        workspace=signed_in.known.workspace,
        own_agent=principal.agent,
        own_user=principal.user,
        agent=agents[0].agent if len(agents) == 1 else "",
        agents=[one.agent for one in agents],
        scopes=[
            {"name": scope, "text": SCOPE_TEXTS[scope], "chosen": scope in (wanted or CHOSEN_UNASKED)}
            for scope in offered
        ],
    )  # fmt: skip


def _page(request: Request, asked: Asked, name: str, error: ReverieError | None, **values: Any) -> Response:
    uri = str(asked.request.params.redirect_uri)
    response = page(
        name, problem_response(error).status_code if error else 200,
        redirect_uri=uri, action=CONSENT_PATH, request=asked.sealed, csrf=asked.visit.csrf,
        client=asked.client.name, destination=shown_destination(uri), error=error.message if error else None,
        **values,
    )  # fmt: skip
    return _answer(request, asked, asked.visit, response)


def _answer(request: Request, asked: Asked, visit: Visit | None, response: Response) -> Response:
    """Return the response, with the visit in its cookie; None ends it."""
    secure = asked.request.base.startswith("https:")
    if visit is None:
        response.delete_cookie(COOKIE, path=CONSENT_PATH, httponly=True, samesite="strict", secure=secure)
    else:
        value = seal_of(request).close(visit)
        response.set_cookie(
            COOKIE, value, max_age=SEALED_S, path=CONSENT_PATH, httponly=True, samesite="strict", secure=secure
        )
    return response


def _back(asked: Asked) -> Response:
    return _see_other(f"{CONSENT_PATH}?request={asked.sealed}")


def _redirect(asked: Asked, **answer: str) -> Response:
    """Back to the client, with ``iss`` (RFC 9207)."""
    params = asked.request.params
    uri = construct_redirect_uri(str(params.redirect_uri), **answer, state=params.state, iss=asked.request.base)
    return _see_other(uri)


def _see_other(url: str) -> Response:
    return RedirectResponse(url, 303, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def _refused(error: ReverieError) -> Response:
    answer = problem_response(error)
    refusal = message(answer.status_code, "This does not work", error.message)
    if "retry-after" in answer.headers:
        refusal.headers["Retry-After"] = answer.headers["retry-after"]
    return refusal


def _held(request: Request) -> BrowserSession:
    """Return the keys of this browser's session of the Studio."""
    return session_cookie_of(request).open(dict(request.scope["headers"]))


def _runtime(request: Request) -> Runtime:
    runtime: Runtime = request.app.state.runtime
    return runtime


def _name(form: FormData, field: str) -> str:
    """Raises InvalidInput for what is no name."""
    try:
        return _NAME.validate_python(_text(form, field).strip())
    except ValidationError:
        raise InvalidInput(("body", field), f"Name the {field}: 1 to 200 printable characters.") from None


def _text(form: FormData, field: str) -> str:
    value = form.get(field)
    return value if isinstance(value, str) else ""


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
        """Return the routes. They use ``app.state.runtime``, ``session_cookie`` and ``seal``, a Seal."""
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
            Route(CONSENT_PATH, show, methods=["GET"]),
            Route(CONSENT_PATH, decide, methods=["POST"]),
        ]

    def challenging(self, app: ASGIApp) -> ASGIApp:
        """Return the app, whose answers 401 say where the metadata of the resource are."""
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
        runtime, host = request.app.state.runtime, request.client.host if request.client else None
        base = self._base_of(request)
        return Provider(runtime, request.app.state.seal, base, lambda: self._registrations.note(host, runtime.now()))

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
        """Return the SDK's handler wants a secret, be it empty, which public clients do not send."""
        provider = self._provider(request)
        body = await request.body() + b"&client_secret="

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        handler = RevocationHandler(provider, ClientAuthenticator(provider))
        return await handler.handle(Request(request.scope, receive))

    def _is_for_us(self, request: Request, resources: list[Any]) -> bool:
        """Return whether a token is asked for this server alone (RFC 8707), or for no server by name."""
        own = self._base_of(request) + MCP_PATH
        return all(isinstance(one, str) and one.removesuffix("/") == own for one in resources)


def _open_to_pages(path: str, handler: Handler, method: str) -> Route:
    return Route(path, endpoint=cors_middleware(handler, [method, "OPTIONS"]), methods=[method, "OPTIONS"])


def _not_authorized(error: str, description: str, *, link: str | None = None) -> Response:
    status = 503 if error in ("server_error", "temporarily_unavailable") else 400
    return message(status, "The app cannot connect", f"{error}: {description}", link=link)
