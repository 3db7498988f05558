"""Pages that follow what changes while one looks at them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import httpx
from nicegui import background_tasks, ui

from reverie_client import AsyncReverie, NotAuthenticated, ReverieClientError
from service.studio.components import notify_error

TICK_S = 0.5
POLL_S = 2.0
"""Without a stream of events, how often to look."""
IDLE_POLL_S = 15.0
"""With one, how often to look for what it does not tell."""
RECONNECT_S = 5.0


def refresh_on_events(
    reverie: AsyncReverie, refresh: Callable[[], Awaitable[None]], untold_s: float = IDLE_POLL_S
) -> None:
    """Call ``refresh`` whenever something has happened, for as long as the page is open.

    ``untold_s``: how often to look all the same, for what no event tells. A look that fails is made again.
    """
    events = Events(reverie)
    reading = background_tasks.create(events.read())
    client = ui.context.client
    client.on_delete(reading.cancel)
    looked = time.monotonic()

    async def tick() -> None:
        nonlocal looked
        due = time.monotonic() - looked >= (untold_s if events.connected else POLL_S)
        if not client.has_socket_connection or not (due or events.something_happened):
            return
        events.something_happened = False
        try:
            await refresh()
        except NotAuthenticated as error:
            notify_error(error)
        except ReverieClientError:
            return
        finally:
            looked = time.monotonic()

    ui.timer(TICK_S, tick, immediate=False)


class Events:
    """The API's stream of events, as far as a page cares: that something has happened.

    Something may have while nobody read, so a stream that begins counts as well.
    """

    def __init__(self, reverie: AsyncReverie) -> None:
        self._reverie = reverie
        self.connected = False
        self.something_happened = False

    async def read(self) -> None:
        """Read for as long as there is something to read; a stream that breaks off is opened again."""
        may_go_on = True
        while may_go_on:
            may_go_on = await self._read_once()
            await asyncio.sleep(RECONNECT_S)

    async def _read_once(self) -> bool:
        reverie = self._reverie
        try:
            async with reverie.http.stream(
                "GET", "/v1/events", headers=reverie.options.own(), timeout=httpx.Timeout(60, read=None)
            ) as response:
                self.connected = self.something_happened = response.is_success
                if not response.is_success:
                    return response.is_server_error or response.status_code == httpx.codes.TOO_MANY_REQUESTS
                async for line in response.aiter_lines():
                    self.something_happened |= line.startswith("data:")
        except httpx.TransportError:
            pass
        finally:
            self.connected = False
        return True
