"""A uvicorn server that tests start and stop by the hundred."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import uvicorn


class PromptServer(uvicorn.Server):
    """Stops at once: uvicorn's own looks ten times a second whether it should, and waits a tenth more when it does.

    ``grace_s``: for requests under way when it is told to stop.
    """

    def __init__(self, config: uvicorn.Config, grace_s: float = 2.0) -> None:
        super().__init__(config)
        self.stopping = asyncio.Event()
        self._grace_s = grace_s

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's. Raises RuntimeError where that would end the process: a task's SystemExit ends the loop beneath
        pytest, which then takes no fixture down, and gives later tests the database of this one."""
        try:
            await super().serve(sockets)
        except SystemExit as error:
            raise RuntimeError(f"the API did not start: exit status {error.code}") from None

    async def main_loop(self) -> None:
        counter = 0
        while not await self.on_tick(counter):
            counter += 10
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self.stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if self.server_state.tasks:
            _, late = await asyncio.wait(self.server_state.tasks, timeout=self._grace_s)
            for task in late:
                task.cancel()
        await self.lifespan.shutdown()

    def stop(self) -> None:
        """Let ``serve`` end. Called from the server's event loop."""
        self.should_exit = True
        self.stopping.set()
