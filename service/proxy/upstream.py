"""The servers of models: which one a request goes to, what is passed on, and what comes back.

A server that speaks the client's protocol gets the client's bytes and gives its own back, so nothing is lost in
between. Everything else is called through litellm, which translates.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

import httpx
import orjson

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.json import dumps
from service.domain.word_lists import word_set
from service.errors import AnswerTooLarge, Unavailable
from service.provider import (
    OPENAI_BASE,
    RESPONSE_BYTES_MAX,
    describe,
    host_of,
    limit_bytes,
    limited,
    load_litellm,
    response_too_large,
    trust,
)
from service.proxy.wire_formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES, WireFormat, objects, parsed, prompt_tokens
from service.settings import Settings

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
        """Return whether the answer comes as server-sent events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")

    async def read(self) -> bytes:
        """Return the body at once."""
        return b"".join([part async for part in self.body])


class Upstream(ABC):
    """Where answers come from."""

    @abstractmethod
    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        """Send a request. Raises Unavailable when nobody answers, and RuntimeError inside a database transaction. The
        body raises Unavailable where it breaks off, and AnswerTooLarge.
        """

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        """Return the models that the server lists, as it lists them; empty where it lists none."""
        return []

    async def aclose(self) -> None:  # noqa: B027 - some keep no connections
        """Let go of connections."""


TRANSLATED: Final[Mapping[WireFormat, frozenset[str]]] = {
    CHAT_COMPLETIONS: word_set("""
        audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
        metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort
        response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice
        tools top_logprobs top_p user verbosity web_search_options"""),
    RESPONSES: word_set("""
        include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls prompt_cache_key
        reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools
        top_logprobs top_p truncation user verbosity"""),
    MESSAGES: word_set("""
        max_tokens messages metadata model output_config output_format stop_sequences stream system temperature
        thinking tool_choice tools top_k top_p"""),
}
"""What litellm translates. Its own arguments include keys and URLs."""
LEFT_OUT: Final = word_set("cache_control context_management inference_geo service_tier speed")
"""Fields of Anthropic's API that change no answer: another provider does without them."""
_SAMPLING: Final = word_set("""
    add_generation_prompt bad_words best_of cache_prompt chat_template_kwargs continue_final_message documents
    dry_allowed_length dry_base dry_multiplier echo enable_thinking grammar guided_choice guided_decoding_backend
    guided_grammar guided_json guided_regex ignore_eos include_reasoning include_stop_str_in_output json_schema
    keep_alive length_penalty min_p min_tokens mirostat mirostat_eta mirostat_tau num_ctx options plugins priority
    prompt_logprobs prompt_mode provider random_seed reasoning repeat_penalty repetition_penalty return_token_ids
    safe_prompt search_parameters skip_special_tokens spaces_between_special_tokens stop_token_ids structured_outputs
    suffix tfs_z think thinking thinking_budget top_a top_k transforms truncate_prompt_tokens ttl typical_p usage
    use_beam_search xtc_probability xtc_threshold""")
"""What servers of OpenAI's protocol (vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, Mistral, xAI) take besides."""
PASSED_ON: Final[Mapping[WireFormat, frozenset[str]]] = {
    CHAT_COMPLETIONS: TRANSLATED[CHAT_COMPLETIONS] | _SAMPLING | {"prompt_cache_retention"},
    RESPONSES: TRANSLATED[RESPONSES]
    | _SAMPLING
    | word_set("background context_management conversation previous_response_id prompt prompt_cache_retention"),
    MESSAGES: TRANSLATED[MESSAGES] | LEFT_OUT | word_set("container mcp_servers"),
}
"""What goes to a server that speaks the format itself, or is refused by name."""


CONNECT_S: Final = 10.0
HEADERS_PASSED_ON: Final = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id")
HEADER_PREFIXES_PASSED_ON: Final = ("openai-", "anthropic-", "x-ratelimit-")


class PassThrough(Upstream):
    """A server that speaks some formats itself; bytes pass through as they are."""

    def __init__(
        self, api_base: str, key: str | None, formats: Sequence[WireFormat], timeout_s: float, bytes_max: int
    ) -> None:
        """``timeout_s`` bounds the wait for the first and for every further byte, ``bytes_max`` an answer."""
        self.formats = formats
        self._bytes_max = bytes_max
        self._host = host_of(api_base)
        self._base = api_base.rstrip("/")
        fixed = {"accept-encoding": "identity", "content-type": "application/json"}
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        self._http = httpx.AsyncClient(headers=fixed | self._authorized(key), timeout=timeout, verify=trust())

    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        assert_outside_transaction()
        url = self._base + request.wire.path + request.operation
        headers = dict(request.headers) | self._authorized(request.key)
        sent = self._http.build_request("POST", url, content=request.content, headers=headers)
        try:
            response = await self._http.send(sent, stream=True)
        except httpx.HTTPError as error:
            raise Unavailable(f"{describe(error, 'The model', url)}.") from error
        passed_on = {
            name: value
            for name, value in response.headers.items()
            if name in HEADERS_PASSED_ON or name.startswith(HEADER_PREFIXES_PASSED_ON)
        }
        return UpstreamResponse(response.status_code, passed_on, limited(_raw(response), self._bytes_max, self._host))

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        assert_outside_transaction()
        sent = self._http.build_request("GET", f"{self._base}/models", headers=dict(headers))
        try:
            response = await self._http.send(sent, stream=True)
            body = b"".join([part async for part in limited(_raw(response), RESPONSE_BYTES_MAX, self._host)])
            listed = orjson.loads(body)["data"] if response.status_code == OK else []
        except (httpx.HTTPError, ValueError, TypeError, KeyError, Unavailable, AnswerTooLarge):
            return []
        return listed if isinstance(listed, list) else []

    def _authorized(self, key: str | None) -> dict[str, str]:
        if not key:
            return {}
        return {"x-api-key": key} if MESSAGES in self.formats else {"authorization": f"Bearer {key}"}

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


TIMEOUT_S: Final = 600.0
"""Between two bytes of a model."""
ANTHROPIC_BASE: Final = "https://api.anthropic.com/v1"
SPEAKS_OPENAI: Final = frozenset(
    {"openai", "custom_openai", "openai_like", "hosted_vllm", "lm_studio", "litellm_proxy"}
)
"""litellm's providers whose server takes OpenAI's own requests."""
CLAUDE: Final = ("claude*", "anthropic/*")
"""Names of models that go to the server of ``REVERIE_PROXY_ANTHROPIC``."""
NO_MODEL: Final = "No model is configured for the proxy: set LLM_MODEL, or LLM_API_BASE of a server."


def open_upstream(settings: Settings) -> Upstream | None:
    """Return the upstream that LLM_MODEL, LLM_API_BASE and LLM_API_KEY name, and beside it the one for Claude; None
    where they name none."""
    default = _default_upstream(settings)
    at = settings.proxy_anthropic
    return default if at is None else ByModel(CLAUDE, _anthropic(settings, at.api_base, at.api_key), default)


def _default_upstream(settings: Settings) -> Upstream | None:
    base, key = settings.llm_api_base, settings.llm_api_key
    provider = (settings.llm_model or "").partition("/")[0] if "/" in (settings.llm_model or "") else ""
    if provider == "anthropic":
        return _anthropic(settings, base, key or os.environ.get("ANTHROPIC_API_KEY"))
    if provider == "openai" or (base and (not provider or provider in SPEAKS_OPENAI)):
        if not base:
            base, key = OPENAI_BASE, key or os.environ.get("OPENAI_API_KEY")
        timeout_s, bytes_max = TIMEOUT_S, settings.tuning.proxy_answer_bytes_max
        server = PassThrough(base, key, (CHAT_COMPLETIONS, RESPONSES), timeout_s, bytes_max)
        return Translating(server, LiteLLM("custom_openai", base, key, timeout_s, bytes_max, provider))
    if settings.llm_model:
        limits = TIMEOUT_S, settings.tuning.proxy_answer_bytes_max
        return LiteLLM(provider, base, key, *limits, provider)
    return None


def _anthropic(settings: Settings, base: str | None, key: str | None) -> Upstream:
    limits = TIMEOUT_S, settings.tuning.proxy_answer_bytes_max
    root = (base or ANTHROPIC_BASE).rstrip("/").removesuffix("/v1")
    server = PassThrough(f"{root}/v1", key, (MESSAGES,), *limits)
    return Translating(server, LiteLLM("anthropic", root, key, *limits, "anthropic"))


@dataclass(frozen=True, slots=True)
class Translating(Upstream):
    """A server that is sent what it speaks itself, and through litellm what it does not."""

    server: PassThrough
    translator: LiteLLM

    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        spoken = request.wire in self.server.formats
        return await (self.server if spoken else self.translator).send(request)

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        return await self.server.models(headers)

    async def aclose(self) -> None:
        await self.server.aclose()


@dataclass(frozen=True, slots=True)
class ByModel(Upstream):
    """``named`` for models of these names (patterns as in file names), ``default`` for all others."""

    names: Sequence[str]
    named: Upstream
    default: Upstream | None

    async def send(self, request: UpstreamRequest) -> UpstreamResponse:
        upstream = self.named if any(fnmatchcase(request.model, name) for name in self.names) else self.default
        if upstream is None:
            raise Unavailable(NO_MODEL)
        return await upstream.send(request)

    async def models(self, headers: Mapping[str, str]) -> list[Any]:
        return [model for upstream in self._all() for model in await upstream.models(headers)]

    async def aclose(self) -> None:
        for upstream in self._all():
            await upstream.aclose()

    def _all(self) -> list[Upstream]:
        return [self.named] if self.default is None else [self.named, self.default]
