"""Talking to a language model: retried, metered, within budget, and validated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import count
from time import perf_counter
from typing import Any, Final, Generic

import structlog
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.domain.health_status import HealthStatus
from service.domain.spending import FAILED, UNRECORDED, Ledger, Purpose, Usage
from service.errors import ReverieError
from service.llm.endpoint import TIMEOUT_S, Endpoint
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Meter
from service.llm.requests import Answer, Attempt, ChatRequest, DecisionRequest, Message
from service.llm.structured import Value, parse, repair_prompt
from service.llm.transport import REQUEST_TIMEOUT, call_once, is_transient
from service.provider.library import load_litellm
from service.provider.prices import reported, usage_of

log = structlog.get_logger(__name__)

ATTEMPTS_MAX: Final = 4
BACKOFF_FIRST_S: Final = 0.5
BACKOFF_MAX_S: Final = 15.0
SKIPPED_S: Final = 30.0
"""For so long after a failure, a model is called only when its alternatives fail too."""
NO_ENTRY: Final = frozenset({401, 403, 404})
"""Refusals that every request would meet: a wrong key, no access, no such model."""


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


class LLM:
    """A model of a provider and those to take in its place while it does not answer. Safe for concurrent use."""

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
        ledger: Ledger = UNRECORDED,
        purpose: Purpose = "probe",
    ) -> None:
        """``model``, ``timeout_s`` and ``json_schema`` as an ``Endpoint`` has them. ``ledger``: where each attempt is
        reserved and recorded, for this ``purpose``.

        Opens nothing: litellm is imported at the first call.
        """
        self.meter = meter or Meter()
        self._endpoints = [Endpoint(model, api_base, api_key, timeout_s, json_schema)]
        self._backoff_first_s = backoff_first_s
        self._ledger = ledger
        self._purpose: Purpose = purpose

    @property
    def model(self) -> str:
        """The model that is called first."""
        return self._endpoints[0].model

    @property
    def condition(self) -> HealthStatus:
        """How the last attempt at that model ended."""
        return self._endpoints[0].condition

    def at(self, endpoints: Sequence[Endpoint]) -> LLM:
        """A client of other models, each called where those before it do not answer; its calls count in this one's
        meter and go into the same ledger."""
        derived = self._derived(Meter(parent=self.meter), self._purpose)
        derived._endpoints = list(endpoints)
        return derived

    def within(self, meter: Meter) -> LLM:
        """The same models, whose calls count in this meter and in its budget."""
        return self._derived(Meter(parent=meter), self._purpose)

    def to(self, purpose: Purpose) -> LLM:
        """The same models, called for this purpose."""
        return self._derived(Meter(parent=self.meter), purpose)

    async def complete(
        self, messages: Sequence[Message], *, tokens_max: int, temperature: float = 0, timeout_s: float | None = None
    ) -> Completion:
        """Answer ``messages`` in at most ``tokens_max`` tokens.

        Raises LLMUnavailable, LLMRefused, BudgetReached, and LLMInvalidOutput for an empty answer.
        """
        meter = Meter(parent=self.meter)
        answer = await self._answer(ChatRequest(messages, tokens_max, temperature, timeout_s), meter)
        if not answer.text:
            raise LLMInvalidOutput(f"{answer.model} gave an empty answer.")
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
        request = ChatRequest(messages, tokens_max, temperature, timeout_s, schema)
        answer = await self._answer(request, meter)
        try:
            value = parse(answer.text, schema)
        except ValidationError as invalid:
            meter.note_failure(f"{answer.model} gave no valid {schema.__name__}.")
            repair = [
                *messages,
                {"role": "assistant", "content": answer.text or "(nothing)"},
                {"role": "user", "content": repair_prompt(invalid, cut_off=answer.cut_off)},
            ]
            answer = await self._answer(replace(request, messages=repair), meter)
            try:
                value = parse(answer.text, schema)
            except ValidationError as still:
                wrong = repair_prompt(still, cut_off=answer.cut_off)
                meter.note_failure(f"{answer.model} gave no valid {schema.__name__}.")
                raise LLMInvalidOutput(f"{answer.model} gave no valid {schema.__name__} twice. {wrong}") from still
        return Structured(value, meter.usage)

    async def decide(self, text: str, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, float] | None]:
        """The probability of each choice for each question about a text, by a decision model; None for what it refuses.
        What it says of a probability is not checked. Raises what ``complete`` raises; LLMInvalidOutput where answers
        are missing."""
        answer = await self._answer(DecisionRequest(text, questions), Meter(parent=self.meter))
        found: list[dict[str, float] | None] = json.loads(answer.text)
        if len(found) != len(questions):
            raise LLMInvalidOutput(f"{answer.model} gave another number of answers than there were questions.")
        return found

    def _derived(self, meter: Meter, purpose: Purpose) -> LLM:
        derived = copy(self)
        derived.meter, derived._purpose = meter, purpose
        return derived

    async def _answer(self, request: ChatRequest | DecisionRequest, meter: Meter) -> Answer:
        """One answer: one attempt at each model that has alternatives left, up to four at the last of them. Each is
        checked against the budget and metered. A request that is refused is not put to another model."""
        *others, last = sorted(self._endpoints, key=_failed_lately)
        numbers = count(1)
        for endpoint in others:
            try:
                return await self._attempt(endpoint, request, meter, numbers)
            except LLMUnavailable as error:
                if not is_transient(error):
                    raise
                log.warning("llm_failover", model=endpoint.model, error=error.message)
        retrying = AsyncRetrying(
            retry=retry_if_exception(is_transient),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=wait_random_exponential(multiplier=self._backoff_first_s, max=BACKOFF_MAX_S),
            reraise=True,
        )
        answer: Answer = await retrying(self._attempt, last, request, meter, numbers)
        return answer

    async def _attempt(
        self, endpoint: Endpoint, request: ChatRequest | DecisionRequest, meter: Meter, numbers: Iterator[int]
    ) -> Answer:
        litellm = await load_litellm()
        model, timeout_s = endpoint.model, request.timeout_s or endpoint.timeout_s
        prompt_tokens = await asyncio.to_thread(litellm.token_counter, model=model, messages=request.prompt(endpoint))
        call = request.call(litellm, endpoint, timeout_s)
        this = Attempt(endpoint, request, next(numbers), failover=endpoint is not self._endpoints[0])
        async with self._charged(this, meter, usage_of(model, prompt_tokens, request.tokens_max)):
            # A call cut short by cancellation or a timeout may be billed for its prompt; one that is refused is not.
            this.used = usage_of(model, prompt_tokens, failed=True)
            response = await _called(call, endpoint, timeout_s, meter, this)
            this.used = _used(model, response, prompt_tokens)
            meter.note_answer(model)
            this.answer = request.answer(response, model)
        return this.answer

    @asynccontextmanager
    async def _charged(self, this: Attempt, meter: Meter, worst: Usage) -> AsyncIterator[None]:
        """Reserve ``worst`` with the meter and in the ledger for an attempt, and settle what it used, however it ends.

        Raises BudgetReached before the block.
        """
        spent = Usage()
        meter.reserve(worst)
        try:
            charge = await self._ledger.reserve(self._purpose, this.endpoint.model, worst)
            try:
                yield
            except BaseException as error:
                this.error = error
                raise
            finally:
                spent = this.used
                charge.settle(spent, this.exchange)
        finally:
            meter.reconcile(worst, spent)

    async def probe(self, timeout_s: float) -> None:
        """Ask for one token; what comes of it is in ``condition``."""
        try:
            async with asyncio.timeout(timeout_s):
                await self.complete([{"role": "user", "content": "ping"}], tokens_max=1, timeout_s=timeout_s)
        except (ReverieError, TimeoutError):
            return

    async def server(self) -> tuple[str | None, str | None]:
        """The base URL and key of the provider, as far as they are known without a call."""
        return self._endpoints[0].server(await load_litellm())

    def sent(self, messages: Sequence[Message], schema: type[BaseModel]) -> list[dict[str, Any]]:
        """The messages that ``structured`` sends to the first of the models for these."""
        return self._endpoints[0].sent(messages, schema)


def _used(model: str, response: Any, prompt_tokens: int) -> Usage:
    """What a response says that it used; what it does not say is estimated."""
    usage = response.get("usage") if isinstance(response, dict) else getattr(response, "usage", None)
    said = usage if isinstance(usage, dict) else getattr(usage, "__dict__", {})
    asked, answered = (
        reported(next((said[name] for name in names if name in said), None), 0)
        for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
    )
    return usage_of(model, asked or prompt_tokens, answered)


def _failed_lately(endpoint: Endpoint) -> bool:
    return endpoint.condition.state == "failing" and endpoint.condition.age_s < SKIPPED_S


async def _called(
    call: Callable[[], Awaitable[Any]], endpoint: Endpoint, timeout_s: float, meter: Meter, this: Attempt
) -> Any:
    """The response of one attempt; how it ended is noted of the model, in its meter, and in what it used."""
    started = perf_counter()
    try:
        response = await call_once(call, endpoint.model, timeout_s, endpoint.api_base, endpoint.api_key)
    except (LLMUnavailable, LLMInvalidOutput) as error:
        meter.note_failure(error.message)
        if isinstance(error, LLMRefused) and error.status not in NO_ENTRY:
            endpoint.condition.mark_ok()
        else:
            endpoint.condition.mark_failed(error.message)
        if isinstance(error, LLMUnavailable) and error.status != REQUEST_TIMEOUT:
            this.used = FAILED
        raise
    endpoint.condition.mark_ok((perf_counter() - started) * 1000)
    return response
