"""Who has signed in: keys of browser sessions, in the memory of this process alone.

The browser holds a signed cookie with a random id, never a key. After a restart, or half a day without a visit, one
signs in again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

import httpx
from nicegui import app

from service.clients import AsyncReverie
from service.clients.models import Whoami

IDLE_S = 12 * 3600
VISITS_MAX = 1000
Theme = Literal["auto", "light", "dark"]


@dataclass(slots=True)
class Held:
    """A key that somebody has signed in with, and what it opens. ``agent``: whose memories are looked at."""

    reverie: AsyncReverie
    who: Whoami
    agent: str | None


@dataclass(slots=True)
class Visit:
    """One browser session: the keys it holds, one per workspace and role, and the one in use."""

    held: list[Held] = field(default_factory=list)
    current: int = 0
    theme: Theme = "auto"
    seen: float = field(default_factory=time.monotonic)

    @property
    def key(self) -> Held | None:
        """The key in use."""
        return self.held[self.current] if self.held else None


class Visits:
    """All browser sessions that have signed in."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._visits: dict[str, Visit] = {}

    def current(self) -> Visit:
        """The session of the request or event being served."""
        now = time.monotonic()
        visit = self._visits.get(_browser())
        if visit is None or now - visit.seen > IDLE_S:
            visit = Visit()
        visit.seen = now
        return visit

    async def sign_in(self, key: str) -> Held:
        """Take a key into the session. Raises APIError for one that opens nothing."""
        reverie = AsyncReverie(api_key=key, http=self._http)
        who = await reverie.whoami()
        visit = self.current()
        visit.held = [held for held in visit.held if held.who.key_id != who.key_id]
        visit.held.append(Held(reverie, who, who.agent))
        visit.current = len(visit.held) - 1
        self._keep(visit)
        return visit.held[-1]

    def sign_out(self) -> None:
        """Forget every key of the session."""
        self._visits.pop(_browser(), None)

    def _keep(self, visit: Visit) -> None:
        now = time.monotonic()
        self._visits = {id_: one for id_, one in self._visits.items() if now - one.seen <= IDLE_S}
        while len(self._visits) >= VISITS_MAX:
            del self._visits[min(self._visits, key=lambda id_: self._visits[id_].seen)]
        self._visits[_browser()] = visit


def _browser() -> str:
    """The id in the signed cookie."""
    return str(app.storage.browser["id"])
