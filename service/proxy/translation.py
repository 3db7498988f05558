"""Models whose server speaks another protocol than the client: litellm translates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import orjson

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.json import dumps
from service.errors import AnswerTooLarge
from service.provider.library import load_litellm
from service.provider.response_limits import limit_bytes, response_too_large
from service.proxy.fields import LEFT_OUT, TRANSLATED
from service.proxy.formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES
from service.proxy.metering import prompt_tokens
from service.proxy.upstream_calls import JSON, OK, STREAM, Upstream, UpstreamRequest, UpstreamResponse
from service.proxy.wire_format import WireFormat, objects, parsed

OWN_TOOLS = ("mcp", "file_search")
"""Tools that litellm would run itself, in this process."""


@dataclass(frozen=True, slots=True)
class LiteLLM(Upstream):
    """A provider, as litellm calls it. Only its models are served: the key is its. Clients may name them with the
    prefix ``configured``, by which LLM_MODEL names the provider. litellm keeps its own connections."""

    provider: str
    api_base: str | None
    api_key: str | None = field(repr=False)
    timeout_s: float
    bytes_max: int
    configured: str

    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        """As an Upstream does."""
        assert_outside_transaction()
        wire = request.wire
        try:
            asked = orjson.loads(request.content)
            if request.operation:  # of a count of tokens, which litellm has for some providers only
                return UpstreamResponse(OK, JSON, _once(dumps({"input_tokens": prompt_tokens(asked, wire)})))
            arguments = self._arguments(wire, asked)
        except (ValueError, TypeError) as error:
            return _refusal(wire, 400, str(error))
        try:
            with limit_bytes(self.bytes_max):
                answer = await self._call(wire, arguments, request.key or self.api_key)
        except Exception as error:  # litellm raises whatever its providers do; the client is told
            if (oversized := response_too_large(error)) is not None:
                raise AnswerTooLarge(oversized.message) from error
            status = getattr(error, "status_code", None)
            return _refusal(wire, status if isinstance(status, int) and status >= 400 else 502, str(error))
        if arguments.get("stream"):
            return UpstreamResponse(OK, STREAM, _events(wire, answer))
        return UpstreamResponse(OK, JSON, _once(_body(answer)))

    async def _call(self, wire: WireFormat, arguments: dict[str, Any], key: str | None) -> Any:
        litellm = await load_litellm()
        calls = {
            CHAT_COMPLETIONS: litellm.acompletion,
            RESPONSES: litellm.aresponses,
            MESSAGES: litellm.anthropic.messages.acreate,
        }
        return await calls[wire](
            **arguments, api_base=self.api_base, api_key=key, timeout=self.timeout_s, max_retries=0
        )

    def _arguments(self, wire: WireFormat, asked: Any) -> dict[str, Any]:
        if not isinstance(asked, dict):
            raise ValueError("The body must be a JSON object.")
        given = {name: value for name, value in asked.items() if wire is not MESSAGES or name not in LEFT_OUT}
        if unknown := sorted(given.keys() - TRANSLATED[wire]):
            raise ValueError(f"Unknown parameters: {', '.join(unknown)}")
        if any(tool.get("type") in OWN_TOOLS for tool in objects(given.get("tools"))):
            raise ValueError(f"Tools of these types are not served: {', '.join(OWN_TOOLS)}")
        model = given["model"].removeprefix(f"{self.configured}/") if self.configured else given["model"]
        return given | {"model": f"{self.provider}/{model}" if self.provider else model}


def _body(result: Any) -> bytes:
    return dumps(result) if isinstance(result, dict) else result.model_dump_json().encode()


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _events(wire: WireFormat, chunks: Any) -> AsyncIterator[bytes]:
    try:
        async for chunk in chunks:
            yield _event(wire, chunk)
    except Exception as error:  # noqa: BLE001 - as above; a stream can only say so in the stream
        yield wire.error_event(str(error))
    finally:
        with suppress(AttributeError):
            await chunks.aclose()
    if wire is CHAT_COMPLETIONS:
        yield b"data: [DONE]\n\n"


def _event(wire: WireFormat, chunk: Any) -> bytes:
    if isinstance(chunk, bytes):
        return chunk
    data: bytes = chunk.model_dump_json(exclude_none=True).encode()
    named = f"event: {parsed(data).get('type')}\n".encode() if wire is RESPONSES else b""
    return named + b"data: " + data + b"\n\n"


def _refusal(wire: WireFormat, status: int, message: str) -> UpstreamResponse:
    return UpstreamResponse(status, JSON, _once(wire.error_body(message)))
