"""Timing: latencies of alternatives in turn, rates under concurrent clients, and a client that costs little itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
import orjson

from tests.bench.environment import ADMIN_KEY


@dataclass(slots=True)
class Latencies:
    """Seconds of single calls."""

    seconds: list[float] = field(default_factory=list)

    def ms(self, percentile: float) -> float:
        """That percentile, in milliseconds."""
        return float(np.percentile(self.seconds, percentile)) * 1000

    @property
    def p50(self) -> float:
        """The median, in milliseconds."""
        return self.ms(50)

    @property
    def p95(self) -> float:
        """In milliseconds."""
        return self.ms(95)


Way = Callable[[int], Awaitable[Any]]
"""One call of something measured; its number says which of the prepared inputs to use."""


async def in_turn(
    ways: dict[str, Way], calls: int, *, warm_up: int = 30, seconds: float = 20.0
) -> dict[str, Latencies]:
    """Call each way ``calls`` times, one way after the other for each input, so that drift hits all alike.

    The inputs 0 … ``warm_up`` - 1 are called first and not counted; the measured ones follow. Slow ways are called
    less often: each phase ends after ``seconds``, but not before 5 calls.
    """
    end = time.perf_counter() + seconds
    for number in range(warm_up):
        if number >= 5 and time.perf_counter() > end:
            break
        for way in ways.values():
            await way(number)
    taken = {name: Latencies() for name in ways}
    end = time.perf_counter() + seconds
    for number in range(warm_up, warm_up + calls):
        if number >= warm_up + 5 and time.perf_counter() > end:
            break
        for name, way in ways.items():
            taken[name].seconds += await seconds_of(way, [number])
    return taken


async def seconds_of(way: Way, numbers: Iterable[int]) -> list[float]:
    """What each call took, one after the other."""
    taken = []
    for number in numbers:
        started = time.perf_counter()
        await way(number)
        taken.append(time.perf_counter() - started)
    return taken


def median_ratio(rates: Sequence[float], floor: Sequence[float]) -> float:
    """How many times the floor, in the middle one of the turns."""
    return median(one / other for one, other in zip(rates, floor, strict=True))


async def per_second(workers: Sequence[Way], seconds: float = 5.0, *, warm_up_s: float = 1.0) -> float:
    """Calls a second when every worker calls without a pause; the first ``warm_up_s`` do not count."""
    begin = time.perf_counter() + warm_up_s
    end = begin + seconds
    counted = 0
    number = 0

    async def work(way: Way) -> None:
        nonlocal counted, number
        while (now := time.perf_counter()) < end:
            number += 1
            await way(number)
            if now >= begin:
                counted += 1

    await asyncio.gather(*(work(way) for way in workers))
    return counted / (time.perf_counter() - begin)


class HttpClient:
    """One kept-alive connection to the API. Bytes out, bytes in: about 0.05 ms a call, so the server is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> HttpClient:
        await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._writer is not None
        self._writer.close()
        await self._writer.wait_closed()

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)

    async def post(self, path: str, body: Any, headers: Mapping[str, str] | None = None) -> bytes:
        """The answer's body. Raises RuntimeError for a status of 400 or more."""
        return await self._asked("POST", path, orjson.dumps(body), headers or {})

    async def get(self, path: str) -> bytes:
        """The answer's body. Raises RuntimeError for a status of 400 or more."""
        return await self._asked("GET", path, b"", {})

    async def _asked(self, method: str, path: str, payload: bytes, headers: Mapping[str, str]) -> bytes:
        """Over a new connection if the server closed this one while it was idle."""
        assert self._reader is not None
        if self._reader.at_eof():
            await self._connect()
        assert self._writer is not None
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {ADMIN_KEY}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n{more}\r\n".encode()
            + payload
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        answer = await self._reader.readexactly(length)
        if int(head[9:12]) >= 400:
            raise RuntimeError(f"{path}: {head[9:12].decode()} {answer[:500].decode()}")
        return answer
