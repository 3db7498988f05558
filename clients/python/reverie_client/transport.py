"""Sending calls: retries that cannot do anything twice, errors as types.

``Client`` says what is sent, whether it is sent again and what an answer means. Of the two that do it ``Sender`` blocks
and ``AsyncSender`` awaits; nothing else differs between them.
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import count
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from uuid import uuid4

import httpx

from reverie_client.address import in_process, is_database, service_url, setting
from reverie_client.call import Call
from reverie_client.errors import APIError, ConnectionFailed, error_of
from reverie_client.models import Page

T = TypeVar("T")
Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)
Steps = Generator[Call[Any], Any, T]
"""What takes several calls: it yields each, is sent its answer or has its APIError raised, and returns the result."""

DELAY_S = 0.25
DELAY_MAX_S = 8.0
TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503
TRANSIENT = frozenset({TOO_MANY_REQUESTS, 502, UNAVAILABLE, 504})
NOT_AUTHENTICATED = 401
NOT_FOUND = 404
POSITION = "X-Reverie-Position"
CONNECTION_REFUSED = frozenset({TOO_MANY_REQUESTS, UNAVAILABLE})
"""Answers that say that nothing was done."""
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
STREAM_TIMEOUT = httpx.Timeout(30.0, read=600.0)
NO_KEY = "No API key was sent: give the client one as api_key, or set REVERIE_API_KEY."


@dataclass(frozen=True, slots=True)
class Options:
    """How a client speaks: with what key, as which agent, for whom, how patiently."""

    api_key: str | None
    agent: str | None
    user: str | None
    retries: int
    no_memory: bool
    for_prompt: bool

    def headers(self, call: Call[Any], idempotency_key: str | None) -> dict[str, str]:
        """Return the headers of a call; a POST that writes carries a key of its own, so that repeating it does no
        harm."""
        headers = self.own()
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.method == "POST" and not call.only_reads:
            headers["Idempotency-Key"] = idempotency_key or str(uuid4())
        return headers

    def own(self) -> dict[str, str]:
        """Return the headers of every request."""
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        said = {"X-Reverie-No-Memory": self.no_memory, "X-Reverie-For-Prompt": self.for_prompt}
        return headers | {name: "1" for name, is_so in said.items() if is_so}


def backoff_s(attempt: int, response: httpx.Response | None) -> float:
    """Seconds before the next attempt: what the server asks for, else longer each time, with jitter."""
    asked = response.headers.get("retry-after", "") if response is not None else ""
    if asked.isdigit():
        return min(float(asked), 60.0) + random.uniform(0, DELAY_S)
    return random.uniform(0, min(DELAY_MAX_S, DELAY_S * 2**attempt))


def is_retryable(call: Call[Any], failed: httpx.Response | httpx.TransportError) -> bool:
    """Return whether a call may be sent again. A PATCH only where it surely was not carried out: its version has moved
    on."""
    if isinstance(failed, httpx.Response):
        return failed.status_code in (CONNECTION_REFUSED if call.method == "PATCH" else TRANSIENT)
    return call.method != "PATCH" or isinstance(failed, NEVER_SENT)


class Client(ABC, Generic[Http]):
    """What both senders share: address, key, and the position of what they have written."""

    http: Http

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        agent: str | None = None,
        user: str | None = None,
        timeout_s: float = 30.0,
        retries: int = 4,
        no_memory: bool = False,
        for_prompt: bool = False,
        http: Http | None = None,
    ) -> None:
        """``url`` and ``api_key`` are REVERIE_URL (else http://127.0.0.1:8000) and REVERIE_API_KEY of the environment
        where they are left out; it is not read where ``http`` is given, a client with its own connections.

        ``agent`` is the acting agent of calls that name none (not needed with an agent key), ``user`` is whom calls are
        for that name none (not needed with the key of a user). ``for_prompt``: what is read goes to a model; calls
        without a user or a session then read what belongs to nobody.

        With the address of a Postgres the service runs in this process, on that database, and needs no key; the package
        of the server has to be installed. Raises ValueError for any other address, and ConnectionFailed for a database
        that cannot be opened.
        """
        if http is None:
            address = service_url(url)
            api_key = api_key or (None if is_database(address) else setting("REVERIE_API_KEY"))
            http = self._connect(address, timeout_s)
        self.http = http
        self.options = Options(api_key, agent, user, retries, no_memory, for_prompt)
        self._reached: dict[str, str] = {}

    def for_user(self, user: str | None) -> Self:
        """Return the same client, over the same connections, whose calls are for another user."""
        other = copy(self)
        other.options = replace(self.options, user=user)
        return other

    def for_prompts(self, agent: str | None, user: str | None) -> Self:
        """Return the same client, over the same connections, for what goes to a model, and for these where given."""
        other = self.for_user(user or self.options.user)
        other.options = replace(other.options, agent=agent or self.options.agent, for_prompt=True)
        return other

    @abstractmethod
    def _connect(self, url: str, timeout_s: float) -> Http:
        """Connections of its own."""

    def _request(self, call: Call[Any], idempotency_key: str | None) -> dict[str, Any]:
        return {
            "method": call.method,
            "url": call.path,
            "params": call.parameters(self.options.agent, self.options.user),
            "content": call.content(self.options.agent, self.options.user),
            "headers": self.options.headers(call, idempotency_key) | self._reached,
        }

    def _stream(self, call: Call[Any], headers: dict[str, str] | None, content: Any, timeout: httpx.Timeout) -> Any:
        asked = {
            "method": call.method,
            "url": call.path,
            "params": call.parameters(None, self.options.user),
            "timeout": timeout,
        }
        sent = call.content(self.options.agent, self.options.user) if content is None else content
        return asked | {"headers": self.options.own() | (headers or {}), "content": sent}

    def _settle(
        self, call: Call[Any], attempt: int, got: httpx.Response | httpx.TransportError
    ) -> httpx.Response | float:
        """Return the answer that stands, or the seconds before the next attempt. Raises ConnectionFailed."""
        response = got if isinstance(got, httpx.Response) else None
        if response is not None and POSITION in response.headers:
            self._reached[POSITION] = response.headers[POSITION]
        if attempt < self.options.retries and is_retryable(call, got):
            return backoff_s(attempt, response)
        if isinstance(got, httpx.Response):
            return got
        raise self._failed(call, got) from got

    def _parse(self, call: Call[T], response: httpx.Response, attempt: int) -> T:
        """Return the answer. Raises APIError. What a repeated DELETE no longer finds, an earlier attempt has
        deleted."""
        if response.is_success:
            return call.parse(response.content)
        if call.method == "DELETE" and attempt and response.status_code == NOT_FOUND:
            return call.parse(b"")
        raise self._refused(response)

    def _refused(self, response: httpx.Response) -> APIError:
        """Return the error that an answer stands for; it says where a key comes from if none was sent."""
        error = error_of(response)
        if error.status == NOT_AUTHENTICATED and self.options.api_key is None:
            return type(error)(error.status, error.problem | {"detail": NO_KEY})
        return error

    def _failed(self, call: Call[Any], why: httpx.TransportError | str) -> ConnectionFailed:
        """Return the error of a call without an answer; it says where that was expected."""
        url = self.http.base_url
        said = why if isinstance(why, str) else repr(why)
        return ConnectionFailed(f"{call.method} {call.path} at {url.scheme}://{url.netloc.decode()}: {said}")


class Sender(Client[httpx.Client]):
    """Sends calls and waits for their answers."""

    def _connect(self, url: str, timeout_s: float) -> httpx.Client:
        if is_database(url):
            inside: httpx.Client = in_process("connections")(url, timeout_s)
            return inside
        return httpx.Client(base_url=url, timeout=timeout_s)

    def send(self, call: Call[T], *, idempotency_key: str | None = None) -> T:
        """Send a call until it is answered, at most ``retries`` times more. Raises APIError, ConnectionFailed."""
        request = self._request(call, idempotency_key)
        for attempt in count():
            got: httpx.Response | httpx.TransportError
            try:
                got = self.http.request(**request)
            except httpx.TransportError as error:
                got = error
            settled = self._settle(call, attempt, got)
            if isinstance(settled, httpx.Response):
                return self._parse(call, settled, attempt)
            time.sleep(settled)
        raise AssertionError("every attempt ends above")

    def _run(self, steps: Steps[T]) -> T:
        """Send what takes several calls, one after another."""
        try:
            call = next(steps)
            while True:
                try:
                    answer = self.send(call)
                except APIError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result

    def _items(self, call: Call[Page[T]]) -> Iterator[T]:
        """Yield the items of a list, page by page as needed."""
        following: Call[Page[T]] | None = call
        while following is not None:
            page = self.send(following)
            yield from page.items
            following = following.following(page)

    def lines(
        self,
        call: Call[Any],
        *,
        headers: dict[str, str] | None = None,
        content: Iterable[bytes] | None = None,
        timeout: httpx.Timeout = STREAM_TIMEOUT,
    ) -> Generator[str, None, None]:
        """Yield the lines of an answer as they come. Raises APIError, and ConnectionFailed when it breaks off."""
        try:
            with self.http.stream(**self._stream(call, headers, content, timeout)) as response:
                if not response.is_success:
                    response.read()
                    raise self._refused(response)
                yield from response.iter_lines()
        except httpx.TransportError as error:
            raise self._failed(call, error) from error

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class AsyncSender(Client[httpx.AsyncClient]):
    """Sends calls and awaits their answers."""

    def _connect(self, url: str, timeout_s: float) -> httpx.AsyncClient:
        if is_database(url):
            inside: httpx.AsyncClient = in_process("awaited_connections")(url, timeout_s)
            return inside
        return httpx.AsyncClient(base_url=url, timeout=timeout_s)

    async def send(self, call: Call[T], *, idempotency_key: str | None = None) -> T:
        """Send a call until it is answered, at most ``retries`` times more. Raises APIError, ConnectionFailed."""
        request = self._request(call, idempotency_key)
        for attempt in count():
            got: httpx.Response | httpx.TransportError
            try:
                got = await self.http.request(**request)
            except httpx.TransportError as error:
                got = error
            settled = self._settle(call, attempt, got)
            if isinstance(settled, httpx.Response):
                return self._parse(call, settled, attempt)
            await asyncio.sleep(settled)
        raise AssertionError("every attempt ends above")

    async def _run(self, steps: Steps[T]) -> T:
        """Send what takes several calls, one after another."""
        try:
            call = next(steps)
            while True:
                try:
                    answer = await self.send(call)
                except APIError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _items(self, call: Call[Page[T]]) -> AsyncIterator[T]:
        """Yield the items of a list, page by page as needed."""
        following: Call[Page[T]] | None = call
        while following is not None:
            page = await self.send(following)
            for item in page.items:
                yield item
            following = following.following(page)

    async def lines(
        self,
        call: Call[Any],
        *,
        headers: dict[str, str] | None = None,
        content: AsyncIterable[bytes] | None = None,
        timeout: httpx.Timeout = STREAM_TIMEOUT,
    ) -> AsyncGenerator[str, None]:
        """Return the lines of an answer as they come. Raises APIError, and ConnectionFailed when it breaks off."""
        try:
            async with self.http.stream(**self._stream(call, headers, content, timeout)) as response:
                if not response.is_success:
                    await response.aread()
                    raise self._refused(response)
                async for line in response.aiter_lines():
                    yield line
        except httpx.TransportError as error:
            raise self._failed(call, error) from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.aclose()
