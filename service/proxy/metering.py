"""How many tokens a chat completion may use, and how many it did use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson

from service.concurrency.executor import FairExecutor
from service.domain.spending import FAILED, Charge, Usage
from service.provider.prices import BYTES_PER_TOKEN, reported, usage_of
from service.proxy import transcript
from service.proxy.upstream import OK, UpstreamResponse

Payload = dict[str, Any]

ANSWER_TOKENS: Final = 4_096
"""Reserved for an answer whose request sets no bound."""
CHOICES_MAX: Final = 128
INLINE_TOKENS: Final = 1_500
"""Of an image or a sound sent inline: about what an image of 1024 × 1024 takes."""
_INLINE_NAMES: Final = ("data", "file_data")


def worst_of(model: str, payload: Payload, memory_tokens: int) -> Usage:
    """The most that a completion is expected to use: its prompt by estimate, with so much memory added to it, and its
    answer as far as it is bounded."""
    most = reported(payload.get("max_completion_tokens"), 0) or reported(payload.get("max_tokens"), 0) or ANSWER_TOKENS
    choices = min(max(1, reported(payload.get("n"), 1)), CHOICES_MAX)
    return usage_of(model, prompt_tokens(payload) + memory_tokens, most * choices)


def prompt_tokens(payload: Payload) -> int:
    """About how many tokens the messages and tools of a request have."""
    count = 0
    waiting: list[tuple[Any, Any]] = [("", payload.get("messages")), ("", payload.get("tools"))]
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
    """One completion under way, reserved at ``worst``."""

    model: str
    worst: Usage
    charge: Charge

    async def count_response(self, reply: UpstreamResponse, executor: FairExecutor) -> bytes:
        """The body of an answer that comes at once; settles what it used. Raises what the body raises."""
        try:
            body = await reply.read()
        except BaseException:
            self.ended(None, "", failed=True)
            raise
        if reply.status == OK:
            self.ended(*await executor.run(_usage_and_text, body, characters=len(body)))
        else:
            self.fail()
        return body

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


def _usage_and_text(body: bytes) -> tuple[Any, str]:
    """What an answer says it used, and its words."""
    try:
        completion = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None, ""
    usage = completion.get("usage") if isinstance(completion, dict) else None
    return usage, str(transcript.answer_in(body).get("content") or "")
