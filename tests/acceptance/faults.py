"""A Postgres of one's own that can be hurt, and eight clients that keep reading and writing meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx

from service.db import embedded
from tests.processes import ServerProcess, kill_postgres
from tests.waiting import WAIT_S, until

SMALL = "max_wal_size = 64MB\nmin_wal_size = 32MB\n"
DISK_BYTES = 400 * 1024 * 1024


class Postgres:
    """A server in a folder of its own, on a small disk where one can be mounted (``disk`` is then its folder)."""

    def __init__(self, folder: Path) -> None:
        self.disk = folder / "disk"
        self.disk.mkdir()
        self._data = self.disk / "postgres"
        mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", str(self.disk)]
        with suppress(OSError):
            subprocess.run(mounting, capture_output=True, check=False)
        self.mounted = os.path.ismount(self.disk)
        self.url = embedded.start(self._data, configuration=SMALL)

    def stop(self) -> None:
        """Stop it (fast); it stays down."""
        embedded.stop(self._data)

    def start(self) -> None:
        """Start it; returns when it accepts connections."""
        embedded.start(self._data, configuration=SMALL)

    def kill(self) -> None:
        """End all of it as a power cut would; it stays down."""
        kill_postgres(self._data)

    def fill(self) -> Path:
        """Take all that is left of the disk; the file that took it."""
        ballast = self.disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 65_536)
        return ballast

    def close(self) -> None:
        """Stop it and let the disk go."""
        with suppress(RuntimeError):
            embedded.stop(self._data)
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.disk)], check=True)


async def on(url: str, statement: str) -> list[Any]:
    """Run one statement on a connection of its own."""
    connection = await asyncpg.connect(url)
    try:
        return list(await connection.fetch(statement))
    finally:
        await connection.close()


async def answers(url: str) -> bool:
    """Whether a Postgres does."""
    with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return bool(await on(url, "SELECT 1"))
    return False


@dataclass(slots=True)
class Load:
    """Eight clients. ``run`` begins all they write; ``acknowledged`` and ``once`` are texts that an answer has said are
    kept, ``wrong`` is what no client may see."""

    server: ServerProcess
    run: str = field(default_factory=lambda: uuid4().hex[:8])
    statuses: Counter[int] = field(default_factory=Counter)
    acknowledged: set[str] = field(default_factory=set)
    once: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    cut_off: int = 0
    _since: float = 0.0
    _well_at: dict[int, float] = field(default_factory=dict)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _stopping: bool = False

    def start(self) -> None:
        """All eight begin."""
        clients: list[Callable[[int, int], Awaitable[bool]]] = [
            self._save, self._save, self._append, self._append, self._search, self._read, self._export, self._think,
        ]  # fmt: skip
        self._tasks = [asyncio.create_task(self._keep(number, do)) for number, do in enumerate(clients)]

    async def wait_until_served(self, since: float) -> float:
        """Wait until each client has been served since that moment (of ``time.monotonic``); seconds it took."""
        self._since = since
        self._well_at.clear()
        await until(lambda: len(self._well_at) == len(self._tasks) or self._broken(), "not all are served")
        assert not self._broken(), (self.wrong[:3], self._tasks)
        return max(self._well_at.values()) - since

    async def answers(self, count: int, status: int | None = None) -> None:
        """Wait until the clients have got so many more answers, with this status if one is given."""
        before = self._answered(status)
        await until(lambda: self._answered(status) >= before + count, "the clients get no answers")

    def _answered(self, status: int | None) -> int:
        return self.statuses.total() if status is None else self.statuses[status]

    def _broken(self) -> bool:
        return bool(self.wrong) or any(task.done() for task in self._tasks)

    async def stop(self) -> None:
        """What is under way is finished; nothing new begins."""
        self._stopping = True
        await asyncio.gather(*self._tasks)

    async def abandon(self) -> None:
        """End at once, whatever is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep(self, number: int, do: Callable[[int, int], Awaitable[bool]]) -> None:
        count = 0
        while not self._stopping:
            count += 1
            asked_at = time.monotonic()
            if await do(number, count) and asked_at >= self._since:
                self._well_at.setdefault(number, time.monotonic())
            await asyncio.sleep(0.01)

    async def _ask(self, method: str, path: str, **options: Any) -> httpx.Response | None:
        """The answer, or None for one that says to come back later. Anything else but success is wrong."""
        try:
            answer = await self.server.call(method, path, timeout=WAIT_S, **options)
        except httpx.HTTPError as error:
            self.wrong.append(f"{method} {path}: {type(error).__name__}")
            return None
        self.statuses[answer.status_code] += 1
        if answer.is_success:
            return answer
        if answer.status_code != 503 or int(answer.headers.get("retry-after", 0)) < 1:
            self.wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return None

    async def _save(self, number: int, count: int) -> bool:
        text = f"{self.run} memory {number} {count} " + "word " * 200
        answer = await self._ask("POST", "/v1/memories", json={"agent": "a", "type": "event", "content": text})
        if answer is not None:
            self.acknowledged.add(text)
        return answer is not None

    async def _append(self, number: int, count: int) -> bool:
        """A turn under an Idempotency-Key, sent until it is acknowledged: then it is there once."""
        text = f"{self.run} turn {number} {count}"
        body = {"agent": "a", "messages": [{"role": "user", "content": text}]}
        headers = {"Idempotency-Key": text}
        while not self._stopping:
            if await self._ask("POST", f"/v1/sessions/s{number}/messages", json=body, headers=headers):
                self.once.add(text)
                return True
            await asyncio.sleep(0.05)
        return False

    async def _search(self, _: int, __: int) -> bool:
        body = {"agent": "a", "query": "which memory has a word?", "include": ["memories", "messages"]}
        return await self._ask("POST", "/v1/memories/search", json=body) is not None

    async def _read(self, _: int, __: int) -> bool:
        answer = await self._ask("GET", "/v1/memories", params={"agent": "a", "limit": 5})
        if answer is None or not answer.json()["items"]:
            return answer is not None
        return await self._ask("GET", f"/v1/memories/{answer.json()['items'][0]['id']}/history") is not None

    async def _export(self, _: int, __: int) -> bool:
        """An export is whole, or says at once that it cannot be, or breaks off where everyone sees it."""
        headers = {"Authorization": self.server.authorization}
        try:
            async with self.server.http.stream("GET", "/v1/export?agent=a", headers=headers, timeout=WAIT_S) as answer:
                self.statuses[answer.status_code] += 1
                lines = [line async for line in answer.aiter_lines()]
        except httpx.RemoteProtocolError:
            self.cut_off += 1
            return False
        if answer.status_code == 503:
            return False
        if answer.status_code != 200 or json.loads(lines[-1])["record"] != "end":
            self.wrong.append(f"export: {answer.status_code} {lines[-1:]}")
        return True

    async def _think(self, _: int, count: int) -> bool:
        if count % 2:
            return await self._ask("POST", "/v1/context", json={"agent": "a", "message": "a word?"}) is not None
        return await self._ask("POST", "/v1/ask", json={"agent": "a", "question": "which word?"}) is not None
