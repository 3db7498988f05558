"""Who has signed in: keys of browser sessions, in the memory of this process alone.

The browser holds a signed cookie with a random session id, never a key. Signing in renews the id (against session
fixation): pages check a key over their websocket, which cannot set a cookie, so they get a code that opens the session
with the next request. An id that has signed out opens nothing. After a restart, or half a day without a visit, one
signs in again.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import uuid4
from weakref import WeakSet

import httpx
from nicegui import Client, app, ui

from reverie_client import AsyncReverie
from reverie_client.models import Whoami
from service.studio.components import ENDED

IDLE_S = 12 * 3600
SESSIONS_MAX = 1000
CODE_S = 60.0
CODES_MAX = 1000
Theme = Literal["auto", "light", "dark"]


@dataclass(slots=True)
class SignedInKey:
    """A key that somebody has signed in with, and what it opens. ``agent``: whose memories are looked at."""

    reverie: AsyncReverie
    who: Whoami
    agent: str | None


@dataclass(slots=True)
class BrowserSession:
    """One browser session: the keys it holds, one per workspace and role, the one in use, and its open pages."""

    held: list[SignedInKey] = field(default_factory=list)
    current: int = 0
    theme: Theme = "auto"
    seen: float = field(default_factory=time.monotonic)
    pages: WeakSet[Client] = field(default_factory=WeakSet)

    @property
    def key(self) -> SignedInKey | None:
        """The key in use."""
        return self.held[self.current] if self.held else None


@dataclass(frozen=True, slots=True)
class Admission:
    """A checked key on its way into the session of the browser that gave it."""

    held: SignedInKey
    browser: str
    expires: float


class BrowserSessions:
    """All browser sessions that have signed in."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._visits: dict[str, BrowserSession] = {}
        self._admissions: dict[str, Admission] = {}

    def current(self) -> BrowserSession:
        """The session of the request or event being served."""
        now = time.monotonic()
        visit = self._visits.get(_browser())
        if visit is None or now - visit.seen > IDLE_S:
            visit = BrowserSession()
        visit.seen = now
        return visit

    async def admit(self, key: str) -> str:
        """A code with which this browser, once and within a minute, signs in with the key. Raises APIError for a key
        that opens nothing."""
        reverie = AsyncReverie(api_key=key, http=self._http)
        who = await reverie.whoami()
        now = time.monotonic()
        self._admissions = {code: one for code, one in self._admissions.items() if one.expires > now}
        while len(self._admissions) >= CODES_MAX:
            del self._admissions[next(iter(self._admissions))]
        code = secrets.token_urlsafe(32)
        self._admissions[code] = Admission(SignedInKey(reverie, who, who.agent), _browser(), now + CODE_S)
        return code

    def sign_in(self, code: str) -> bool:
        """Take the key of a code into the session, under a new id. Returns False, and changes nothing, for a code that
        is unknown, too old or another browser's. For a request whose response is still to come."""
        admission = self._admissions.pop(code, None)
        if admission is None or admission.expires <= time.monotonic() or admission.browser != _browser():
            return False
        visit = self.current()
        self._visits.pop(_browser(), None)
        visit.held = [held for held in visit.held if held.who.key_id != admission.held.who.key_id]
        visit.held.append(admission.held)
        visit.current = len(visit.held) - 1
        app.storage.browser["id"] = str(uuid4())
        self._keep(visit)
        return True

    def sign_out(self, visit: BrowserSession) -> None:
        """Forget every key of a session, and send its pages to where one signs in."""
        self.forget(visit)
        for page in list(visit.pages):
            page.open("/sign-in" if page is ui.context.client else ENDED)

    def forget(self, visit: BrowserSession) -> None:
        """Forget every key of a session: a page of it that is still open, or comes back, has none to act with."""
        for held in visit.held:
            held.reverie.options = replace(held.reverie.options, api_key=None)
        self._visits = {id_: one for id_, one in self._visits.items() if one is not visit}

    def _keep(self, visit: BrowserSession) -> None:
        now = time.monotonic()
        self._visits = {id_: one for id_, one in self._visits.items() if now - one.seen <= IDLE_S}
        while len(self._visits) >= SESSIONS_MAX:
            del self._visits[min(self._visits, key=lambda id_: self._visits[id_].seen)]
        self._visits[_browser()] = visit


def _browser() -> str:
    """The id in the signed cookie."""
    return str(app.storage.browser["id"])
