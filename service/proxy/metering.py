"""How many tokens a request to a model may use, and how many it did use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from service.concurrency.executor import FairExecutor
from service.domain.spending import FAILED, Charge, Usage
from service.provider.prices import BYTES_PER_TOKEN, reported, usage_of
from service.proxy.upstream_calls import OK, UpstreamResponse
from service.proxy.wire_format import Payload, WireFormat

INLINE_TOKENS: Final = 1_500
"""Of an image or a sound sent inline: about what an image of 1024 × 1024 takes."""
_INLINE_NAMES: Final = ("data", "file_data")


def worst_of(model: str, wire: WireFormat, payload: Payload, memory_tokens: int) -> Usage:
    """The most that a request is expected to use: its prompt by estimate, with so much memory added to it, and its
    answer as far as it is bounded."""
    prompt = prompt_tokens(payload, wire) + memory_tokens
    return usage_of(model, prompt, wire.answer_tokens(payload))


def prompt_tokens(payload: Payload, wire: WireFormat) -> int:
    """About how many tokens of a request the model reads."""
    count = 0
    waiting: list[tuple[Any, Any]] = [("", payload.get(field)) for field in wire.prompt_fields]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            inline = value.startswith("data:") or name in _INLINE_NAMES
            count += INLINE_TOKENS if inline else len(value.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1
        elif isinstance(value, dict):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((name, each) for each in value)
    return count


@dataclass(slots=True)
class Call:
    """One request under way, reserved at ``worst``."""

    wire: WireFormat
    model: str
    worst: Usage
    charge: Charge

    async def count_response(self, reply: UpstreamResponse, executor: FairExecutor) -> tuple[bytes, Payload]:
        """The body of an answer that comes at once, and the model's message in it; settles what it used. Raises what
        the body raises."""
        try:
            body = await reply.read()
        except BaseException:
            self.ended(None, "", failed=True)
            raise
        if reply.status != OK:
            self.fail()
            return body, {}
        answer = await executor.run(self.wire.answer_in, body, characters=len(body))
        self.ended(answer.usage, str(answer.message.get("content") or ""))
        return body, answer.message

    def ended(self, reported_usage: Any, text: str, *, failed: bool = False) -> None:
        """Settle: it used what the server reports, else by estimate the ``text`` of its answer."""
        usage: Payload = reported_usage if isinstance(reported_usage, dict) else {}
        estimate = len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN
        prompt = reported(usage.get("prompt_tokens"), self.worst.prompt_tokens)
        answer = reported(usage.get("completion_tokens"), estimate)
        self.charge.settle(usage_of(self.model, prompt, answer, failed=failed))

    def fail(self) -> None:
        """Settle: it was refused, or never got there."""
        self.charge.settle(FAILED)
