"""LISTEN on a connection of its own: a hint that there is work, never the only way to learn of it.

Behind a pooler in transaction mode nothing is ever heard, so whoever listens also looks from time to time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import asyncpg
import structlog

from service.db.connectivity import ConnectionMode, detect_pooler
from service.errors import Unavailable

log = structlog.get_logger(__name__)

RECONNECT_S = 5.0
DUE = "reverie_due"
"""Some agent is due."""
EVENTS = "reverie_events"
"""Events have been written in the workspace that the notification names."""


async def listen(url: str, channels: Mapping[str, Callable[[str], None]]) -> None:
    """Call what stands beside a channel with every notification of it, and with an empty one for each connection made,
    until cancelled. Ends at once behind a pooler."""
    while True:
        try:
            if await detect_pooler(url) is not ConnectionMode.DIRECT:
                log.info("listen_unavailable", error="a pooler in between")
                return
            connection = await asyncpg.connect(url, timeout=10, server_settings={"application_name": "reverie-listen"})
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError, Unavailable) as error:
            log.warning("listen_unavailable", error=type(error).__name__)
            await asyncio.sleep(RECONNECT_S)
            continue
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _, lost=lost: lost.set())
        try:
            for channel, notify in channels.items():
                await connection.add_listener(channel, lambda *notification, notify=notify: notify(notification[-1]))
            for notify in channels.values():
                notify("")
            await lost.wait()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("listen_unavailable", error=type(error).__name__)
        finally:
            connection.terminate()
        await asyncio.sleep(RECONNECT_S)
