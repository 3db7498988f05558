"""One model of one provider, and how it is reached: by what the installation says, or by what a workspace does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
from pydantic import BaseModel

from service.domain.health_status import HealthStatus
from service.errors import ReverieError
from service.llm.errors import LLMRefused
from service.llm.structured import with_instruction
from service.provider.failures import located
from service.provider.guarded_transport import GuardedTransport
from service.provider.prices import entry_of

TIMEOUT_S: Final = 60.0
OPENAI_BASE: Final = "https://api.openai.com/v1"
NO_KEY: Final = "none"
UNAUTHORIZED: Final = 401
# Providers that hold any model to a schema, whatever litellm's table says of the model.
_PROVIDERS_WITH_SCHEMA: Final = frozenset({"ollama", "ollama_chat", "hosted_vllm", "lm_studio"})


@dataclass
class Endpoint:
    """A model by litellm's name for it. ``timeout_s`` bounds one attempt. ``json_schema``: whether the model can be
    held to one; None asks litellm. ``condition`` is how the last attempt ended."""

    model: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S
    json_schema: bool | None = None
    condition: HealthStatus = field(default_factory=HealthStatus, compare=False)

    def access(self, litellm: Any) -> dict[str, Any]:
        """The arguments of a call that say where it goes, and with which key."""
        return {"api_base": self.api_base, "api_key": self._key(litellm)}

    async def decide(self, litellm: Any, decision: Mapping[str, Any], timeout_s: float) -> Any:
        """Put questions to a decision model: the answer in the form of OpenAI's ``/v1/decisions``, whichever format
        the provider speaks."""
        if not hasattr(litellm, "adecisions"):
            raise LLMRefused("The installed litellm knows no decision models.")
        return await litellm.adecisions(
            model=self.model, timeout=timeout_s, max_retries=0, num_retries=0, **self.access(litellm), **decision
        )

    def server(self, litellm: Any) -> tuple[str | None, str | None]:
        """The base URL and key of the provider, as far as they are known without a call."""
        try:
            _, provider, key, base = litellm.get_llm_provider(
                self.model, api_base=self.api_base, api_key=self._key(litellm)
            )
        except litellm.BadRequestError:
            return self.api_base, self.api_key
        if provider == "openai":
            return base or OPENAI_BASE, key or self._key(litellm) or os.environ.get("OPENAI_API_KEY")
        return base, key

    def sent(self, messages: Sequence[Mapping[str, Any]], schema: type[BaseModel] | None) -> list[dict[str, Any]]:
        """The messages that are sent for these: with the schema in words, where the model cannot be held to it."""
        plain = [dict(message) for message in messages]
        return plain if schema is None or self.holds_to_schema() else with_instruction(plain, schema)

    def holds_to_schema(self) -> bool:
        """Whether an answer can be held to a JSON schema."""
        if self.json_schema is not None:
            return self.json_schema
        provider = self.model.partition("/")[0]
        return provider in _PROVIDERS_WITH_SCHEMA or bool(entry_of(self.model).get("supports_response_schema"))

    def _key(self, litellm: Any) -> str | None:
        """The key to send; never OPENAI_API_KEY to a server that is not OpenAI's."""
        is_openais = self.model.startswith("openai/") or self.model in litellm.open_ai_chat_completion_models
        if self.api_base and not self.api_key and is_openais:
            return NO_KEY
        return self.api_key


@dataclass
class WorkspaceEndpoint(Endpoint):
    """One that a workspace names: an OpenAI-compatible server, reached with the workspace's key alone, by connections
    that take nothing from the environment and, unless ``private``, lead to public addresses only. ``unseal`` gives the
    key at the first call."""

    private: bool = False
    unseal: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    _client: Any = field(default=None, repr=False, compare=False)

    async def decide(self, litellm: Any, decision: Mapping[str, Any], timeout_s: float) -> Any:
        """The same through the client of the endpoint: the server speaks OpenAI's format."""
        client = self.access(litellm)["client"]
        body = {"model": self.model.partition("/")[2], **decision}
        return await client.post("/decisions", cast_to=object, body=body, options={"timeout": timeout_s})

    def access(self, litellm: Any) -> dict[str, Any]:
        """The arguments of a call, with the client that it goes through."""
        base = self.api_base or OPENAI_BASE
        if self._client is None:
            key = self.api_key = self._unsealed()
            from openai import AsyncOpenAI

            http = httpx.AsyncClient(
                transport=GuardedTransport(private=self.private), follow_redirects=False, trust_env=False
            )
            self._client = AsyncOpenAI(api_key=key, base_url=base, http_client=http, max_retries=0)
            # By default those of the environment, which are the installation's.
            self._client.organization = self._client.project = None
        return {"api_base": base, "api_key": self.api_key, "client": self._client}

    def _unsealed(self) -> str:
        try:
            return self.unseal() if self.unseal is not None else NO_KEY
        except ReverieError as error:
            raise LLMRefused(f"{located(self.model, self.api_base)}: {error.message}", status=UNAUTHORIZED) from error
