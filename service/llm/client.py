"""Talking to a language model: retried, metered, within budget, and validated (rows D3, D12, D13)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final, Generic

from pydantic import ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.domain.condition import Condition
from service.errors import ReverieError
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Budget, Meter, Usage
from service.llm.structured import Value, complaint, parse, with_instruction
from service.llm.transport import REQUEST_TIMEOUT, attempt, is_transient, load_litellm

Message = Mapping[str, Any]
ATTEMPTS_MAX: Final = 4
BACKOFF_FIRST_S: Final = 0.5
BACKOFF_MAX_S: Final = 15.0
TIMEOUT_S: Final = 60.0
OPENAI_BASE: Final = "https://api.openai.com/v1"
NO_ENTRY: Final = frozenset({401, 403, 404})
"""Refusals that every request would meet: a wrong key, no access, no such model."""
# Providers that hold any model to a schema, whatever litellm's table says of the model.
_PROVIDERS_WITH_SCHEMA: Final = frozenset({"ollama", "ollama_chat", "hosted_vllm", "lm_studio"})


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. ``cut_off``: it ended because of ``tokens_max``. ``usage``: of this call, failed attempts too."""

    text: str
    cut_off: bool
    usage: Usage


@dataclass(frozen=True, slots=True)
class Structured(Generic[Value]):
    """A validated answer, and what it took."""

    value: Value
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    cut_off: bool


class LLM:
    """One model of one provider, by litellm's name for it. Safe for concurrent use."""

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        json_schema: bool | None = None,
        backoff_first_s: float = BACKOFF_FIRST_S,
        meter: Meter | None = None,
        condition: Condition | None = None,
    ) -> None:
        """``timeout_s`` bounds one attempt. ``json_schema``: whether the model can be held to one; None asks litellm.
        ``condition`` is told how each attempt ended.

        Opens nothing: litellm is imported at the first call.
        """
        self.model = model
        self.meter = meter or Meter()
        self.condition = condition or Condition()
        self._api_base = api_base
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._json_schema = json_schema
        self._backoff_first_s = backoff_first_s

    def within(self, budget: Budget, spent: Usage | None = None) -> LLM:
        """The same model with a meter of its own, which also counts in this one's; ``spent`` is from before."""
        return self._with_meter(Meter(budget, spent=spent, parent=self.meter))

    async def complete(
        self, messages: Sequence[Message], *, tokens_max: int, temperature: float = 0, timeout_s: float | None = None
    ) -> Completion:
        """Answer ``messages`` in at most ``tokens_max`` tokens.

        Raises LLMUnavailable, LLMRefused, BudgetReached, and LLMInvalidOutput for an empty answer.
        """
        meter = Meter(parent=self.meter)
        request = {"messages": list(messages), "max_tokens": tokens_max, "temperature": temperature}
        answer = await self._answer(request, meter, timeout_s or self._timeout_s)
        if not answer.text:
            raise LLMInvalidOutput(f"{self.model} gave an empty answer.")
        return Completion(answer.text, answer.cut_off, meter.usage)

    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[Value],
        *,
        tokens_max: int,
        temperature: float = 0,
        timeout_s: float | None = None,
    ) -> Structured[Value]:
        """Answer ``messages`` with a ``schema``; an invalid answer is sent back once, saying what is wrong with it.

        Raises LLMInvalidOutput when the second answer is invalid too, and what ``complete`` raises.
        """
        meter = Meter(parent=self.meter)
        request: dict[str, Any] = {"max_tokens": tokens_max, "temperature": temperature}
        if await self._holds_to_schema():
            request |= {"messages": [dict(message) for message in messages], "response_format": schema}
        else:
            request["messages"] = with_instruction([dict(message) for message in messages], schema)
        timeout_s = timeout_s or self._timeout_s
        answer = await self._answer(request, meter, timeout_s)
        try:
            value = parse(answer.text, schema)
        except ValidationError as invalid:
            meter.note_failure(f"{self.model} gave no valid {schema.__name__}.")
            request["messages"] = [
                *request["messages"],
                {"role": "assistant", "content": answer.text or "(nothing)"},
                {"role": "user", "content": complaint(invalid, cut_off=answer.cut_off)},
            ]
            answer = await self._answer(request, meter, timeout_s)
            try:
                value = parse(answer.text, schema)
            except ValidationError as still:
                told = complaint(still, cut_off=answer.cut_off)
                meter.note_failure(f"{self.model} gave no valid {schema.__name__}.")
                raise LLMInvalidOutput(f"{self.model} gave no valid {schema.__name__} twice. {told}") from still
        return Structured(value, meter.usage)

    def _with_meter(self, meter: Meter) -> LLM:
        return type(self)(
            self.model,
            api_base=self._api_base,
            api_key=self._api_key,
            timeout_s=self._timeout_s,
            json_schema=self._json_schema,
            backoff_first_s=self._backoff_first_s,
            meter=meter,
            condition=self.condition,
        )

    async def _answer(self, request: dict[str, Any], meter: Meter, timeout_s: float) -> _Answer:
        """One answer, in up to four attempts; each is checked against the budget and metered."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(is_transient),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=wait_random_exponential(multiplier=self._backoff_first_s, max=BACKOFF_MAX_S),
            reraise=True,
        )
        answer: _Answer = await retrying(self._attempt, request, meter, timeout_s)
        return answer

    async def _attempt(self, request: dict[str, Any], meter: Meter, timeout_s: float) -> _Answer:
        litellm = await load_litellm()
        prompt_tokens = litellm.token_counter(model=self.model, messages=request["messages"])
        worst = self._usage(litellm, prompt_tokens, request["max_tokens"])
        meter.reserve(worst)
        # A call cut short by cancellation or a timeout may be billed for its prompt; one that is refused is not.
        actual = self._usage(litellm, prompt_tokens, 0, failed=True)
        call = partial(
            litellm.acompletion,
            model=self.model,
            api_base=self._api_base,
            api_key=self._key(litellm),
            timeout=timeout_s,
            max_retries=0,
            num_retries=0,
            drop_params=True,
            **request,
        )
        started = perf_counter()
        try:
            response = await attempt(call, self.model, timeout_s)
            self.condition.works((perf_counter() - started) * 1000)
            used = response.usage
            actual = self._usage(litellm, used.prompt_tokens or prompt_tokens, used.completion_tokens or 0)
        except LLMUnavailable as error:
            meter.note_failure(error.message)
            if isinstance(error, LLMRefused) and error.status not in NO_ENTRY:
                self.condition.works()
            else:
                self.condition.fails(error.message)
            if error.status != REQUEST_TIMEOUT:
                actual = Usage(calls=1, failed_calls=1)
            raise
        finally:
            meter.settle(worst, actual)
        if not response.choices:
            return _Answer("", cut_off=False)
        choice = response.choices[0]
        return _Answer(choice.message.content or "", cut_off=choice.finish_reason == "length")

    def _usage(self, litellm: Any, prompt_tokens: int, completion_tokens: int, *, failed: bool = False) -> Usage:
        """Usage of one attempt, priced by litellm's table; a model it does not list is free."""
        entry = self._entry(litellm)
        cost_usd = prompt_tokens * (entry.get("input_cost_per_token") or 0.0)
        cost_usd += completion_tokens * (entry.get("output_cost_per_token") or 0.0)
        return Usage(1, int(failed), prompt_tokens, completion_tokens, cost_usd)

    def _entry(self, litellm: Any) -> dict[str, Any]:
        """The model's row in litellm's table; its get_model_info() would ask an Ollama server over the network."""
        bare = self.model.partition("/")[2]
        row: dict[str, Any] = litellm.model_cost.get(self.model) or litellm.model_cost.get(bare) or {}
        return row

    async def probe(self, timeout_s: float) -> None:
        """Ask for one token; what comes of it is in ``condition``."""
        try:
            async with asyncio.timeout(timeout_s):
                await self.complete([{"role": "user", "content": "ping"}], tokens_max=1, timeout_s=timeout_s)
        except (ReverieError, TimeoutError):
            return

    async def server(self) -> tuple[str | None, str | None]:
        """The base URL and key of the provider, as far as they are known without a call."""
        litellm = await load_litellm()
        try:
            _, provider, key, base = litellm.get_llm_provider(
                self.model, api_base=self._api_base, api_key=self._key(litellm)
            )
        except litellm.BadRequestError:
            return self._api_base, self._api_key
        if provider == "openai":
            return base or OPENAI_BASE, key or self._key(litellm) or os.environ.get("OPENAI_API_KEY")
        return base, key

    async def _holds_to_schema(self) -> bool:
        if self._json_schema is not None:
            return self._json_schema
        litellm = await load_litellm()
        provider = self.model.partition("/")[0]
        return provider in _PROVIDERS_WITH_SCHEMA or bool(self._entry(litellm).get("supports_response_schema"))

    def _key(self, litellm: Any) -> str | None:
        """The key to send; never OPENAI_API_KEY to a server that is not OpenAI's."""
        is_openais = self.model.startswith("openai/") or self.model in litellm.open_ai_chat_completion_models
        if self._api_base and not self._api_key and is_openais:
            return "none"
        return self._api_key
