"""What goes to the server of a model, and what comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from service.proxy.wire_format import WireFormat

OK: Final = 200
JSON: Final = {"content-type": "application/json"}
STREAM: Final = {"content-type": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """A client's request: its bytes, in a format, for a model. ``operation`` is a path under that of the format, and
    ``headers`` are those of the client that go with it."""

    wire: WireFormat
    model: str
    content: bytes
    operation: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str | None = field(default=None, repr=False)
    """The caller's own, instead of the configured one."""


@dataclass(frozen=True, slots=True)
class UpstreamResponse:
    """What the model's server answered. ``body`` gives its bytes and must be exhausted or closed."""

    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]

    @property
    def is_stream(self) -> bool:
        """Whether the answer comes as server-sent events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")

    async def read(self) -> bytes:
        """The body at once."""
        return b"".join([part async for part in self.body])


class Upstream(ABC):
    """Where answers come from."""

    @abstractmethod
    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        """Send a request. Raises Unavailable when nobody answers, and RuntimeError inside a database transaction. The
        body raises Unavailable where it breaks off, and AnswerTooLarge.
        """

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        """The models that the server lists, as it lists them; empty where it lists none."""
        return []

    async def aclose(self) -> None:  # noqa: B027 - some keep no connections
        """Let go of connections."""
