"""What models are asked and answer: requests of chat and of decision models, and attempts at them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from service.domain.field_types import replace_unstorable
from service.domain.json import dumps
from service.domain.model_calls import Exchange
from service.domain.spending import FAILED, Usage
from service.llm.endpoint import Endpoint
from service.llm.exchanges import exchange_of
from service.llm.structured import parse

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

    def answer(self, response: Any, model: str) -> Answer:
        """The answer in a response."""
        if not response.choices:
            return Answer("", cut_off=False, model=model)
        choice = response.choices[0]
        text = replace_unstorable(choice.message.content or "")
        return Answer(text, cut_off=choice.finish_reason == "length", model=model)

    def accepts(self, answer: Answer) -> bool:
        """Whether an answer has the form asked for."""
        if self.schema is None:
            return bool(answer.text)
        try:
            parse(answer.text, self.schema)
        except ValidationError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class DecisionRequest:
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

    def answer(self, response: Any, model: str) -> Answer:
        """The answer in a response."""
        whole = response if isinstance(response, dict) else response.model_dump()
        answers = whole.get("answers")
        if not isinstance(answers, list | tuple) or len(answers) != len(self.questions):
            return Answer("[]", cut_off=False, model=model)
        return Answer(json.dumps([_probabilities(one) for one in answers]), cut_off=False, model=model)

    def accepts(self, answer: Answer) -> bool:
        """Whether each question has an answer."""
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
        """What was said in it."""
        answer, request = self.answer, self.request
        return exchange_of(
            request.prompt(self.endpoint), answer.text if answer else "", self.error,
            valid=answer is not None and request.accepts(answer), attempt=self.number, failover=self.failover,
        )  # fmt: skip


def _probabilities(answered: Any) -> dict[str, float] | None:
    """Of the choices of one question; None for a refusal."""
    listed = answered.get("probabilities") if isinstance(answered, dict) else None
    if not isinstance(listed, list | tuple) or not all(isinstance(one, dict) for one in listed):
        return None
    return {str(one.get("value")): one.get("probability") for one in listed}
