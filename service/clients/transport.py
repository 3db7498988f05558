"""Sending calls: retries that cannot do anything twice, errors as types. One twin blocks, the other awaits."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

import httpx

from service.clients.call import Call
from service.clients.errors import ConnectionFailed, error_of

T = TypeVar("T")

DELAY_S = 0.25
DELAY_MAX_S = 8.0
TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503
TRANSIENT = frozenset({TOO_MANY_REQUESTS, 502, UNAVAILABLE, 504})
NOT_FOUND = 404
POSITION = "X-Reverie-Position"
CONNECTION_REFUSED = frozenset({TOO_MANY_REQUESTS, UNAVAILABLE})
"""Answers that say that nothing was done."""
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Options:
    """How a client speaks: with what key, as which agent, how patiently."""

    api_key: str | None
    agent: str | None
    retries: int
    no_memory: bool

    def headers(self, call: Call[Any], idempotency_key: str | None) -> dict[str, str]:
        """The headers of a call; a POST that writes carries a key of its own, so that repeating it does no harm."""
        headers = self.own()
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.method == "POST" and not call.only_reads:
            headers["Idempotency-Key"] = idempotency_key or str(uuid4())
        return headers

    def own(self) -> dict[str, str]:
        """The headers of every request."""
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return headers | ({"X-Reverie-No-Memory": "1"} if self.no_memory else {})


def backoff_s(attempt: int, response: httpx.Response | None) -> float:
    """Seconds before the next attempt: what the server asks for, else longer each time, with jitter."""
    asked = response.headers.get("retry-after", "") if response is not None else ""
    if asked.isdigit():
        return min(float(asked), 60.0) + random.uniform(0, DELAY_S)
    return random.uniform(0, min(DELAY_MAX_S, DELAY_S * 2**attempt))


def is_retryable(call: Call[Any], failed: httpx.Response | httpx.TransportError) -> bool:
    """Whether a call may be sent again. A PATCH only where it surely was not carried out: its version has moved on."""
    if isinstance(failed, httpx.Response):
        return failed.status_code in (CONNECTION_REFUSED if call.method == "PATCH" else TRANSIENT)
    return call.method != "PATCH" or isinstance(failed, NEVER_SENT)


def latest_lsn(response: httpx.Response, before: dict[str, str]) -> dict[str, str]:
    """The header that lets what is sent next see what this client has written, wherever it is read."""
    return {POSITION: response.headers[POSITION]} if POSITION in response.headers else before


def answer_of(call: Call[T], response: httpx.Response, attempt: int) -> T:
    """The parsed answer. Raises APIError. What a repeated DELETE no longer finds, an earlier attempt has deleted."""
    if response.is_success:
        return call.parse(response.content)
    if call.method == "DELETE" and attempt and response.status_code == NOT_FOUND:
        return call.parse(b"")
    raise error_of(response)


class Sender:
    """Sends calls and waits for their answers."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        api_key: str | None = None,
        *,
        agent: str | None = None,
        timeout_s: float = 30.0,
        retries: int = 4,
        no_memory: bool = False,
        http: httpx.Client | None = None,
    ) -> None:
        """``agent`` is the acting agent of calls that name none (not needed with an agent key)."""
        self.options = Options(api_key, agent, retries, no_memory)
        self._reached: dict[str, str] = {}
        self.http = http or httpx.Client(base_url=url, timeout=timeout_s)

    def send(self, call: Call[T], *, idempotency_key: str | None = None) -> T:
        """Send a call until it is answered, at most ``retries`` times more. Raises APIError, ConnectionFailed."""
        headers = self.options.headers(call, idempotency_key) | self._reached
        query, body = call.parameters(self.options.agent), call.content(self.options.agent)
        for attempt in range(self.options.retries + 1):
            last = attempt == self.options.retries
            try:
                response = self.http.request(call.method, call.path, params=query, content=body, headers=headers)
            except httpx.TransportError as error:
                if last or not is_retryable(call, error):
                    raise ConnectionFailed(f"{call.method} {call.path}: {error!r}") from error
                time.sleep(backoff_s(attempt, None))
                continue
            self._reached = latest_lsn(response, self._reached)
            if last or not is_retryable(call, response):
                return answer_of(call, response, attempt)
            time.sleep(backoff_s(attempt, response))
        raise AssertionError("every attempt ends above")

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class AsyncSender:
    """Sends calls and awaits their answers."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        api_key: str | None = None,
        *,
        agent: str | None = None,
        timeout_s: float = 30.0,
        retries: int = 4,
        no_memory: bool = False,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """``agent`` is the acting agent of calls that name none (not needed with an agent key)."""
        self.options = Options(api_key, agent, retries, no_memory)
        self._reached: dict[str, str] = {}
        self.http = http or httpx.AsyncClient(base_url=url, timeout=timeout_s)

    async def send(self, call: Call[T], *, idempotency_key: str | None = None) -> T:
        """Send a call until it is answered, at most ``retries`` times more. Raises APIError, ConnectionFailed."""
        headers = self.options.headers(call, idempotency_key) | self._reached
        query, body = call.parameters(self.options.agent), call.content(self.options.agent)
        for attempt in range(self.options.retries + 1):
            last = attempt == self.options.retries
            try:
                response = await self.http.request(call.method, call.path, params=query, content=body, headers=headers)
            except httpx.TransportError as error:
                if last or not is_retryable(call, error):
                    raise ConnectionFailed(f"{call.method} {call.path}: {error!r}") from error
                await asyncio.sleep(backoff_s(attempt, None))
                continue
            self._reached = latest_lsn(response, self._reached)
            if last or not is_retryable(call, response):
                return answer_of(call, response, attempt)
            await asyncio.sleep(backoff_s(attempt, response))
        raise AssertionError("every attempt ends above")

    async def aclose(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.aclose()
