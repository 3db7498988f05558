"""Language models: answers and validated values within a budget, and reranking.

::

    ReverieError
      x LLMUnavailable      no answer: timeouts, 429 and 5xx after all attempts
        + LLMRefused        … and trying again will not help: wrong key, unknown model, too long, not allowed
      x LLMInvalidOutput    an answer, but not the one asked for

BudgetReached, where the call was not made, is in ``service.errors``.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

import httpx
import structlog
from pydantic import BaseModel

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.field_types import replace_unstorable
from service.domain.health_status import HealthStatus
from service.domain.json import JsonObject, dumps
from service.domain.model_calls import Exchange, Outcome
from service.domain.spending import FAILED, UNRECORDED, Ledger, Purpose, Usage
from service.errors import BudgetReached, ReverieError
from service.provider import (
    OPENAI_BASE,
    REQUEST_TIMEOUT,
    TOO_MANY_REQUESTS,
    GuardedTransport,
    describe,
    entry_of,
    estimated_tokens,
    load_litellm,
    located,
    reported,
    response_too_large,
    retrying,
    usage_of,
)
from service.structured_output import FAULTS_SHOWN_MAX, NoValue, Read, read


class LLMUnavailable(ReverieError):
    """The language model gave no answer."""

    def __init__(self, message: str | None = None, *, status: int | None = None) -> None:
        """``status``: the HTTP status it comes from, 408 for a timeout, None when there is none."""
        super().__init__(message)
        self.status = status


class LLMRefused(LLMUnavailable):
    """The provider refuses this request for good."""


class LLMInvalidOutput(ReverieError):
    """The language model's answer does not have the form asked for."""


async def call_once(
    call: Callable[[], Awaitable[Any]], model: str, timeout_s: float, api_base: str | None, api_key: str | None
) -> Any:
    """Make one call, for at most ``timeout_s`` seconds in all; no error of it says the key.

    Raises LLMUnavailable, LLMRefused, and LLMInvalidOutput for an answer past its bound. Raises RuntimeError inside a
    database transaction, before calling.
    """
    assert_outside_transaction()
    try:
        # litellm's own timeout is for each read, which a trickle of bytes never exceeds.
        async with asyncio.timeout(timeout_s):
            return await call()
    except TimeoutError as error:
        raise _late(model, timeout_s, api_base) from error
    except Exception as error:  # litellm passes on whatever a malformed answer breaks
        raise _ours(error, model, timeout_s, api_base, api_key) from error


def is_transient(error: BaseException) -> bool:
    """Return whether another attempt may succeed."""
    return isinstance(error, LLMUnavailable) and not isinstance(error, LLMRefused)


def _ours(
    error: Exception, model: str, timeout_s: float, api_base: str | None, api_key: str | None
) -> LLMUnavailable | LLMInvalidOutput:
    if (oversized := response_too_large(error)) is not None:
        return LLMInvalidOutput(f"{model}: {oversized.message}")
    status = getattr(error, "status_code", None)
    if status == REQUEST_TIMEOUT:
        return _late(model, timeout_s, api_base)
    reason = describe(error, model, api_base, api_key)
    if isinstance(status, int) and status != TOO_MANY_REQUESTS and status < 500:
        return LLMRefused(reason, status=status)
    return LLMUnavailable(reason, status=status if isinstance(status, int) else None)


def _late(model: str, timeout_s: float, api_base: str | None) -> LLMUnavailable:
    message = f"{located(model, api_base)} did not answer within {timeout_s:g} s."
    return LLMUnavailable(message, status=REQUEST_TIMEOUT)


Value = TypeVar("Value", bound=BaseModel)


def with_instruction(messages: list[dict[str, Any]], schema: type[BaseModel]) -> list[dict[str, Any]]:
    """``messages``, asking for JSON at the end of a leading system message, or before all in one: for models that
    cannot be held to a schema."""
    addition = (
        "Answer with one JSON object and nothing else: no explanation, no Markdown. "
        f"It must be valid against this JSON schema:\n{json.dumps(schema_of(schema), ensure_ascii=False)}"
    )
    if messages and messages[0]["role"] == "system" and isinstance(messages[0]["content"], str):
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{addition}"}, *messages[1:]]
    return [{"role": "system", "content": addition}, *messages]


def schema_of(form: type[BaseModel]) -> Any:
    """Return the JSON schema of a form without titles and descriptions, which repeat its names and the prompt."""

    def bare(value: Any, *, names: bool = False) -> Any:
        if isinstance(value, list):
            return [bare(one) for one in value]
        if not isinstance(value, dict):
            return value
        kept = value.items() if names else ((k, v) for k, v in value.items() if k not in ("title", "description"))
        return {name: bare(one, names=name in ("properties", "$defs") and not names) for name, one in kept}

    return bare(form.model_json_schema())


def ask_again(read: Read[Any] | None, faults: Sequence[str], *, cut_off: bool) -> str:
    """Return the question for what was lost of an answer: all of it where nothing was ``read``, else the entries that
    did not fit or that are missing after the last one."""
    shown = "\n".join(f"- {fault}" for fault in faults[:FAULTS_SHOWN_MAX])
    if read is None:
        if cut_off:
            shown = "\n".join(filter(None, ("- it was too long and was cut off: answer more briefly", shown)))
        return f"Your answer was not valid:\n{shown}\nAnswer again with the corrected JSON object only."
    lost = []
    if faults:
        lost.append(f"These entries of your answer were not valid:\n{shown}\n")
    if read.cut_off:
        lost.append("Your answer was cut off in its last entry.\n")
    what = " and ".join([*(["these entries, corrected"] * bool(faults)), *(["those that are missing"] * read.cut_off)])
    return f"{''.join(lost)}Answer with a JSON object in the same form that holds only {what}."


TIMEOUT_S: Final = 60.0
NO_KEY: Final = "none"
ANSWER_TOOL: Final = "answer"
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
        """Return the arguments of a call that say where it goes, and with which key."""
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
        """Return the base URL and key of the provider, as far as they are known without a call."""
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
        """Return the messages that are sent for these: with the schema in words, where the model takes none."""
        plain = [dict(message) for message in messages]
        return plain if schema is None or self.takes_schema(schema) else with_instruction(plain, schema)

    def takes_schema(self, schema: type[BaseModel]) -> dict[str, Any]:
        """Return the arguments of a call by which the model takes a schema: as the form of its answer, else as that of
        a tool that it must call; none where it can neither."""
        if self.holds_to_schema():
            return {"response_format": schema}
        if self.json_schema is None and entry_of(self.model).get("supports_function_calling"):
            function = {"name": ANSWER_TOOL, "description": "Give the answer.", "parameters": schema_of(schema)}
            choice = {"type": "function", "function": {"name": ANSWER_TOOL}}
            return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
        return {}

    def holds_to_schema(self) -> bool:
        """Return whether an answer can be held to a JSON schema."""
        if self.json_schema is not None:
            return self.json_schema
        provider = self.model.partition("/")[0]
        return provider in _PROVIDERS_WITH_SCHEMA or bool(entry_of(self.model).get("supports_response_schema"))

    def _key(self, litellm: Any) -> str | None:
        """Return the key to send; never OPENAI_API_KEY to a server that is not OpenAI's."""
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
        """Return the same through the client of the endpoint: the server speaks OpenAI's format."""
        client = self.access(litellm)["client"]
        body = {"model": self.model.partition("/")[2], **decision}
        return await client.post("/decisions", cast_to=object, body=body, options={"timeout": timeout_s})

    def access(self, litellm: Any) -> dict[str, Any]:
        """Return the arguments of a call, with the client that it goes through."""
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


NOT_SAID: Final = "The answer does not have the form that was asked for."


def exchange_of(
    messages: Sequence[Mapping[str, Any]], output: str, error: BaseException | None, *,
    valid: bool = True, attempt: int = 1, failover: bool = False,
) -> Exchange:  # fmt: skip
    """Return an attempt that was answered, ``valid`` or not, or that ended with an ``error``."""
    outcome = outcome_of(error) if error is not None else "answered" if valid else "invalid"
    reason = error.message if isinstance(error, ReverieError) else NOT_SAID if outcome == "invalid" else None
    return Exchange(_as_text(messages), output, outcome, reason, attempt, failover)


def outcome_of(error: BaseException) -> Outcome:
    """Return how an attempt ended that failed."""
    if isinstance(error, LLMUnavailable) and error.status == REQUEST_TIMEOUT:
        return "timeout"
    if isinstance(error, LLMRefused):
        return "refused"
    if isinstance(error, LLMInvalidOutput):
        return "invalid"
    return "cancelled" if isinstance(error, asyncio.CancelledError) else "unavailable"


def _as_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return each message after a line with its role."""
    contents = ((one.get("role"), one.get("content")) for one in messages)
    return "\n\n".join(
        f"{role}:\n{content if isinstance(content, str) else dumps(content).decode()}" for role, content in contents
    )


Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked, whichever model answers. ``schema``: what the answer is held to."""

    messages: Sequence[Message]
    tokens_max: int
    temperature: float
    timeout_s: float | None
    schema: type[BaseModel] | None = None

    def prompt(self, endpoint: Endpoint) -> list[dict[str, Any]]:
        """Return the messages that are sent to this model."""
        return endpoint.sent(self.messages, self.schema)

    def call(self, litellm: Any, endpoint: Endpoint, timeout_s: float) -> Callable[[], Awaitable[Any]]:
        """Return one call of this model."""
        return partial(
            litellm.acompletion,
            model=endpoint.model,
            messages=self.prompt(endpoint),
            max_tokens=self.tokens_max,
            temperature=self.temperature,
            timeout=timeout_s,
            max_retries=0,
            num_retries=0,
            drop_params=True,
            **(endpoint.takes_schema(self.schema) if self.schema is not None else {}),
            **endpoint.access(litellm),
        )

    def answer(self, response: Any, model: str) -> Answer:
        """Return the answer in a response."""
        if not response.choices:
            return Answer("", cut_off=False, model=model)
        choice = response.choices[0]
        calls = getattr(choice.message, "tool_calls", None) if self.schema is not None else None
        said = calls[0].function.arguments if calls else choice.message.content
        text = replace_unstorable(said or "")
        return Answer(text, cut_off=choice.finish_reason == "length", model=model)

    def accepts(self, answer: Answer) -> bool:
        """Return whether an answer has the form asked for."""
        if self.schema is None:
            return bool(answer.text)
        try:
            return read(answer.text, self.schema).is_whole
        except NoValue:
            return False


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """Questions to a decision model about a text. The answer is JSON: for each question the probability of each choice,
    null where the model refuses it."""

    text: str
    questions: Sequence[Mapping[str, Any]]
    timeout_s: float | None = None
    tokens_max: int = 0

    def prompt(self, _: Endpoint) -> list[dict[str, Any]]:
        """Return what the tokens of the call are counted by."""
        return [{"role": "user", "content": self.text + dumps(self.questions).decode()}]

    def call(self, litellm: Any, endpoint: Endpoint, timeout_s: float) -> Callable[[], Awaitable[Any]]:
        """Return one call of this model."""
        return partial(endpoint.decide, litellm, {"input": self.text, "questions": self.questions}, timeout_s)

    def answer(self, response: Any, model: str) -> Answer:
        """Return the answer in a response."""
        whole = response if isinstance(response, dict) else response.model_dump()
        answers = whole.get("answers")
        if not isinstance(answers, list | tuple) or len(answers) != len(self.questions):
            return Answer("[]", cut_off=False, model=model)
        return Answer(json.dumps([_probabilities(one) for one in answers]), cut_off=False, model=model)

    def accepts(self, answer: Answer) -> bool:
        """Return whether each question has an answer."""
        return len(json.loads(answer.text)) == len(self.questions)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered. ``cut_off``: it ended because of ``tokens_max``."""

    text: str
    cut_off: bool
    model: str


@dataclass(slots=True)
class Attempt:
    """An attempt at a model, and as far as it is known what it used and how it ended."""

    endpoint: Endpoint
    request: ChatRequest | DecisionRequest
    number: int
    failover: bool
    used: Usage = FAILED
    answer: Answer | None = None
    error: BaseException | None = None

    def exchange(self) -> Exchange:
        """Return what was said in it."""
        answer, request = self.answer, self.request
        return exchange_of(
            request.prompt(self.endpoint), answer.text if answer else "", self.error,
            valid=answer is not None and request.accepts(answer), attempt=self.number, failover=self.failover,
        )  # fmt: skip


def _probabilities(answered: Any) -> dict[str, float] | None:
    """Return the probabilities of the choices of one question; None for a refusal."""
    listed = answered.get("probabilities") if isinstance(answered, dict) else None
    if not isinstance(listed, list | tuple) or not all(isinstance(one, dict) for one in listed):
        return None
    return {str(one.get("value")): one.get("probability") for one in listed}


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many tokens and dollars; None is no bound."""

    tokens_max: int | None = None
    cost_max_usd: float | None = None


class Meter:
    """Adds up usage, for itself and its parents, and says no when a budget of any of them would be exceeded.

    A call's meter within a dream's within the process's: one call counts in all three. What is reserved by calls under
    way counts as spent, so parallel calls cannot exceed a budget together. ``failures`` are the reasons of the attempts
    that failed, with how often each occurred; ``answered`` counts the answers of each model. The limits of a day are
    not here but in the ledger of the workspace.
    """

    def __init__(
        self, budget: Budget | None = None, *, spent: Usage | None = None, parent: Meter | None = None
    ) -> None:
        """``spent``: usage from before, such as a dream's until it was interrupted; it counts against ``budget``."""
        self.budget = budget or Budget()
        self.usage = spent or Usage()
        self.failures: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self._reserved = Usage()
        self._parent = parent

    def reserve(self, worst: Usage) -> None:
        """Set ``worst`` aside for a call about to be made; raises BudgetReached and reserves nothing otherwise."""
        would_be = self.usage + self._reserved + worst
        tokens_max, cost_max_usd = self.budget.tokens_max, self.budget.cost_max_usd
        if tokens_max is not None and would_be.tokens > tokens_max:
            raise BudgetReached(f"The next call may bring {would_be.tokens} tokens, over the budget of {tokens_max}.")
        if cost_max_usd is not None and would_be.cost_usd > cost_max_usd:
            raise BudgetReached(
                f"The next call may bring ${would_be.cost_usd:.4f}, over the budget of ${cost_max_usd:g}."
            )
        if self._parent is not None:
            self._parent.reserve(worst)
        self._reserved += worst

    def reconcile(self, worst: Usage, actual: Usage) -> None:
        """Replace what ``reserve`` set aside by what the call really used."""
        self._reserved += Usage(0, 0, -worst.prompt_tokens, -worst.completion_tokens, -worst.cost_usd)
        self.usage += actual
        if self._parent is not None:
            self._parent.reconcile(worst, actual)

    def note_failure(self, message: str) -> None:
        """Note that an attempt failed, or gave no valid answer, and why."""
        self.failures[message] += 1
        if self._parent is not None:
            self._parent.note_failure(message)

    def note_answer(self, model: str) -> None:
        """Note that a model answered."""
        self.answered[model] += 1
        if self._parent is not None:
            self._parent.note_answer(model)


log = structlog.get_logger(__name__)

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
    """A validated answer, and what it took. ``rejected``: entries that were left out, by the reason. ``cut_off``: it
    ended before its last entry because of ``tokens_max``."""

    value: Value
    usage: Usage
    rejected: Mapping[str, int]
    cut_off: bool

    def kept(self) -> JsonObject:
        """Return what a checkpoint keeps of it."""
        value = self.value.model_dump(mode="json")
        return {"value": value, "rejected": dict(self.rejected), "cut_off": self.cut_off}


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
        """Return the model that is called first."""
        return self._endpoints[0].model

    @property
    def condition(self) -> HealthStatus:
        """Return how the last attempt at that model ended."""
        return self._endpoints[0].condition

    def at(self, endpoints: Sequence[Endpoint]) -> LLM:
        """Return a client of other models, each called where those before it do not answer; its calls count in this
        one's meter and go into the same ledger."""
        derived = self._derived(Meter(parent=self.meter), self._purpose)
        derived._endpoints = list(endpoints)
        return derived

    def within(self, meter: Meter) -> LLM:
        """Return the same models, whose calls count in this meter and in its budget."""
        return self._derived(Meter(parent=meter), self._purpose)

    def to(self, purpose: Purpose) -> LLM:
        """Return the same models, called for this purpose."""
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
        """Answer ``messages`` with a ``schema``, entry by entry; what was lost of the first answer is asked for once.

        Raises LLMInvalidOutput when neither answer holds an entry that fits, or a whole value of another form, and
        what ``complete`` raises for the first.
        """
        meter = Meter(parent=self.meter)
        request = ChatRequest(messages, tokens_max, temperature, timeout_s, schema)
        answer = await self._answer(request, meter)
        found, faults = await asyncio.to_thread(_read, answer, schema)
        if found is None or not found.is_whole:
            meter.note_failure(f"{answer.model} gave no valid {schema.__name__}.")
            said = {"role": "assistant", "content": answer.text or "(nothing)"}
            wrong = {"role": "user", "content": ask_again(found, faults, cut_off=answer.cut_off)}
            try:
                answer = await self._answer(replace(request, messages=[*messages, said, wrong]), meter)
            except ReverieError:
                if found is None:
                    raise
            else:
                second, faults = await asyncio.to_thread(_read, answer, schema)
                if second is None:
                    meter.note_failure(f"{answer.model} gave no valid {schema.__name__}.")
                found = found.joined(second) if found is not None and second is not None else found or second
        if found is None:
            first = "it was cut off" if answer.cut_off else faults[0]
            raise LLMInvalidOutput(f"{answer.model} gave no valid {schema.__name__} twice ({first}).")
        return Structured(found.value, meter.usage, found.rejected, found.cut_off)

    async def decide(self, text: str, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, float] | None]:
        """Return the probability of each choice for each question about a text, by a decision model; None for what it
        refuses. What it says of a probability is not checked. Raises what ``complete`` raises; LLMInvalidOutput where
        answers are missing."""
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
        """Return one answer: one attempt at each model that has alternatives left, up to four at the last of them. Each
        is checked against the budget and metered. A request that is refused is not put to another model."""
        *others, last = sorted(self._endpoints, key=_failed_lately)
        numbers = count(1)
        for endpoint in others:
            try:
                return await self._attempt(endpoint, request, meter, numbers)
            except LLMUnavailable as error:
                if not is_transient(error):
                    raise
                log.warning("llm_failover", model=endpoint.model, error=error.message)
        attempts = retrying(is_transient, self._backoff_first_s, BACKOFF_MAX_S)
        answer: Answer = await attempts(self._attempt, last, request, meter, numbers)
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
        """Return the base URL and key of the provider, as far as they are known without a call."""
        return self._endpoints[0].server(await load_litellm())

    def sent(self, messages: Sequence[Message], schema: type[BaseModel]) -> list[dict[str, Any]]:
        """Return the messages that ``structured`` sends to the first of the models for these."""
        return self._endpoints[0].sent(messages, schema)


def _read(answer: Answer, schema: type[Value]) -> tuple[Read[Value] | None, list[str]]:
    """Return what an answer holds of a form, None for nothing, and what is wrong with the rest."""
    try:
        found = read(answer.text, schema)
    except NoValue as none:
        return None, none.faults
    return found, found.faults


def _used(model: str, response: Any, prompt_tokens: int) -> Usage:
    """Return what a response says that it used; what it does not say is estimated."""
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
    """Return the response of one attempt; how it ended is noted of the model, in its meter, and in what it used."""
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


RERANK_TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """Place of one document in the list given, and how relevant it is; scores of two calls do not compare."""

    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Reranker:
    """RERANK_MODEL, by litellm's name for it, such as ``cohere/rerank-v3.5`` or ``jina_ai/…``. ``ledger``: where each
    call is recorded. Opens nothing: litellm is imported at the first call."""

    model: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = RERANK_TIMEOUT_S
    ledger: Ledger = UNRECORDED

    async def rerank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        """Return every document once, the most relevant first; equal scores, and those left out, keep their order.

        One attempt only: a search is waiting, and has an order already. Raises LLMUnavailable, LLMRefused,
        LLMInvalidOutput, BudgetReached.
        """
        if not documents:
            return []
        litellm = await load_litellm()
        call = partial(
            litellm.arerank,
            model=self.model,
            query=query,
            documents=list(documents),
            return_documents=False,
            api_base=self.api_base,
            api_key=self.api_key,
            timeout=self.timeout_s,
            max_retries=0,
        )
        tokens = estimated_tokens([query, *documents])
        charge = await self.ledger.reserve("rerank", self.model, usage_of(self.model, tokens))
        used = usage_of(self.model, tokens, failed=True)
        answered, failure = "", None
        try:
            response = await call_once(call, self.model, self.timeout_s, self.api_base, self.api_key)
            used = usage_of(self.model, _billed_tokens(response, tokens))
            answered = str(response.results)
        except BaseException as error:
            failure = error
            if isinstance(error, LLMUnavailable) and error.status != REQUEST_TIMEOUT:
                used = FAILED
            raise
        finally:
            asked = [{"role": "query", "content": query}, *({"role": "document", "content": one} for one in documents)]
            charge.settle(used, partial(exchange_of, asked, answered, failure))
        try:
            scores = {int(each["index"]): float(each["relevance_score"]) for each in response.results}
        except (KeyError, TypeError, ValueError) as error:
            raise LLMInvalidOutput(f"{self.model} gave no scores: {error!r}") from error
        if not scores or not all(0 <= index < len(documents) for index in scores):
            raise LLMInvalidOutput(f"{self.model} scored other documents than those given.")
        lowest = min(scores.values())
        ranked = [Ranked(index, scores.get(index, lowest)) for index in range(len(documents))]
        return sorted(ranked, key=lambda each: (each.index not in scores, -each.score, each.index))


def _billed_tokens(response: Any, estimated: int) -> int:
    """Return the tokens the provider reports; the estimate where it bills searches instead of tokens."""
    meta = getattr(response, "meta", None) or {}
    usage = meta.get("tokens") or meta.get("billed_units") or {}
    return reported(usage.get("input_tokens") or usage.get("total_tokens"), estimated)
