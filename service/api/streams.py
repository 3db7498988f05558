"""Responses that stream, and hold what they need until they have ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


@contextmanager
def holding(slot: AbstractContextManager[None]) -> Iterator[ExitStack]:
    """The slot for the length of the block, or of the stream that takes it over (``pop_all``)."""
    with ExitStack() as held:
        held.enter_context(slot)
        yield held


class HoldingStream(StreamingResponse):
    """A stream that closes ``held`` when it has ended, or its client has gone, or it could not begin."""

    def __init__(self, content: AsyncIterator[bytes], held: ExitStack, **options: Any) -> None:
        super().__init__(content, **options)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)
