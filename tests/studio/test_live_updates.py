"""Pages hear of what happens from the stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reverie_client import AsyncReverie
from service.studio.live_updates import Events
from tests.live_api import Api

WITHIN_S = 180


async def until(so: Callable[[], bool]) -> None:
    """Wait for something that happens by itself; raises TimeoutError when it does not."""
    async with asyncio.timeout(WITHIN_S):
        while not so():  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.02)


async def test_what_somebody_saves_is_told(api: Api) -> None:
    async with AsyncReverie(str(api.http.base_url), api.key, agent="ada") as reverie:
        events = Events(reverie)
        reading = asyncio.create_task(events.read())
        try:
            await until(lambda: events.connected)
            assert events.something_happened
            events.something_happened = False
            await reverie.save_memory("fact", "The ferry leaves at nine")
            await until(lambda: events.something_happened)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
        assert not events.connected
