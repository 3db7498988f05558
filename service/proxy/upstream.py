"""The model behind the proxy: an OpenAI-compatible server, passed through byte for byte, or whatever litellm reaches.

A server that speaks the same protocol gets the client's bytes and gives its own back, so nothing is lost in between.
Other providers are called through litellm, which translates.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx
import orjson

from service.concurrency.transaction_guard import assert_outside_transaction
from service.errors import AnswerTooLarge, Unavailable
from service.provider.failures import describe, host_of
from service.provider.library import load_litellm
from service.provider.response_limits import limit_bytes, limited, response_too_large
from service.provider.trust import trust
from service.settings import Settings

OPENAI_BASE = "https://api.openai.com/v1"
SPEAKS_OPENAI = frozenset({"openai", "custom_openai", "openai_like", "hosted_vllm", "lm_studio", "litellm_proxy"})
"""litellm's providers whose server takes OpenAI's own requests."""

CONNECT_S = 10.0
PASSED_ON = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
PASSED_ON_PREFIXES = ("openai-", "x-ratelimit-")
DONE = b"data: [DONE]\n\n"
JSON = {"content-type": "application/json"}
OK = 200

# What OpenAI's API takes. Anything else a client sends must not reach litellm, whose arguments include keys and URLs.
OPENAI_FIELDS = frozenset(
    {
        "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
        "max_tokens", "messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction",
        "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed",
        "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
        "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
    }
)  # fmt: skip


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


class Upstream(Protocol):
    """Where chat completions come from."""

    async def send(self, content: bytes) -> UpstreamResponse:
        """Send a chat-completion request, given as its JSON. Raises Unavailable when nobody answers, and
        RuntimeError inside a database transaction. The body raises Unavailable where it breaks off, and AnswerTooLarge.
        """

    async def aclose(self) -> None:
        """Let go of connections."""


def open_upstream(settings: Settings) -> Upstream | None:
    """The upstream that LLM_MODEL, LLM_API_BASE and LLM_API_KEY name; None where they name none."""
    timeout_s, bytes_max = settings.proxy_timeout_s, settings.proxy_answer_bytes_max
    provider = (settings.llm_model or "").partition("/")[0] if "/" in (settings.llm_model or "") else ""
    if settings.llm_api_base and (not provider or provider in SPEAKS_OPENAI):
        return OpenAIServer(settings.llm_api_base, settings.llm_api_key, timeout_s, bytes_max)
    if provider == "openai":
        key = settings.llm_api_key or os.environ.get("OPENAI_API_KEY")
        return OpenAIServer(OPENAI_BASE, key, timeout_s, bytes_max)
    if settings.llm_model:
        return LiteLLM(settings.llm_model, settings.llm_api_base, settings.llm_api_key, timeout_s, bytes_max)
    return None


class OpenAIServer:
    """An OpenAI-compatible server; bytes pass through as they are."""

    def __init__(self, api_base: str, api_key: str | None, timeout_s: float, bytes_max: int) -> None:
        """``timeout_s`` bounds the wait for the first and for every further byte, ``bytes_max`` an answer."""
        self._bytes_max = bytes_max
        self._host = host_of(api_base)
        self._url = api_base.rstrip("/") + "/chat/completions"
        headers = {"accept-encoding": "identity", "content-type": "application/json"}
        if api_key:
            headers["authorization"] = f"Bearer {api_key}"
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        self._http = httpx.AsyncClient(headers=headers, timeout=timeout, verify=trust())

    async def send(self, content: bytes) -> UpstreamResponse:
        assert_outside_transaction()
        request = self._http.build_request("POST", self._url, content=content)
        try:
            response = await self._http.send(request, stream=True)
        except httpx.HTTPError as error:
            raise Unavailable(f"{describe(error, 'The model', self._url)}.") from error
        headers = {
            name: value
            for name, value in response.headers.items()
            if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
        }
        return UpstreamResponse(response.status_code, headers, limited(_raw(response), self._bytes_max, self._host))

    async def aclose(self) -> None:
        await self._http.aclose()


async def _raw(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in response.aiter_raw():
            yield part
    except httpx.HTTPError as error:
        raise Unavailable(f"The model's server broke off: {type(error).__name__}.") from error
    finally:
        await response.aclose()


@dataclass(slots=True)
class LiteLLM:
    """A provider with a protocol of its own. Only models of the provider of ``model`` are served: the key is its."""

    model: str
    api_base: str | None
    api_key: str | None = field(repr=False)
    timeout_s: float
    bytes_max: int

    async def send(self, content: bytes) -> UpstreamResponse:
        assert_outside_transaction()
        try:
            asked = orjson.loads(content)
            arguments = self._arguments(asked)
        except (ValueError, TypeError) as error:
            return _refusal(400, str(error))
        litellm = await load_litellm()
        try:
            with limit_bytes(self.bytes_max):
                answer = await litellm.acompletion(
                    **arguments, api_base=self.api_base, api_key=self.api_key, timeout=self.timeout_s, max_retries=0
                )
        except Exception as error:  # litellm raises whatever its providers do; the client is told
            if (oversized := response_too_large(error)) is not None:
                raise AnswerTooLarge(oversized.message) from error
            status = getattr(error, "status_code", None)
            return _refusal(status if isinstance(status, int) and status >= 400 else 502, str(error))
        if arguments.get("stream"):
            return UpstreamResponse(200, {"content-type": "text/event-stream"}, _events(answer))
        return UpstreamResponse(200, JSON, _once(answer.model_dump_json().encode()))

    async def aclose(self) -> None:
        """Nothing to let go of: litellm keeps its own connections."""

    def _arguments(self, asked: Any) -> dict[str, Any]:
        if not isinstance(asked, dict):
            raise ValueError("The body must be a JSON object.")
        if unknown := sorted(asked.keys() - OPENAI_FIELDS):
            raise ValueError(f"Unknown parameters: {', '.join(unknown)}")
        provider, slash, _ = self.model.partition("/")
        model = asked.get("model") or self.model
        if slash and not model.startswith(f"{provider}/"):
            model = f"{provider}/{model}"
        return asked | {"model": model}


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _events(chunks: Any) -> AsyncIterator[bytes]:
    try:
        async for chunk in chunks:
            yield b"data: " + chunk.model_dump_json(exclude_none=True).encode() + b"\n\n"
    except Exception as error:  # noqa: BLE001 - as above; a stream can only say so in the stream
        yield b"data: " + error_body(str(error)) + b"\n\n"
    finally:
        with suppress(AttributeError):
            await chunks.aclose()
    yield DONE


def _refusal(status: int, message: str) -> UpstreamResponse:
    return UpstreamResponse(status, JSON, _once(error_body(message)))


def error_body(message: str) -> bytes:
    """An error as OpenAI's API words it."""
    error: Mapping[str, Any] = {"message": message, "type": "upstream_error", "param": None, "code": None}
    return orjson.dumps({"error": error})
