"""Sign-in to the Studio by OpenID Connect: settings, what the provider's claims grant, and the addresses of the flow.

OpenID Connect Core 1.0, sections 3.1.2 to 3.1.3.7, Discovery 1.0 and RP-Initiated Logout 1.0; PKCE by RFC 7636. A
sign-in ends with a key of its own, which the browser's session holds.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import html
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import httpx
import jwt
import structlog
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from service.domain.principal import KeyGrant, KeyRole, KeyScope
from service.domain.validation import explain
from service.errors import InvalidInput, ReverieError, WorkspaceSuspended
from service.memory.access import audit
from service.memory.access.keys import add_key, authenticate, describe_caller, revoke_subject
from service.provider import trust
from service.runtime import Runtime
from service.sealed_tokens import SEALED_S, seal_of
from service.settings import Settings, is_web_address
from service.store import workspaces
from service.studio import IDLE_S, SECURITY_HEADERS, SIGNED_IN, BrowserSession, HeldKey, SessionCookie
from service.studio import PATH as STUDIO

DEFAULT_NAME = "default"
ANYBODY = "*"
"""The group of everybody whom the provider knows."""


class Grant(BaseModel):
    """What the members of a group get: a key of ``role`` in ``workspace``, for ``agent`` alone where that is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: KeyRole
    workspace: str = Field(DEFAULT_NAME, min_length=1, max_length=200, description="Its name or id.")
    agent: str | None = Field(None, min_length=1, max_length=200)
    scopes: frozenset[KeyScope] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Grant:
        if (self.role == "agent") != (self.agent is not None) and self.role != "reader":
            raise ValueError("a grant of role `agent` names its agent, one of role `admin` none")
        return self


def grant_for(claims: Mapping[str, Any], claim: str, grants: Mapping[str, Grant]) -> Grant | None:
    """Return the first grant, in the order of the setting, whose group the claim names; None where none does."""
    value = claims.get(claim)
    named = value if isinstance(value, list) else [value]
    groups = {one for one in named if isinstance(one, str)}
    return next((grant for group, grant in grants.items() if group == ANYBODY or group in groups), None)


_GRANTS = TypeAdapter(dict[str, Grant])


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """``claim`` names the groups of a user, ``grants`` what each gets, the first that fits first. ``secret`` None: a
    public client. ``name`` is what the Studio calls the provider."""

    issuer: str
    client_id: str
    secret: str | None
    scopes: str
    claim: str
    grants: Mapping[str, Grant]
    name: str


def oidc_settings(settings: Settings) -> OidcSettings | None:
    """Return what is set; None where nothing is. Raises InvalidInput, which names variable and field."""
    given = settings.oidc
    if given is None:
        return None
    try:
        grants = _GRANTS.validate_python(given.grants)
    except ValidationError as error:
        raise InvalidInput(("REVERIE_OIDC", "grants"), explain(error, "REVERIE_OIDC.grants")) from None
    return OidcSettings(
        given.issuer, given.client_id, given.client_secret, given.scopes, given.claim, grants, given.name
    )


ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric ones alone: a public key must never pass for a shared secret."""
LEEWAY_S = 60
TIMEOUT_S = 10.0
ANSWER_BYTES_MAX = 512 * 1024
DOCUMENT_S = 3_600
"""For which a discovery document and its keys are used."""
NEVER = float("-inf")
KEYS_AGAIN_S = 30
"""Between two looks for a key that the provider did not have: a forged token must not make it one request each."""


class ProviderUnavailable(ReverieError):
    """The provider does not answer, or not as the specification says."""


class TokenRefused(ReverieError):
    """The provider refuses the code, or its ID token does not hold."""


class Provider:
    """``issuer``: its address, as its tokens name it. ``secret`` None: a public client, which PKCE alone protects."""

    def __init__(self, issuer: str, client_id: str, secret: str | None) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._secret = secret
        self._document: dict[str, Any] = {}
        self._document_at = NEVER
        self._keys: jwt.PyJWKSet | None = None
        self._keys_at = NEVER
        self._looked_again_at = NEVER

    async def authorization_url(self, redirect_uri: str, scopes: str, state: str, nonce: str, verifier: str) -> str:
        """Return where the user signs in. Raises ProviderUnavailable."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": redirect_uri,
                "scope": scopes,
                "state": state,
                "nonce": nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        return _with_query(await self._endpoint("authorization_endpoint"), query)

    async def end_session_url(self, back: str) -> str | None:
        """Return where the user's session at the provider ends, which then sends the browser to ``back``; None where
        the provider has no such address. Raises ProviderUnavailable."""
        address = (await self._discovered()).get("end_session_endpoint")
        if not isinstance(address, str) or not is_web_address(address):
            return None
        return _with_query(address, urlencode({"client_id": self._client_id, "post_logout_redirect_uri": back}))

    async def claims(self, code: str, redirect_uri: str, nonce: str, verifier: str) -> dict[str, Any]:
        """Return the claims of the user whom a code stands for. Raises ProviderUnavailable, TokenRefused."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": self._client_id,
            "code_verifier": verifier,
        }
        auth = None if self._secret is None else httpx.BasicAuth(self._client_id, self._secret)
        answer = await self._ask("POST", await self._endpoint("token_endpoint"), data=form, auth=auth)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise TokenRefused("The provider gave no ID token.")
        claims = await self._verified(token)
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise TokenRefused("The ID token belongs to another sign-in.")
        return claims

    async def _verified(self, token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise TokenRefused("The ID token is not signed by a key pair.")
            key = await self._signing_key(header.get("kid"))
            claims: dict[str, Any] = jwt.decode(
                token, key, algorithms=[header["alg"]], audience=self._client_id, issuer=self._issuer, leeway=LEEWAY_S,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            raise TokenRefused(f"The ID token does not hold: {error}") from None
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != self._client_id:
            raise TokenRefused("The ID token was made for another client.")
        return claims

    async def _signing_key(self, kid: str | None) -> jwt.PyJWK:
        """Return the key of this id. One that is not known may be new: the keys are read again, but not for each
        token."""
        now = time.monotonic()
        if self._keys_at < now - DOCUMENT_S:
            await self._read_keys()
        found = self._find(kid)
        if found is None and self._looked_again_at < now - KEYS_AGAIN_S:
            self._looked_again_at = now
            await self._read_keys()
            found = self._find(kid)
        if found is None:
            raise TokenRefused("The ID token is signed by a key that the provider does not name.")
        return found

    def _find(self, kid: str | None) -> jwt.PyJWK | None:
        keys = [key for key in (self._keys.keys if self._keys else ()) if key.public_key_use in (None, "sig")]
        if kid is None:
            return keys[0] if len(keys) == 1 else None
        return next((key for key in keys if key.key_id == kid), None)

    async def _read_keys(self) -> None:
        answer = await self._ask("GET", await self._endpoint("jwks_uri"))
        try:
            self._keys = jwt.PyJWKSet.from_dict(answer)
        except jwt.PyJWTError as error:
            raise ProviderUnavailable(f"The provider's keys cannot be read: {error}") from None
        self._keys_at = time.monotonic()

    async def _endpoint(self, name: str) -> str:
        found = (await self._discovered()).get(name)
        if not isinstance(found, str):
            raise ProviderUnavailable(f"The provider names no {name}.")
        return found

    async def _discovered(self) -> dict[str, Any]:
        if self._document_at < time.monotonic() - DOCUMENT_S:
            address = f"{self._issuer.removesuffix('/')}/.well-known/openid-configuration"
            document = await self._ask("GET", address)
            if document.get("issuer") != self._issuer:
                raise ProviderUnavailable(f"The provider at {self._issuer} names itself otherwise.")
            self._document, self._document_at = document, time.monotonic()
        return self._document

    async def _ask(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            async with httpx.AsyncClient(verify=trust(), timeout=TIMEOUT_S, follow_redirects=False) as client:
                response = await client.request(method, address, **options)
                if len(response.content) > ANSWER_BYTES_MAX:
                    raise ProviderUnavailable(f"The provider answers with more than {ANSWER_BYTES_MAX:,} bytes.")
                answer = response.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ProviderUnavailable(f"The provider does not answer: {type(error).__name__}") from None
        if method == "POST" and response.is_client_error:
            raise TokenRefused("The provider refuses the code.")
        if not response.is_success or not isinstance(answer, dict):
            raise ProviderUnavailable(f"The provider answers with status {response.status_code}.")
        return answer


def _with_query(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}"


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
    """``public_url``: where browsers reach this server; None: as the request names it. ``runtime`` and ``cookie`` give
    those of the running app."""

    def __init__(
        self,
        settings: OidcSettings,
        public_url: str | None,
        runtime: Callable[[], Runtime],
        cookie: Callable[[], SessionCookie],
    ) -> None:
        self._settings = settings
        self._public_url = public_url
        self._provider = Provider(settings.issuer, settings.client_id, settings.secret)
        self._runtime = runtime
        self._cookie = cookie

    def routes(self) -> list[BaseRoute]:
        """Return where a browser is sent to the provider, and where it comes back."""
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
        """Return a new key of its own for a browser; None where there is no workspace for it."""
        runtime = self._runtime()
        async with runtime.db.unscoped() as connection:
            workspace = await workspaces.get(connection, grant.workspace)
        if workspace is None:
            return None
        expires_at = runtime.now() + timedelta(seconds=IDLE_S)
        granted = KeyGrant(grant.role, name, grant.agent, grant.scopes, expires_at, subject=subject)
        _, key = await add_key(runtime, workspace.id, granted)
        try:
            principal = await authenticate(runtime, key)
        except WorkspaceSuspended:
            return None
        who = await describe_caller(runtime, principal)
        async with runtime.db.transaction(principal.workspace_id) as connection:
            await audit.record(connection, principal, "key.created", target=str(principal.key_id), details={"by": name})
        return HeldKey(str(principal.key_id), key, name, grant.role, who.workspace, grant.agent, single_sign_on=True)

    async def _revoke_exceeding(self, subject: str, grant: Grant | None) -> None:
        """Revoke the keys of whoever signs in, and those made with them, that exceed what their groups give them."""
        runtime = self._runtime()
        async with runtime.db.unscoped() as connection:
            named = {one.workspace for one in self._settings.grants.values()}
            found = {name: await workspaces.get(connection, name) for name in sorted(named)}
        given = None if grant is None else found[grant.workspace]
        for workspace in {one.id for one in found.values() if one is not None}:
            most = None
            if grant is not None and given is not None and given.id == workspace:
                most = KeyGrant(grant.role, "", grant.agent, grant.scopes)
            await revoke_subject(runtime, workspace, subject, most)

    async def end_session(self, request: Request) -> str | None:
        """Return where a browser that has signed out here also ends its session at the provider, and comes back to the
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
    """Return an address of the Studio; its first page for any other, so that nobody is sent to a foreign host."""
    parts = urlsplit(asked)
    own = not parts.scheme and not parts.netloc and parts.path.startswith(f"{STUDIO}/") and "\\" not in asked
    return asked if own and asked.isprintable() else f"{STUDIO}/"


def _name(claims: Mapping[str, Any]) -> str:
    """Return the name of a key: whose it is, as the provider says, without what is no printable text."""
    named = (claims.get(claim) for claim in ("email", "preferred_username", "sub"))
    who = next((name for name in named if isinstance(name, str) and name), "")
    return f"oidc: {''.join(filter(str.isprintable, who))}"[:NAME_CHARS_MAX]


def _subject(issuer: str, claims: Mapping[str, Any]) -> str:
    """Return what tells whose sign-in a key comes from: a digest, as the provider's identifier may be an address."""
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
