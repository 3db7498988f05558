"""Responses that stream, and hold what they need until they have ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


class HoldingStream(StreamingResponse):
    """A stream that closes ``held`` when it has ended, or its client has gone, or it could not begin."""

    def __init__(self, content: AsyncIterator[bytes], held: ExitStack, **options: Any) -> None:
        super().__init__(content, **options)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)
