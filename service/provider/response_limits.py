"""Bounds on what a model's server may answer: an answer past its bound is cut off while it is read.

litellm reads every answer whole into memory. All of its HTTP goes through one transport class, which is made to count
the bytes of each answer as they come, before anything decodes them. Answers are asked for uncompressed, and refused
compressed: a few kilobytes could stand for gigabytes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import httpx

from service.errors import AnswerTooLarge
from service.provider.failures import chain_of

RESPONSE_BYTES_MAX: Final = 4_194_304
"""Of chat completions and rerankings: the longest that Reverie asks for has 24,500 tokens, about 100 kB."""

_bytes_max: ContextVar[int] = ContextVar("reverie_answer_bytes_max", default=RESPONSE_BYTES_MAX)


@contextmanager
def limit_bytes(bytes_max: int) -> Iterator[None]:
    """Answers to requests of the block may have so many bytes."""
    token = _bytes_max.set(bytes_max)
    try:
        yield
    finally:
        _bytes_max.reset(token)


async def limited(body: AsyncIterator[bytes], bytes_max: int, server: str) -> AsyncIterator[bytes]:
    """The body as it comes; raises AnswerTooLarge as soon as it has more than ``bytes_max``."""
    count = 0
    async for part in body:
        count += len(part)
        if count > bytes_max:
            raise AnswerTooLarge(f"{server} answered with more than {bytes_max:,} bytes; the call was ended.")
        yield part


def response_too_large(error: BaseException | None) -> AnswerTooLarge | None:
    """The AnswerTooLarge that a library's error comes from, if any."""
    return next((one for one in chain_of(error) if isinstance(one, AnswerTooLarge)), None)


def limit_responses(transport: Any) -> None:
    """Bound every answer that litellm's transport class gives. Done once."""
    send = transport.handle_async_request
    if getattr(send, "bounds_answers", False):
        return

    async def handle_async_request(self: Any, request: httpx.Request) -> httpx.Response:
        request.headers["accept-encoding"] = "identity"
        response: httpx.Response = await send(self, request)
        bytes_max, server = _bytes_max.get(), request.url.host
        if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            await response.aclose()
            raise AnswerTooLarge(f"{server} answered compressed, although it was asked not to.")
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _LimitedStream(response.stream, bytes_max, server)
        return response

    handle_async_request.bounds_answers = True  # type: ignore[attr-defined]
    transport.handle_async_request = handle_async_request


class _LimitedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, bytes_max: int, server: str) -> None:
        self._stream = stream
        self._bytes_max = bytes_max
        self._server = server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in limited(aiter(self._stream), self._bytes_max, self._server):
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
