"""Questions answered from contexts by one model, and judged by another; the judge is probed with wrong answers."""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx
import orjson
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from reverie.evaluation.conversations import Conversation, Question
from reverie.evaluation.plan import ModelChoice
from reverie.evaluation.records import Lines
from reverie.evaluation.systems.base import Context
from service.errors import Unavailable
from service.provider import entry_of, usage_of

Json = dict[str, Any]
Verdict = Literal["correct", "wrong", "refused", "unreadable"]

TIMEOUT_S = 120.0
ATTEMPTS_MAX = 6
REFUSAL = "I don't know."
ANSWER_PROMPT = f"""Answer the question from the memories below alone, as briefly as you can. Work out dates from the \
days that the memories are marked with. If they do not say, answer exactly: {REFUSAL}

Memories:
{{context}}

Today is {{today}}.
Question: {{question}}"""
JUDGE_PROMPT = """Decide whether an answer to a question is correct, given the correct one. It may be worded \
differently or say more, but must give the same fact; a date may be given in another form. An answer that gives \
another fact, or none, is not correct. Reply with JSON alone: {{"correct": true}} or {{"correct": false}}.

Question: {question}
Correct answer: {expected}
Answer to judge: {answer}"""
_REFUSES = re.compile(
    r"^\W*(?:i (?:do not|don'?t|cannot|can'?t) (?:know|tell|say|answer)|unknown\b"
    r"|(?:there is )?no (?:information|memor)|not (?:mentioned|said|stated|specified)"
    r"|the (?:memories|context|conversation)s? (?:do(?:es)? not|don'?t|doesn'?t))",
    re.IGNORECASE,
)
_VERDICT = re.compile(r'"?correct"?\s*[:=]\s*"?(true|false|yes|no)\b', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, the tokens that it counts, and their price by litellm's table; None where it has none."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    ms: float


class PaidModel:
    """A model behind an OpenAI-compatible address. A request that was ever answered is answered from ``calls`` again:
    nothing is paid twice."""

    def __init__(self, choice: ModelChoice, key: str, calls: Lines) -> None:
        self._choice = choice
        self._calls = calls
        self._known: dict[str, Json] = {line["request"]: line for line in calls.read()}
        self._http = httpx.Client(
            base_url=choice.url.rstrip("/"), headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_S
        )

    def ask(self, prompt: str) -> Reply:
        """Return the answer to one message, at temperature 0. Raises Unavailable when the model refuses or does not
        answer."""
        body = {"model": self._choice.model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        name = hashlib.sha256(orjson.dumps([self._choice.url, body], option=orjson.OPT_SORT_KEYS)).hexdigest()
        if name not in self._known:
            began = time.perf_counter()
            answer = self._post(body, name)
            line = {"request": name, "model": self._choice.model, "ms": (time.perf_counter() - began) * 1000} | answer
            self._calls.append(line)
            self._known[name] = line
        return self._reply(self._known[name])

    def _post(self, body: Json, name: str) -> Json:
        for attempt in Retrying(
            retry=retry_if_exception(_is_transient),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=wait_random_exponential(0.5, 30),
            reraise=True,
        ):
            with attempt:
                try:
                    response = self._http.post("/chat/completions", json=body, headers={"Idempotency-Key": name})
                    response.raise_for_status()
                except httpx.HTTPStatusError as error:
                    if _is_transient(error):
                        raise
                    said = error.response.text[:200]
                    raise Unavailable(f"{self._choice.model} answers {error.response.status_code}: {said}") from None
        answer = response.json()
        usage = answer.get("usage") or {}
        return {
            "text": answer["choices"][0]["message"].get("content") or "",
            "prompt_tokens": usage.get("prompt_tokens") or 0,
            "completion_tokens": usage.get("completion_tokens") or 0,
        }

    def _reply(self, line: Json) -> Reply:
        prompt, completion = line["prompt_tokens"], line["completion_tokens"]
        listed = bool(entry_of(self._choice.model))
        cost = usage_of(self._choice.model, prompt, completion).cost_usd if listed else None
        return Reply(line["text"], prompt, completion, cost, line["ms"])


def _is_transient(error: BaseException) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code == 429 or error.response.status_code >= 500
    return isinstance(error, httpx.TransportError)


def refuses(answer: str) -> bool:
    """Return whether an answer says that nothing is known."""
    return not answer.strip() or _REFUSES.match(answer.strip()) is not None


def answered(model: PaidModel, question: Question, context: Context) -> Reply:
    """Return the answer from a context."""
    today = f"{question.now.day} {question.now:%B %Y}"
    return model.ask(ANSWER_PROMPT.format(context=context.text, today=today, question=question.text))


def judged(judge: PaidModel, question: Question, answer: str) -> Verdict:
    """Return whether an answer is right. Refusals are counted without asking the judge: right where nothing is
    known."""
    if refuses(answer):
        return "correct" if question.refusal else "refused"
    if question.refusal:
        return "wrong"
    said = judge.ask(JUDGE_PROMPT.format(question=question.text, expected=question.answer, answer=answer)).text
    found = _VERDICT.search(said)
    if found is None:
        return "unreadable"
    return "correct" if found[1].lower() in ("true", "yes") else "wrong"


def probes(conversations: Sequence[Conversation], count: int, seed: int) -> Iterator[tuple[Question, str]]:
    """Questions, each with the right answer to another question of its category: wrong, and looking like an answer."""
    chance = random.Random(seed)
    asked = [one for chat in conversations for one in chat.questions if one.answer and not one.refusal]
    chance.shuffle(asked)
    given = 0
    for question in asked:
        right = _folded(question.answer)
        others = [
            one.answer
            for one in asked
            if one.category == question.category and not (_folded(one.answer) in right or right in _folded(one.answer))
        ]
        if others and given < count:
            given += 1
            yield question, chance.choice(others)


def _folded(answer: str) -> str:
    return " ".join(re.findall(r"\w+", answer.lower()))
