"""The keys of a browser session, sealed in one cookie, and how that cookie authenticates calls of ``/v1``.

The cookie is HttpOnly and SameSite=Strict, and holds the keys encrypted (AES-256-GCM) with a secret of the
installation: no script reads them, and neither a restart nor a second process ends a session. It authenticates a call
only when the call carries no ``Authorization``, names one of the keys in the header X-Reverie-Studio, and comes from a
page of the same origin. A form cannot send that header, and a script of another origin only after a preflight, which
is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

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
        """All but the key itself."""
        return {name: value for name, value in asdict(self).items() if name != "key"}


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """The keys that a browser holds, the last one signed in with last."""

    keys: tuple[HeldKey, ...] = ()

    def with_key(self, key: HeldKey) -> BrowserSession:
        """With one key more; a key of the same id is replaced."""
        return BrowserSession((*self.without(key.id).keys, key))

    def without(self, key_id: str) -> BrowserSession:
        """Without that key."""
        return replace(self, keys=tuple(held for held in self.keys if held.id != key_id))

    def find(self, key_id: str) -> HeldKey | None:
        """The key of this id."""
        return next((held for held in self.keys if held.id == key_id), None)


class SessionCookie:
    """Seals sessions into cookies. ``secret``: 32 bytes, the same in every process of an installation."""

    def __init__(self, secret: bytes) -> None:
        self._cipher = AESGCM(secret)

    def seal(self, session: BrowserSession) -> str:
        """The value of the cookie. Keys that do not fit are left out, the oldest first."""
        while True:
            plain = json.dumps({"until": time.time() + IDLE_S, "keys": [asdict(held) for held in session.keys]})
            nonce = os.urandom(_NONCE_BYTES)
            sealed = nonce + self._cipher.encrypt(nonce, plain.encode(), _CONTEXT)
            value = base64.urlsafe_b64encode(sealed).decode()
            if len(value) <= COOKIE_CHARS_MAX or len(session.keys) <= 1:
                return value
            session = replace(session, keys=session.keys[1:])

    def open(self, headers: Mapping[bytes, bytes], name: str = COOKIE) -> BrowserSession:
        """The session that the cookie of this name holds; an empty one where that is missing, forged, damaged or too
        old."""
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
    """The cookie's seal of the running app."""
    cookie: SessionCookie = request.app.state.session_cookie
    return cookie


def is_own_page(scope: Scope) -> bool:
    """Whether a request was sent by a script of a page of the same origin: it names the header, and comes from nowhere
    else by what the browser says of it."""
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
