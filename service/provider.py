"""What every client of a model provider shares: litellm, its prices, bounded answers, readable failures.

- Prices are read from litellm's wheel without importing litellm, which takes 3 s and 200 MB.
- litellm reads every answer whole into memory. All of its HTTP goes through one transport class, which is made to count
  the bytes of each answer as they come, before anything decodes them. Answers are asked for uncompressed, and refused
  compressed: a few kilobytes could stand for gigabytes.
- A failure is told in words that say where to look: the model, the server, the reason.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import orjson
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.concurrency.garbage_collection import freeze_heap
from service.domain.field_types import replace_unstorable
from service.domain.spending import Usage
from service.domain.webhook_url import is_public
from service.errors import AnswerTooLarge

OPENAI_BASE: Final = "https://api.openai.com/v1"
REQUEST_TIMEOUT: Final = 408
TOO_MANY_REQUESTS: Final = 429
ATTEMPTS_MAX: Final = 4
TABLE: Final = "model_prices_and_context_window_backup.json"
FIELDS: Final = (
    "input_cost_per_token", "output_cost_per_token", "input_cost_per_query", "supports_response_schema",
    "supports_function_calling",
)  # fmt: skip
BYTES_PER_TOKEN: Final = 3
"""Of UTF-8. English has more (about 4), Chinese about 3: an estimate, replaced by what the provider reports."""


def entry_of(model: str) -> dict[str, Any]:
    """Return what the table says of a model (``FIELDS``), by its name with or without the provider; empty if not
    listed."""
    table = _table()
    return table.get(model) or table.get(model.partition("/")[2]) or {}


def usage_of(model: str, prompt_tokens: int, completion_tokens: int = 0, *, failed: bool = False) -> Usage:
    """Usage of one attempt, priced; a model that is not listed is free."""
    entry = entry_of(model)
    cost_usd = prompt_tokens * (entry.get("input_cost_per_token") or 0.0)
    cost_usd += completion_tokens * (entry.get("output_cost_per_token") or 0.0)
    cost_usd += entry.get("input_cost_per_query") or 0.0
    return Usage(1, int(failed), prompt_tokens, completion_tokens, cost_usd)


def estimated_tokens(texts: Iterable[str]) -> int:
    """About how many tokens these texts have."""
    return sum(len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1 for text in texts)


def reported(value: object, otherwise: int) -> int:
    """Return a count of tokens as a provider reports it; ``otherwise`` where it reports none."""
    return value if isinstance(value, int) and 0 <= value < 2**40 else otherwise


@cache
def _table() -> dict[str, dict[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    table = orjson.loads(Path(spec.submodule_search_locations[0], TABLE).read_bytes())
    return {model: {field: row[field] for field in FIELDS if row.get(field)} for model, row in table.items()}


REASON_CHARS_MAX: Final = 500
UNKNOWN_STATUS: Final = 500
"""litellm's for whatever has none, such as a server that is not there."""
KEY_CHARS_MIN: Final = 8
"""What is shorter, such as the ``none`` of servers that want no key, hides nothing."""
HIDDEN: Final = "(the key)"
# "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error." names three classes.
_CLASS_NAME: Final = re.compile(r"(?:[A-Za-z_]{1,40}\.){0,3}[A-Za-z_]{1,60}(?:Error|Exception)(?::| -)\s{0,3}")


def retrying(is_transient: Callable[[BaseException], bool], first_s: float, max_s: float) -> AsyncRetrying:
    """Make up to ``ATTEMPTS_MAX`` attempts at a call, after random pauses that grow to ``max_s``; raise the last error
    as it is."""
    return AsyncRetrying(
        retry=retry_if_exception(is_transient),
        stop=stop_after_attempt(ATTEMPTS_MAX),
        wait=wait_random_exponential(multiplier=first_s, max=max_s),
        reraise=True,
    )


def describe(error: BaseException, model: str, api_base: str | None, api_key: str | None = None) -> str:
    """``<model> at <host> failed: <reason>``, with the HTTP status where there is one; never a secret, and not the key
    that a server repeats."""
    status = getattr(error, "status_code", None)
    status_text = f"HTTP {status}: " if isinstance(status, int) and status != UNKNOWN_STATUS else ""
    return f"{located(model, api_base)} failed: {status_text}{_reason(error, api_key)}"


def located(model: str, api_base: str | None) -> str:
    """Return the model, and the host and port it is at where they are configured."""
    host = host_of(api_base)
    return f"{model} at {host}" if host else model


def host_of(api_base: str | None) -> str:
    """Host and port of a URL, without user name, password and path; empty where there is none."""
    try:
        return urlsplit(api_base or "").netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _reason(error: BaseException, api_key: str | None) -> str:
    """Return the library's message without its class names, and the failure of the operating system behind it, if
    any."""
    text = " ".join(str(getattr(error, "message", None) or error).split())
    while match := _CLASS_NAME.match(text):
        text = text[match.end() :]
    # The innermost OSError: connection refused, unknown host, a certificate.
    system_error = next((one for one in reversed(list(chain_of(error))) if isinstance(one, OSError)), "")
    cause = " ".join(str(system_error).split())
    if cause and cause not in text:
        text = f"{text.rstrip('. ')}: {cause}" if text else cause
    if api_key and len(api_key) >= KEY_CHARS_MIN:
        text = text.replace(api_key, HIDDEN)
    return replace_unstorable(text[:REASON_CHARS_MAX]) or type(error).__name__


def chain_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, and those that led to it, the innermost last."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__


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
    """Yield the body as it comes; raises AnswerTooLarge as soon as it has more than ``bytes_max``."""
    count = 0
    async for part in body:
        count += len(part)
        if count > bytes_max:
            raise AnswerTooLarge(f"{server} answered with more than {bytes_max:,} bytes; the call was ended.")
        yield part


def response_too_large(error: BaseException | None) -> AnswerTooLarge | None:
    """Return the AnswerTooLarge that a library's error comes from, if any."""
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


@cache
def trust() -> ssl.SSLContext:
    """httpx's own TLS context, one for the process: reading the certificates takes some 80 ms."""
    return httpx.create_ssl_context()


INSIDE = "the address is inside a network (REVERIE_ALLOW_PRIVATE allows it)"


Resolver = Callable[[str, int | None], Awaitable[list[str]]]
"""The IP addresses of a name, for a port, the best first. Raises OSError where it has none."""


async def resolve(name: str, port: int | None) -> list[str]:
    """Return the IP addresses of a name, as this machine's resolver has them."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


async def addresses_of(name: str, port: int | None, *, private: bool, resolver: Resolver = resolve) -> list[str]:
    """Return the IP addresses of a name that may be connected to: all, or the public ones. Looked up and judged here,
    once, so that the name cannot stand for another address a moment later."""
    addresses = list(dict.fromkeys(await resolver(name, port)))
    return addresses if private else [address for address in addresses if is_public(address)]


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends each request to the first of its name's addresses that can be reached. ``private`` allows those inside a
    network."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._inner = httpx.AsyncHTTPTransport(verify=trust(), trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raises PermissionError where all of the addresses are inside a network."""
        name = request.url.raw_host.decode("ascii")
        url, extensions = request.url, {**request.extensions, "sni_hostname": name}
        addresses = await addresses_of(name, url.port, private=self._private)
        if not addresses:
            raise PermissionError(INSIDE)
        for address in addresses[:-1]:
            try:
                return await self._send(request, url.copy_with(host=address), extensions)
            except httpx.ConnectError:
                continue
        return await self._send(request, url.copy_with(host=addresses[-1]), extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _send(self, request: httpx.Request, url: httpx.URL, extensions: dict[str, object]) -> httpx.Response:
        sent = httpx.Request(request.method, url, headers=request.headers, stream=request.stream, extensions=extensions)
        return await self._inner.handle_async_request(sent)


limit_responses(GuardedTransport)


async def load_litellm() -> Any:
    """litellm, imported off the event loop when first needed (3 s), with the price map of its wheel."""
    return await asyncio.to_thread(import_litellm)


@cache
def import_litellm() -> Any:
    """Return the litellm module, told to ask nothing of the network by itself, with answers bounded."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    # Counting tokens for a Llama would otherwise fetch its tokenizer.
    litellm.disable_hf_tokenizer_download = True
    # Its aembedding() takes max_retries=0 for "unset" and then lets the SDK try three times within each attempt.
    litellm.DEFAULT_MAX_RETRIES = 0
    limit_responses(importlib.import_module("litellm.llms.custom_httpx.aiohttp_transport").LiteLLMAiohttpTransport)
    freeze_heap()
    return litellm
