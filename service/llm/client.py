"""Talking to a language model: retried, metered, within budget, and validated."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final, Generic

from pydantic import ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.domain.field_types import replace_unstorable
from service.domain.health_status import HealthStatus
from service.domain.spending import FAILED, UNRECORDED, Ledger, Purpose, Usage
from service.errors import ReverieError
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Budget, Meter
from service.llm.structured import Value, parse, repair_prompt, with_instruction
from service.llm.transport import REQUEST_TIMEOUT, call_once, is_transient
from service.provider.library import load_litellm
from service.provider.prices import entry_of, reported, usage_of

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


@dataclass(slots=True)
class _Attempt:
    """What an attempt used, as far as it is known."""

    used: Usage = FAILED


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
        condition: HealthStatus | None = None,
        ledger: Ledger = UNRECORDED,
        purpose: Purpose = "probe",
    ) -> None:
        """``timeout_s`` bounds one attempt. ``json_schema``: whether the model can be held to one; None asks litellm.
        ``condition`` is told how each attempt ended. ``ledger``: where each attempt is reserved and recorded, for
        this ``purpose``.

        Opens nothing: litellm is imported at the first call.
        """
        self.model = model
        self.meter = meter or Meter()
        self.condition = condition or HealthStatus()
        self._api_base = api_base
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._json_schema = json_schema
        self._backoff_first_s = backoff_first_s
        self._ledger = ledger
        self._purpose: Purpose = purpose

    def within(self, budget: Budget, spent: Usage | None = None) -> LLM:
        """The same model with a meter of its own, which also counts in this one's; ``spent`` is from before."""
        return self._derived(Meter(budget, spent=spent, parent=self.meter), self._purpose)

    def to(self, purpose: Purpose) -> LLM:
        """The same model, called for this purpose."""
        return self._derived(Meter(parent=self.meter), purpose)

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
        request["messages"] = self.sent(messages, schema)
        if self._holds_to_schema():
            request["response_format"] = schema
        timeout_s = timeout_s or self._timeout_s
        answer = await self._answer(request, meter, timeout_s)
        try:
            value = parse(answer.text, schema)
        except ValidationError as invalid:
            meter.note_failure(f"{self.model} gave no valid {schema.__name__}.")
            request["messages"] = [
                *request["messages"],
                {"role": "assistant", "content": answer.text or "(nothing)"},
                {"role": "user", "content": repair_prompt(invalid, cut_off=answer.cut_off)},
            ]
            answer = await self._answer(request, meter, timeout_s)
            try:
                value = parse(answer.text, schema)
            except ValidationError as still:
                repair = repair_prompt(still, cut_off=answer.cut_off)
                meter.note_failure(f"{self.model} gave no valid {schema.__name__}.")
                raise LLMInvalidOutput(f"{self.model} gave no valid {schema.__name__} twice. {repair}") from still
        return Structured(value, meter.usage)

    def _derived(self, meter: Meter, purpose: Purpose) -> LLM:
        return type(self)(
            self.model,
            api_base=self._api_base,
            api_key=self._api_key,
            timeout_s=self._timeout_s,
            json_schema=self._json_schema,
            backoff_first_s=self._backoff_first_s,
            meter=meter,
            condition=self.condition,
            ledger=self._ledger,
            purpose=purpose,
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
        async with self._charged(meter, usage_of(self.model, prompt_tokens, request["max_tokens"])) as this:
            # A call cut short by cancellation or a timeout may be billed for its prompt; one that is refused is not.
            this.used = usage_of(self.model, prompt_tokens, failed=True)
            started = perf_counter()
            try:
                response = await call_once(call, self.model, timeout_s, self._api_base)
            except (LLMUnavailable, LLMInvalidOutput) as error:
                meter.note_failure(error.message)
                if isinstance(error, LLMRefused) and error.status not in NO_ENTRY:
                    self.condition.mark_ok()
                else:
                    self.condition.mark_failed(error.message)
                if isinstance(error, LLMUnavailable) and error.status != REQUEST_TIMEOUT:
                    this.used = FAILED
                raise
            self.condition.mark_ok((perf_counter() - started) * 1000)
            usage = getattr(response, "usage", None)
            this.used = usage_of(
                self.model,
                reported(getattr(usage, "prompt_tokens", None), 0) or prompt_tokens,
                reported(getattr(usage, "completion_tokens", None), 0),
            )
        if not response.choices:
            return _Answer("", cut_off=False)
        choice = response.choices[0]
        return _Answer(replace_unstorable(choice.message.content or ""), cut_off=choice.finish_reason == "length")

    @asynccontextmanager
    async def _charged(self, meter: Meter, worst: Usage) -> AsyncIterator[_Attempt]:
        """Reserve ``worst`` with the meter and in the ledger for an attempt, and settle what it used, however it ends.

        Raises BudgetReached before the block.
        """
        this = _Attempt(Usage())
        meter.reserve(worst)
        try:
            charge = await self._ledger.reserve(self._purpose, self.model, worst)
            try:
                yield this
            finally:
                charge.settle(this.used)
        finally:
            meter.reconcile(worst, this.used)

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

    def sent(self, messages: Sequence[Message], schema: type[Value]) -> list[dict[str, Any]]:
        """The messages that ``structured`` sends for these."""
        plain = [dict(message) for message in messages]
        return plain if self._holds_to_schema() else with_instruction(plain, schema)

    def _holds_to_schema(self) -> bool:
        if self._json_schema is not None:
            return self._json_schema
        provider = self.model.partition("/")[0]
        return provider in _PROVIDERS_WITH_SCHEMA or bool(entry_of(self.model).get("supports_response_schema"))

    def _key(self, litellm: Any) -> str | None:
        """The key to send; never OPENAI_API_KEY to a server that is not OpenAI's."""
        is_openais = self.model.startswith("openai/") or self.model in litellm.open_ai_chat_completion_models
        if self._api_base and not self._api_key and is_openais:
            return "none"
        return self._api_key
