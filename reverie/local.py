"""``Reverie.local()`` and ``AsyncReverie.local()``: the clients, on Reverie in this process.

They send what they send to a server, and are answered by the API itself (``reverie.in_process``), without a port or a
key. A call leaves the caller's thread, or event loop, for the API's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Iterator
from concurrent.futures import Future
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

import reverie_client
from reverie.in_process import Engine, engines
from reverie_client.models import Dream
from service.settings import Settings

T = TypeVar("T")

INSIDE = "http://in-process"


def local_settings(folder: Path | str | None, database_url: str | None, fields: dict[str, Any]) -> Settings:
    """Return the settings of Reverie in process: those given, else those of the environment, but never its
    DATABASE_URL, which is the application's own. Raises ValueError for a wrong one, TypeError for one that there is
    not."""
    for name in fields:
        if name not in Settings.model_fields:
            raise TypeError(f"{name!r} is no setting of Reverie; docs/environment.md has all")
    named = {str(Settings.model_fields[name].validation_alias): value for name, value in fields.items()}
    settings = Settings(_env_file=None, **named)
    data_dir = settings.data_dir if folder is None else Path(folder).expanduser()
    return settings.model_copy(update={"data_dir": data_dir, "database_url": database_url})


class _Transport:
    """Carries requests into the engine of these settings, which is opened at the first, and again in a forked child."""

    def __init__(self, settings: Settings, *, dreams: bool) -> None:
        self._settings = settings
        self._dreams = dreams
        self._engine: Engine | None = None

    def open(self) -> Engine:
        """Return the engine. Raises ConnectionFailed, and ValueError for other settings than it is open with."""
        if self._engine is None or self._engine.process != os.getpid():
            self._engine = engines.take(self._settings)
            if self._dreams:
                self._engine.dream_in_background()
        return self._engine

    def release(self) -> None:
        """Let go of the engine."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engines.release(engine)


class _Exchange:
    """One request and its answer, on the loop of the API; whoever waits for a step has a future of it."""

    def __init__(self, engine: Engine, request: httpx.Request, content: httpx.AsyncByteStream) -> None:
        self._engine = engine
        self._request = request
        headers = request.headers.copy()
        headers.setdefault("Authorization", f"Bearer {engine.key}")
        self._inside = httpx.Request(request.method, request.url, headers=headers, stream=content)
        self._timeout_s = request.extensions.get("timeout", {}).get("read")

    def begin(self) -> Future[httpx.Response]:
        """Begin to answer."""
        return self._within(self._engine.app.handle_async_request(self._inside))

    def next_part(self, parts: AsyncIterator[bytes]) -> Future[bytes | None]:
        """Read on; None at the end."""
        return self._within(anext(parts, None))

    def end(self, inside: httpx.Response) -> Future[None]:
        """Leave the answer, read or not."""
        return self._engine.start(inside.aclose())

    def _within(self, work: Awaitable[T]) -> Future[T]:
        """Do it within the time that the request allows. Raises ReadTimeout."""

        async def bounded() -> T:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await work
            except TimeoutError:
                raise httpx.ReadTimeout(f"no answer within {self._timeout_s:g} s", request=self._request) from None

        return self._engine.start(bounded())


class BlockingTransport(_Transport, httpx.BaseTransport):
    """Requests of blocking clients."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Begin to answer; the body follows as it is read. Raises httpx.ReadTimeout, ConnectionFailed."""
        assert isinstance(request.stream, httpx.SyncByteStream)
        exchange = _Exchange(self.open(), request, _BlockingContent(request.stream))
        inside = _result(exchange.begin())
        return httpx.Response(inside.status_code, headers=inside.headers, stream=_BlockingBody(exchange, inside))

    def close(self) -> None:
        """Let go of the engine."""
        self.release()


class _BlockingContent(httpx.AsyncByteStream):
    """Streams what a blocking client sends. What makes parts of it may itself call the API, so that has a thread."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if isinstance(self._stream, httpx.ByteStream):
            for part in self._stream:
                yield part
            return
        parts = iter(self._stream)

        def read() -> list[bytes]:
            return list(islice(parts, 1))

        while found := await asyncio.to_thread(read):
            yield found[0]


class _BlockingBody(httpx.SyncByteStream):
    """Streams an answer to a blocking client."""

    def __init__(self, exchange: _Exchange, inside: httpx.Response) -> None:
        self._exchange = exchange
        self._inside = inside

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._inside.stream, httpx.AsyncByteStream)
        parts = self._inside.stream.__aiter__()
        while (part := _result(self._exchange.next_part(parts))) is not None:
            yield part

    def close(self) -> None:
        """Leave the answer, read or not."""
        _result(self._exchange.end(self._inside))


def _result(work: Future[T]) -> T:
    """Wait for the work, which Ctrl-C cancels."""
    try:
        return work.result()
    except BaseException:
        work.cancel()
        raise


class AwaitedTransport(_Transport, httpx.AsyncBaseTransport):
    """Requests of awaited clients, from whatever event loop."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Begin to answer; the body follows as it is read. Raises httpx.ReadTimeout, ConnectionFailed."""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        content = _AwaitedContent(request.stream, asyncio.get_running_loop())
        exchange = _Exchange(await asyncio.to_thread(self.open), request, content)
        inside = await asyncio.wrap_future(exchange.begin())
        return httpx.Response(inside.status_code, headers=inside.headers, stream=_AwaitedBody(exchange, inside))

    async def aclose(self) -> None:
        """Let go of the engine."""
        await asyncio.to_thread(self.release)


class _AwaitedContent(httpx.AsyncByteStream):
    """Streams what an awaited client sends, made on its own loop."""

    def __init__(self, stream: httpx.AsyncByteStream, loop: asyncio.AbstractEventLoop) -> None:
        self._stream = stream
        self._loop = loop

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = self._stream.__aiter__()

        async def next_part() -> bytes | None:
            return await anext(parts, None)

        def read() -> Future[bytes | None]:
            return asyncio.run_coroutine_threadsafe(next_part(), self._loop)

        while (part := await asyncio.wrap_future(read())) is not None:
            yield part


class _AwaitedBody(httpx.AsyncByteStream):
    """Streams an answer to an awaited client."""

    def __init__(self, exchange: _Exchange, inside: httpx.Response) -> None:
        self._exchange = exchange
        self._inside = inside

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._inside.stream, httpx.AsyncByteStream)
        parts = self._inside.stream.__aiter__()
        while (part := await asyncio.wrap_future(self._exchange.next_part(parts))) is not None:
            yield part

    async def aclose(self) -> None:
        """Leave the answer, read or not."""
        await asyncio.wrap_future(self._exchange.end(self._inside))


class Reverie(reverie_client.Reverie):
    """``reverie_client.Reverie``, and ``local``, by which it is in this process."""

    _inside: BlockingTransport | None = None

    @classmethod
    def local(
        cls,
        folder: Path | str | None = None,
        *,
        database_url: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        timeout_s: float = 30.0,
        for_prompt: bool = False,
        dreams: bool = True,
        **settings: Any,
    ) -> Self:
        """Return a client of Reverie in this process, on the embedded Postgres in ``folder`` (else REVERIE_DATA_DIR,
        ``.reverie``) or on ``database_url``. Close it, or use it as a context manager.

        ``dreams``: a thread dreams on schedule; without it, dreams are those of ``dream``. ``settings`` are those of
        a server by their names in lower case (``llm_model``); what is left out is read from the environment, except for
        DATABASE_URL. Raises ConnectionFailed where the database cannot be opened, ValueError for a wrong setting or
        another than the same database is open with, TypeError for one that there is not.
        """
        inside = BlockingTransport(local_settings(folder, database_url, settings), dreams=dreams)
        inside.open()
        client = cls(http=_blocking(inside, timeout_s), agent=agent, user=user, for_prompt=for_prompt)
        client._inside = inside
        return client

    def dream(self, agent: str | None = None) -> list[Dream]:
        """Dream now for an agent, else the client's own, else all agents; return the dreams with their changes. Raises
        APIError, ConnectionFailed."""
        named = agent or self.options.agent
        names = [named] if named else [one.agent for one in self.list_agents()]
        if self._inside is None:
            return [self.request_dream(name, wait=True) for name in names]
        patient = copy(self)
        patient.http = _blocking(self._inside, None)
        with self._inside.open().dreaming():
            return [patient.request_dream(name, wait=True) for name in names]


class AsyncReverie(reverie_client.AsyncReverie):
    """``reverie_client.AsyncReverie``, and ``local``, by which it is in this process."""

    _inside: AwaitedTransport | None = None

    @classmethod
    def local(
        cls,
        folder: Path | str | None = None,
        *,
        database_url: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        timeout_s: float = 30.0,
        for_prompt: bool = False,
        dreams: bool = True,
        **settings: Any,
    ) -> Self:
        """Return a client of Reverie in this process, as ``Reverie.local`` does; it is opened by ``async with``, or by
        the first call."""
        inside = AwaitedTransport(local_settings(folder, database_url, settings), dreams=dreams)
        client = cls(http=_awaited(inside, timeout_s), agent=agent, user=user, for_prompt=for_prompt)
        client._inside = inside
        return client

    async def __aenter__(self) -> Self:
        if self._inside is not None:
            await asyncio.to_thread(self._inside.open)
        return self

    async def dream(self, agent: str | None = None) -> list[Dream]:
        """Dream now for an agent, as ``Reverie.dream`` does."""
        named = agent or self.options.agent
        names = [named] if named else [one.agent async for one in self.list_agents()]
        if self._inside is None:
            return [await self.request_dream(name, wait=True) for name in names]
        patient = copy(self)
        patient.http = _awaited(self._inside, None)
        engine = await asyncio.to_thread(self._inside.open)
        async with engine.dreaming_beside():
            return [await patient.request_dream(name, wait=True) for name in names]


def _blocking(inside: BlockingTransport, timeout_s: float | None) -> httpx.Client:
    return httpx.Client(transport=inside, base_url=INSIDE, timeout=timeout_s, trust_env=False)


def _awaited(inside: AwaitedTransport, timeout_s: float | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=inside, base_url=INSIDE, timeout=timeout_s, trust_env=False)


def connections(database_url: str, timeout_s: float) -> httpx.Client:
    """Return connections of a blocking client to Reverie in this process on a Postgres, for ``reverie_client``."""
    inside = BlockingTransport(local_settings(None, database_url, {}), dreams=True)
    inside.open()
    return _blocking(inside, timeout_s)


def awaited_connections(database_url: str, timeout_s: float) -> httpx.AsyncClient:
    """Return those of an awaited client, opened by its first call."""
    return _awaited(AwaitedTransport(local_settings(None, database_url, {}), dreams=True), timeout_s)
