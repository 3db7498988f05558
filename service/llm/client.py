"""Talking to a language model: retried, metered, within budget, and validated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, Final, Generic

import structlog
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.domain.field_types import replace_unstorable
from service.domain.health_status import HealthStatus
from service.domain.json import dumps
from service.domain.spending import FAILED, UNRECORDED, Ledger, Purpose, Usage
from service.errors import ReverieError
from service.llm.endpoint import TIMEOUT_S, Endpoint
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.metering import Meter
from service.llm.structured import Value, parse, repair_prompt
from service.llm.transport import REQUEST_TIMEOUT, call_once, is_transient
from service.provider.library import load_litellm
from service.provider.prices import reported, usage_of

log = structlog.get_logger(__name__)

Message = Mapping[str, Any]
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


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked, whichever model answers. ``schema``: what the answer is held to."""

    messages: Sequence[Message]
    tokens_max: int
    temperature: float
    timeout_s: float | None
    schema: type[BaseModel] | None = None

    def prompt(self, endpoint: Endpoint) -> list[dict[str, Any]]:
        """The messages that are sent to this model."""
        return endpoint.sent(self.messages, self.schema)

    def call(self, litellm: Any, endpoint: Endpoint, timeout_s: float) -> Callable[[], Awaitable[Any]]:
        """One call of this model."""
        return partial(
            litellm.acompletion,
            model=endpoint.model,
            messages=self.prompt(endpoint),
            max_tokens=self.tokens_max,
            temperature=self.temperature,
            response_format=self.schema if self.schema is not None and endpoint.holds_to_schema() else None,
            timeout=timeout_s,
            max_retries=0,
            num_retries=0,
            drop_params=True,
            **endpoint.access(litellm),
        )

    def answer(self, response: Any, model: str) -> _Answer:
        """The answer in a response."""
        if not response.choices:
            return _Answer("", cut_off=False, model=model)
        choice = response.choices[0]
        text = replace_unstorable(choice.message.content or "")
        return _Answer(text, cut_off=choice.finish_reason == "length", model=model)


@dataclass(frozen=True, slots=True)
class _Decision:
    """Questions to a decision model about a text. The answer is JSON: for each question the probability of each choice,
    null where the model refuses it."""

    text: str
    questions: Sequence[Mapping[str, Any]]
    timeout_s: float | None = None
    tokens_max: int = 0

    def prompt(self, _: Endpoint) -> list[dict[str, Any]]:
        """What the tokens of the call are counted by."""
        return [{"role": "user", "content": self.text + dumps(self.questions).decode()}]

    def call(self, litellm: Any, endpoint: Endpoint, timeout_s: float) -> Callable[[], Awaitable[Any]]:
        """One call of this model."""
        return partial(endpoint.decide, litellm, {"input": self.text, "questions": self.questions}, timeout_s)

    def answer(self, response: Any, model: str) -> _Answer:
        """The answer in a response."""
        whole = response if isinstance(response, dict) else response.model_dump()
        answers = whole.get("answers")
        if not isinstance(answers, list | tuple) or len(answers) != len(self.questions):
            return _Answer("[]", cut_off=False, model=model)
        return _Answer(json.dumps([probabilities_of(one) for one in answers]), cut_off=False, model=model)


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    cut_off: bool
    model: str


@dataclass(slots=True)
class _Attempt:
    """What an attempt used, as far as it is known."""

    used: Usage = FAILED


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
        answer = await self._answer(_Request(messages, tokens_max, temperature, timeout_s), meter)
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
        request = _Request(messages, tokens_max, temperature, timeout_s, schema)
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
        answer = await self._answer(_Decision(text, questions), Meter(parent=self.meter))
        found: list[dict[str, float] | None] = json.loads(answer.text)
        if len(found) != len(questions):
            raise LLMInvalidOutput(f"{answer.model} gave another number of answers than there were questions.")
        return found

    def _derived(self, meter: Meter, purpose: Purpose) -> LLM:
        derived = copy(self)
        derived.meter, derived._purpose = meter, purpose
        return derived

    async def _answer(self, request: _Request | _Decision, meter: Meter) -> _Answer:
        """One answer: one attempt at each model that has alternatives left, up to four at the last of them. Each is
        checked against the budget and metered. A request that is refused is not put to another model."""
        *others, last = sorted(self._endpoints, key=_failed_lately)
        for endpoint in others:
            try:
                return await self._attempt(endpoint, request, meter)
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
        answer: _Answer = await retrying(self._attempt, last, request, meter)
        return answer

    async def _attempt(self, endpoint: Endpoint, request: _Request | _Decision, meter: Meter) -> _Answer:
        litellm = await load_litellm()
        model, timeout_s = endpoint.model, request.timeout_s or endpoint.timeout_s
        prompt_tokens = litellm.token_counter(model=model, messages=request.prompt(endpoint))
        call = request.call(litellm, endpoint, timeout_s)
        async with self._charged(model, meter, usage_of(model, prompt_tokens, request.tokens_max)) as this:
            # A call cut short by cancellation or a timeout may be billed for its prompt; one that is refused is not.
            this.used = usage_of(model, prompt_tokens, failed=True)
            response = await _called(call, endpoint, timeout_s, meter, this)
            this.used = _used(model, response, prompt_tokens)
        meter.note_answer(model)
        return request.answer(response, model)

    @asynccontextmanager
    async def _charged(self, model: str, meter: Meter, worst: Usage) -> AsyncIterator[_Attempt]:
        """Reserve ``worst`` with the meter and in the ledger for an attempt, and settle what it used, however it ends.

        Raises BudgetReached before the block.
        """
        this = _Attempt(Usage())
        meter.reserve(worst)
        try:
            charge = await self._ledger.reserve(self._purpose, model, worst)
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


def probabilities_of(answered: Any) -> dict[str, float] | None:
    """Of the choices of one question; None for a refusal."""
    listed = answered.get("probabilities") if isinstance(answered, dict) else None
    if not isinstance(listed, list | tuple) or not all(isinstance(one, dict) for one in listed):
        return None
    return {str(one.get("value")): one.get("probability") for one in listed}


def _failed_lately(endpoint: Endpoint) -> bool:
    return endpoint.condition.state == "failing" and endpoint.condition.age_s < SKIPPED_S


async def _called(
    call: Callable[[], Awaitable[Any]], endpoint: Endpoint, timeout_s: float, meter: Meter, this: _Attempt
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
