"""Which server a request goes to: by its model, and there as it is where the server speaks its format.

A server that speaks the same protocol gets the client's bytes and gives its own back, so nothing is lost in between.
Everything else is called through litellm, which translates.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from service.errors import Unavailable
from service.proxy.formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES
from service.proxy.pass_through import PassThrough
from service.proxy.translation import LiteLLM
from service.proxy.upstream_calls import Upstream, UpstreamRequest, UpstreamResponse
from service.settings import Settings

OPENAI_BASE: Final = "https://api.openai.com/v1"
ANTHROPIC_BASE: Final = "https://api.anthropic.com/v1"
SPEAKS_OPENAI: Final = frozenset(
    {"openai", "custom_openai", "openai_like", "hosted_vllm", "lm_studio", "litellm_proxy"}
)
"""litellm's providers whose server takes OpenAI's own requests."""
CLAUDE: Final = ("claude*", "anthropic/*")
"""Names of models that go to the server of ``REVERIE_PROXY_ANTHROPIC_API_BASE``."""
NO_MODEL: Final = "No model is configured for the proxy: set LLM_MODEL, or LLM_API_BASE of a server."


def open_upstream(settings: Settings) -> Upstream | None:
    """The upstream that LLM_MODEL, LLM_API_BASE and LLM_API_KEY name, and beside it the one for Claude; None where they
    name none."""
    default = _default_upstream(settings)
    base, key = settings.proxy_anthropic_api_base, settings.proxy_anthropic_api_key
    if base is None and key is None:
        return default
    return ByModel(CLAUDE, _anthropic(settings, base, key), default)


def _default_upstream(settings: Settings) -> Upstream | None:
    base, key = settings.llm_api_base, settings.llm_api_key
    provider = (settings.llm_model or "").partition("/")[0] if "/" in (settings.llm_model or "") else ""
    if provider == "anthropic":
        return _anthropic(settings, base, key or os.environ.get("ANTHROPIC_API_KEY"))
    if provider == "openai" or (base and (not provider or provider in SPEAKS_OPENAI)):
        if not base:
            base, key = OPENAI_BASE, key or os.environ.get("OPENAI_API_KEY")
        timeout_s, bytes_max = settings.proxy_timeout_s, settings.proxy_answer_bytes_max
        server = PassThrough(base, key, (CHAT_COMPLETIONS, RESPONSES), timeout_s, bytes_max)
        return Translating(server, LiteLLM("custom_openai", base, key, timeout_s, bytes_max, provider))
    if settings.llm_model:
        limits = settings.proxy_timeout_s, settings.proxy_answer_bytes_max
        return LiteLLM(provider, base, key, *limits, provider)
    return None


def _anthropic(settings: Settings, base: str | None, key: str | None) -> Upstream:
    limits = settings.proxy_timeout_s, settings.proxy_answer_bytes_max
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
