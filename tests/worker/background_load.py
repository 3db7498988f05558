"""Clients that go on while something is being changed under them."""

from __future__ import annotations

import asyncio

from tests.processes import ServerProcess

PAUSE_S = 0.1


class BackgroundLoad:
    """A client that saves and searches all the time, and notes what it was denied."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self.answered = 0
        self.wrong: list[str] = []

    async def __aenter__(self) -> BackgroundLoad:
        self._tasks = [asyncio.create_task(self._search(how)) for how in ("hybrid", "semantic")]
        self._tasks.append(asyncio.create_task(self._save()))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if not isinstance(outcome, asyncio.CancelledError):
                self.wrong.append(repr(outcome))

    async def _search(self, strategy: str) -> None:
        while True:
            body = {"agent": "a", "query": "a train to Kyoto", "strategy": strategy}
            response = await self._server.call("POST", "/v1/memories/search", json=body)
            if response.status_code != 200 or len(response.json()["results"]) != 10 or response.json()["degraded"]:
                self.wrong.append(response.text[:500])
            self.answered += 1
            await asyncio.sleep(PAUSE_S)

    async def _save(self) -> None:
        number = 0
        while True:
            number += 1
            body = {"agent": "a", "type": "fact", "content": f"Saved meanwhile, number {number}"}
            response = await self._server.call("POST", "/v1/memories", json=body)
            if response.status_code != 201:
                self.wrong.append(response.text[:500])
            self.answered += 1
            await asyncio.sleep(PAUSE_S)
