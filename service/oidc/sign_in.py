"""Where a sign-in by OpenID Connect begins and ends: with a key of its own, which the browser's session holds."""

from __future__ import annotations

import asyncio
import hashlib
import html
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from service.domain.principal import KeyGrant
from service.errors import WorkspaceSuspended
from service.memory.access import audit
from service.memory.access.keys import add_key, authenticate, describe_caller, revoke_subject
from service.memory.engine import Engine
from service.oidc.grants import Grant, grant_for
from service.oidc.provider import Provider, ProviderUnavailable, TokenRefused
from service.oidc.settings import OidcSettings
from service.sealing import SEALED_S, seal_of
from service.store import workspaces
from service.studio.endpoint import PATH as STUDIO
from service.studio.endpoint import SECURITY_HEADERS
from service.studio.session_cookie import IDLE_S, SIGNED_IN, BrowserSession, HeldKey, SessionCookie

START: Final = f"{STUDIO}/oidc/start"
CALLBACK: Final = f"{STUDIO}/oidc/callback"
FLOW: Final = "reverie_oidc"
"""The cookie of a sign-in under way. SameSite=Lax: the provider's redirect comes from another site."""
CLAIMED_S: Final = 60
"""For the Studio's page to take over the key."""
NAME_CHARS_MAX: Final = 200
END_SESSION_S: Final = 3.0
"""For the provider to say where its own session ends."""

log = structlog.get_logger()


def _random() -> str:
    return secrets.token_urlsafe(32)


class SignInFlow(BaseModel):
    """A sign-in under way, in its browser alone."""

    state: str = Field(default_factory=_random)
    nonce: str = Field(default_factory=_random)
    verifier: str = Field(default_factory=_random)
    back: str


class OidcSignIn:
    """``public_url``: where browsers reach this server; None: as the request names it. ``engine`` and ``cookie`` give
    those of the running app."""

    def __init__(
        self,
        settings: OidcSettings,
        public_url: str | None,
        engine: Callable[[], Engine],
        cookie: Callable[[], SessionCookie],
    ) -> None:
        self._settings = settings
        self._public_url = public_url
        self._provider = Provider(settings.issuer, settings.client_id, settings.secret)
        self._engine = engine
        self._cookie = cookie

    def routes(self) -> list[BaseRoute]:
        """Where a browser is sent to the provider, and where it comes back."""
        return [Route(START, self.start, methods=["GET"]), Route(CALLBACK, self.callback, methods=["GET"])]

    async def start(self, request: Request) -> Response:
        """Send the browser to the provider. Query ``back``: the page of the Studio to return to."""
        flow = SignInFlow(back=_own_page(request.query_params.get("back", "")))
        try:
            address = await self._provider.authorization_url(
                self._redirect_uri(request), self._settings.scopes, flow.state, flow.nonce, flow.verifier
            )
        except ProviderUnavailable as error:
            return _failed(503, error.message)
        response = RedirectResponse(address, 303, {"Cache-Control": "no-store"})
        _set(response, request, FLOW, seal_of(request).close(flow), SEALED_S)
        return response

    async def callback(self, request: Request) -> Response:
        """Take the code that the provider gave, and leave a key with the browser."""
        flow = seal_of(request).open(request.cookies.get(FLOW, ""), SignInFlow)
        given = request.query_params
        if flow is None or not secrets.compare_digest(given.get("state", "").encode(), flow.state.encode()):
            return _failed(400, "This sign-in was not begun in this browser, or too long ago.")
        if "code" not in given:
            reason = given.get("error_description") or given.get("error") or "The provider sent no code."
            return _failed(403, reason[:500])
        try:
            claims = await self._provider.claims(given["code"], self._redirect_uri(request), flow.nonce, flow.verifier)
        except ProviderUnavailable as error:
            return _failed(503, error.message)
        except TokenRefused as error:
            log.warning("oidc_token_refused", reason=error.message)
            return _failed(403, error.message)
        grant = grant_for(claims, self._settings.claim, self._settings.grants)
        subject = _subject(self._settings.issuer, claims)
        await self._revoke_exceeding(subject, grant)
        if grant is None:
            return _failed(403, "None of your groups may use this Studio.")
        held = await self._key(grant, _name(claims), subject)
        if held is None:
            return _failed(403, "The workspace that your group is granted does not exist, or is suspended.")
        response = RedirectResponse(flow.back, 303, {"Cache-Control": "no-store"})
        response.delete_cookie(FLOW, path=STUDIO)
        _set(response, request, SIGNED_IN, self._cookie().seal(BrowserSession((held,))), CLAIMED_S)
        return response

    async def _key(self, grant: Grant, name: str, subject: str) -> HeldKey | None:
        """A new key of its own for a browser; None where there is no workspace for it."""
        engine = self._engine()
        async with engine.db.unscoped() as connection:
            workspace = await workspaces.get(connection, grant.workspace)
        if workspace is None:
            return None
        expires_at = engine.now() + timedelta(seconds=IDLE_S)
        granted = KeyGrant(grant.role, name, grant.agent, grant.scopes, expires_at, subject=subject)
        _, key = await add_key(engine, workspace.id, granted)
        try:
            principal = await authenticate(engine, key)
        except WorkspaceSuspended:
            return None
        who = await describe_caller(engine, principal)
        async with engine.db.transaction(principal.workspace_id) as connection:
            await audit.record(connection, principal, "key.created", target=str(principal.key_id), details={"by": name})
        return HeldKey(str(principal.key_id), key, name, grant.role, who.workspace, grant.agent, single_sign_on=True)

    async def _revoke_exceeding(self, subject: str, grant: Grant | None) -> None:
        """Revoke the keys of whoever signs in, and those made with them, that exceed what their groups give them."""
        engine = self._engine()
        async with engine.db.unscoped() as connection:
            named = {one.workspace for one in self._settings.grants.values()}
            found = {name: await workspaces.get(connection, name) for name in sorted(named)}
        given = None if grant is None else found[grant.workspace]
        for workspace in {one.id for one in found.values() if one is not None}:
            most = None
            if grant is not None and given is not None and given.id == workspace:
                most = KeyGrant(grant.role, "", grant.agent, grant.scopes)
            await revoke_subject(engine, workspace, subject, most)

    async def end_session(self, request: Request) -> str | None:
        """Where a browser that has signed out here also ends its session at the provider, and comes back to the
        Studio; None where there is no such address, or the provider does not name it within a few seconds."""
        try:
            async with asyncio.timeout(END_SESSION_S):
                return await self._provider.end_session_url(f"{self._base(request)}{STUDIO}/")
        except (ProviderUnavailable, TimeoutError) as error:
            log.warning("oidc_session_left_open", reason=type(error).__name__)
            return None

    def _redirect_uri(self, request: Request) -> str:
        return f"{self._base(request)}{CALLBACK}"

    def _base(self, request: Request) -> str:
        return self._public_url or f"{request.url.scheme}://{request.url.netloc}"


def _own_page(asked: str) -> str:
    """An address of the Studio; its first page for any other, so that nobody is sent to a foreign host."""
    parts = urlsplit(asked)
    own = not parts.scheme and not parts.netloc and parts.path.startswith(f"{STUDIO}/") and "\\" not in asked
    return asked if own and asked.isprintable() else f"{STUDIO}/"


def _name(claims: Mapping[str, Any]) -> str:
    """The name of a key: whose it is, as the provider says, without what is no printable text."""
    named = (claims.get(claim) for claim in ("email", "preferred_username", "sub"))
    who = next((name for name in named if isinstance(name, str) and name), "")
    return f"oidc: {''.join(filter(str.isprintable, who))}"[:NAME_CHARS_MAX]


def _subject(issuer: str, claims: Mapping[str, Any]) -> str:
    """What tells whose sign-in a key comes from: a digest, as the provider's identifier may be an address."""
    return hashlib.sha256(f"{issuer}\n{claims['sub']}".encode("utf-8", "surrogatepass")).hexdigest()


def _set(response: Response, request: Request, name: str, value: str, seconds: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, path=STUDIO, httponly=True, samesite="lax", secure=secure)


def _failed(status: int, reason: str) -> Response:
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in failed</title>'
        f"<h1>Sign-in failed</h1><p>{html.escape(reason)}</p>"
        f'<p><a href="{STUDIO}/">Back to the Studio</a>, where you can also sign in with a key.</p>'
    )
    headers = {name.decode(): value.decode() for name, value in SECURITY_HEADERS}
    return HTMLResponse(page, status, headers | {"Cache-Control": "no-store"})
