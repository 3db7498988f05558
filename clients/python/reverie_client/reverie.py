"""The clients: the whole API, blocking (``Reverie``) and awaited (``AsyncReverie``). They import nothing of the server.

A method is named after the call it sends (``reverie_client.api``). Lists are iterators that fetch the next page when it
is needed. Failures are the types of ``reverie_client.errors``. What may have been lost on the way is sent again, and
never does anything twice: every POST carries an Idempotency-Key.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, closing
from pathlib import Path
from typing import Any, Unpack

from reverie_client.api import Api
from reverie_client.call import Id
from reverie_client.errors import APIError, ConnectionFailed
from reverie_client.models import AskEvent, Imported, Json
from reverie_client.options import AskFields
from reverie_client.streams import (
    CHUNK_BYTES,
    EVENTS_TIMEOUT,
    IMPORT_HEADERS,
    AnswerStream,
    EventStream,
    Format,
    OnProgress,
    answer_call,
    export_call,
    export_workspace_call,
    import_call,
    no_progress,
    read_import,
)
from reverie_client.transport import AsyncSender, Sender


class Reverie(Api, Sender):
    """Reverie over HTTP, blocking. Thread-safe; close it, or use it as a context manager."""

    def stream_events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> Iterator[dict[str, Any]]:
        """Yield what happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        stream = EventStream(after, types, reconnect)
        while True:
            try:
                with closing(self.lines(stream.call, headers=stream.headers(), timeout=EVENTS_TIMEOUT)) as lines:
                    yield from filter(None, map(stream.read, lines))
            except (APIError, ConnectionFailed) as error:
                if stream.ends_with(error):
                    raise
            time.sleep(stream.pause_s)

    def ask_memory_stream(
        self, question: str, max_tokens: int | None = None, agent: str | None = None, **fields: Unpack[AskFields]
    ) -> Iterator[AskEvent]:
        """Yield what ``ask_memory`` answers, as it comes: the memories at once, then the answer. Raises APIError, and
        ConnectionFailed when it breaks off."""
        call, stream = answer_call(question, max_tokens, agent, fields), AnswerStream()
        with closing(self.lines(call, headers=stream.headers, timeout=EVENTS_TIMEOUT)) as lines:
            for event in filter(None, map(stream.read, lines)):
                yield event
                if event.answer is not None:
                    return
        raise self._failed(call, "the answer broke off")

    def export_records(
        self,
        agent: str | None = None,
        include: str | None = None,
        resume_from: str | None = None,
        where: Json | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield the lines of an export, as they come; with ``where``, of the memories that pass it. Raises
        ConnectionFailed when it breaks off before its last line."""
        with closing(self.lines(export_call(agent, include, resume_from, where))) as lines:
            yield from map(json.loads, lines)

    def export_workspace(self, workspace: Id) -> Iterator[dict[str, Any]]:
        """Yield the lines of an export of one workspace, for admins of the installation. Raises ConnectionFailed
        as ``export_records`` does."""
        with closing(self.lines(export_workspace_call(workspace))) as lines:
            yield from map(json.loads, lines)

    def import_records(
        self,
        source: Path | str | Iterable[bytes],
        format: Format = "reverie",
        agent: str | None = None,
        on_progress: OnProgress = no_progress,
    ) -> Imported:
        """Read a file, or chunks of one, in, all of it or nothing. Never repeated by itself; repeating it does no harm.
        Raises InvalidRequest; ``problem["line"]`` is the broken line.

        Once all lines are sent and checked, ``on_progress`` is given how many are written, of how many.
        """
        if isinstance(source, Path | str):
            with Path(source).open("rb") as file:
                return self.import_records(iter(lambda: file.read(CHUNK_BYTES), b""), format, agent, on_progress)
        call = import_call(format, agent or self.options.agent)
        with closing(self.lines(call, headers=IMPORT_HEADERS, content=source)) as lines:
            for line in lines:
                if done := read_import(line, on_progress):
                    return done
        raise self._failed(call, "the answer broke off")


class AsyncReverie(Api, AsyncSender):
    """Reverie over HTTP, awaited. Close it, or use it as an async context manager."""

    async def stream_events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield what happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        stream = EventStream(after, types, reconnect)
        while True:
            try:
                async with aclosing(self.lines(stream.call, headers=stream.headers(), timeout=EVENTS_TIMEOUT)) as lines:
                    async for line in lines:
                        if event := stream.read(line):
                            yield event
            except (APIError, ConnectionFailed) as error:
                if stream.ends_with(error):
                    raise
            await asyncio.sleep(stream.pause_s)

    async def ask_memory_stream(
        self, question: str, max_tokens: int | None = None, agent: str | None = None, **fields: Unpack[AskFields]
    ) -> AsyncIterator[AskEvent]:
        """Yield what ``ask_memory`` answers, as it comes: the memories at once, then the answer. Raises APIError, and
        ConnectionFailed when it breaks off."""
        call, stream = answer_call(question, max_tokens, agent, fields), AnswerStream()
        async with aclosing(self.lines(call, headers=stream.headers, timeout=EVENTS_TIMEOUT)) as lines:
            async for line in lines:
                if event := stream.read(line):
                    yield event
                    if event.answer is not None:
                        return
        raise self._failed(call, "the answer broke off")

    async def export_records(
        self,
        agent: str | None = None,
        include: str | None = None,
        resume_from: str | None = None,
        where: Json | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the lines of an export, as they come; with ``where``, of the memories that pass it. Raises
        ConnectionFailed when it breaks off before its last line."""
        async with aclosing(self.lines(export_call(agent, include, resume_from, where))) as lines:
            async for line in lines:
                yield json.loads(line)

    async def export_workspace(self, workspace: Id) -> AsyncIterator[dict[str, Any]]:
        """Yield the lines of an export of one workspace, for admins of the installation. Raises ConnectionFailed
        as ``export_records`` does."""
        async with aclosing(self.lines(export_workspace_call(workspace))) as lines:
            async for line in lines:
                yield json.loads(line)

    async def import_records(
        self,
        source: Path | str | AsyncIterator[bytes],
        format: Format = "reverie",
        agent: str | None = None,
        on_progress: OnProgress = no_progress,
    ) -> Imported:
        """Read a file, or chunks of one, in, all of it or nothing. Never repeated by itself; repeating it does no harm.
        Raises InvalidRequest; ``problem["line"]`` is the broken line.

        Once all lines are sent and checked, ``on_progress`` is given how many are written, of how many.
        """
        if isinstance(source, Path | str):
            with await asyncio.to_thread(Path(source).open, "rb") as file:

                async def chunks() -> AsyncIterator[bytes]:
                    while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                        yield chunk

                return await self.import_records(chunks(), format, agent, on_progress)
        call = import_call(format, agent or self.options.agent)
        async with aclosing(self.lines(call, headers=IMPORT_HEADERS, content=source)) as lines:
            async for line in lines:
                if done := read_import(line, on_progress):
                    return done
        raise self._failed(call, "the answer broke off")
