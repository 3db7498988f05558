"""Checkpoints: what a finished step gave, by the hash of its input, so that a rerun does not pay for it again.

The trace of a dream says how long each step took, and what went wrong and was survived.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.llm_settings import LLMSettings, Step
from service.domain.spending import Usage
from service.errors import BudgetReached, Unavailable
from service.llm import LLM, Budget, LLMInvalidOutput, LLMUnavailable, Message, Meter
from service.runtime import Runtime
from service.store import dreams
from service.store.dreams import Lease
from service.store.settings import workspace_settings
from worker.lease import LeaseLost

Result = JsonObject
Answer = TypeVar("Answer", bound=BaseModel)

NO_ANSWER = (LLMInvalidOutput, LLMUnavailable, BudgetReached)
"""What a step does without."""
UNSAVED_MAX = 1_000
MODELS: dict[str, Step] = {
    "extract": "extract", "decide": "decide", "settle": "reconcile", "reflect": "reflect", "profile": "reflect",
    "bulletin": "bulletin",
}  # fmt: skip
"""Which model a step calls."""

ERRORS_MAX = 20
ERROR_CHARS_MAX = 300


@dataclass(slots=True)
class UnsavedResults:
    """Results and usage of finished calls while the database was away, held by the worker until it can be written.

    ``results`` by the hash of their input, the newest UNSAVED_MAX; ``usage`` by dream.
    """

    results: dict[str, Result] = field(default_factory=dict)
    usage: dict[UUID, Usage] = field(default_factory=dict)

    def put(self, input_hash: str, result: Result) -> None:
        """Hold the result of a finished call."""
        self.results[input_hash] = result
        while len(self.results) > UNSAVED_MAX:
            del self.results[next(iter(self.results))]

    def add_usage(self, dream_id: UUID, used: Usage) -> None:
        """Hold what a dream used."""
        self.usage[dream_id] = self.usage.get(dream_id, Usage()) + used


@dataclass(slots=True)
class Checkpoints:
    """The steps of one dream. ``meter`` counts their calls against the budget of the dream; ``chosen`` says which
    models they call.

    ``used``: the hashes of the steps that this dream is made of. ``rejected``: entries of answers that did not fit, by
    the reason; those of ``extract`` are with the extraction.
    """

    runtime: Runtime
    lease: Lease
    dream_id: UUID
    chosen: LLMSettings
    meter: Meter
    unsaved: UnsavedResults
    trace: Trace
    on_step: Callable[[str], Awaitable[None]]
    used: list[str] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    _counted: Usage = field(default_factory=Usage)

    def model(self, step: str) -> LLM | None:
        """Return the model of a step, within the budget of the dream; None where rules do it."""
        llm = self.runtime.model(MODELS[step], self.lease.workspace_id, self.chosen)
        return llm.within(self.meter) if llm is not None else None

    async def once(
        self, step: str, question: JsonValue, message_ids: Sequence[UUID], work: Callable[[LLM], Awaitable[Result]]
    ) -> Result:
        """Return the result of ``work`` for this ``question``, from the checkpoint when it has been done before.

        What the call used is counted even when it fails. A call that has finished is not made again by this worker,
        even when the database went away before its result could be kept. A result made of messages that are gone
        meanwhile is returned, but not kept. Raises LeaseLost, and what ``work`` raises.
        """
        input_hash = self._hash(step, question)
        kept = await self._found([input_hash])
        if input_hash not in kept:
            result = self.unsaved.results.get(input_hash)
            if result is None:
                await self.on_step(f"{step}:asking")
                try:
                    result = await self.call(step, work)
                    self.unsaved.put(input_hash, result)
                finally:
                    await self._count()
            await self._keep(step, input_hash, result, message_ids)
            kept = {input_hash: result}
            await self.on_step(f"{step}:kept")
        self.used.append(input_hash)
        return kept[input_hash]

    async def structured(
        self,
        step: str,
        messages: Sequence[Message],
        schema: type[Answer],
        *,
        tokens_max: int,
        about: Sequence[UUID] = (),
    ) -> Answer:
        """Return the answer of a step's model in this schema, as ``once`` keeps it; ``about``: the messages it is made
        of."""

        async def call(llm: LLM) -> Result:
            return (await llm.structured(messages, schema, tokens_max=tokens_max)).kept()

        result = await self.once(step, messages, list(about), call)
        self.rejected.update(result["rejected"])
        return schema.model_validate(result["value"])

    async def remembered(self, step: str, questions: Sequence[JsonValue]) -> list[Result | None]:
        """Return what the model of a step answered each question in this dream or an earlier one; None where it did
        not."""
        hashes = [self._hash(step, question) for question in questions]
        kept = await self._found(hashes)
        return [kept.get(input_hash) for input_hash in hashes]

    async def _found(self, hashes: Sequence[str]) -> dict[str, Result]:
        async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
            rows = await connection.fetch("find_steps", **self.lease.of_agent, hashes=hashes)
        return {row["input_hash"]: row["result"] for row in rows}

    async def remember(self, step: str, answers: Sequence[tuple[JsonValue, Result]]) -> None:
        """Keep what the model of a step answered questions for later dreams, with its name. Raises LeaseLost.

        Of a conversation with 19 dreams, 11 pairs are asked about, without it 22.
        """
        llm = self.model(step)
        kept = {self._hash(step, question): {"model": llm and llm.model} | result for question, result in answers}
        async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
            if not await dreams.save_verdicts(connection, self.lease, self.dream_id, kept, now=self.runtime.now()):
                raise LeaseLost

    def _hash(self, step: str, question: JsonValue) -> str:
        llm = self.model(step)
        return hashlib.sha256(dumps([step, llm.model if llm else None, question])).hexdigest()

    async def _keep(self, step: str, input_hash: str, result: Result, message_ids: Sequence[UUID]) -> None:
        """Write a result down. One that the database refuses, rather than being away, is not held for another try."""
        try:
            async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
                if not await dreams.save_step(
                    connection, self.lease, self.dream_id, input_hash=input_hash, step=step, result=result,
                    message_ids=message_ids, now=self.runtime.now(),
                ):  # fmt: skip
                    raise LeaseLost
        except (LeaseLost, Unavailable):
            raise
        except Exception:
            self.unsaved.results.pop(input_hash, None)
            raise
        self.unsaved.results.pop(input_hash, None)

    async def call(self, step: str, work: Callable[[LLM], Awaitable[Result]]) -> Result:
        """Call the model, whatever has been called before, and note what goes wrong with it. Raises LLMUnavailable
        where the step has none."""
        llm = self.model(step)
        if llm is None:
            raise LLMUnavailable(f"No language model does the step {step}.")
        try:
            return await work(llm)
        finally:
            self.trace.errors(step, llm.meter.failures)

    async def _count(self) -> None:
        """Write down what the model used since the last time, so that it counts whatever becomes of the dream."""
        used = self.meter.usage - self._counted
        if used == Usage():
            return
        self._counted += used
        self.unsaved.add_usage(self.dream_id, used)
        await self.runtime.budget.flush()
        await _flush_usage(self.runtime, self.lease.workspace_id, self.dream_id, self.unsaved)


async def _flush_usage(runtime: Runtime, workspace: UUID, dream_id: UUID, unsaved: UnsavedResults) -> Usage:
    """Write down what a dream is known to have used and has not been written down yet; how much that was."""
    owed = unsaved.usage.pop(dream_id, Usage())
    if owed != Usage():
        try:
            async with runtime.db.transaction(workspace) as connection:
                await connection.run("add_dream_usage", workspace=workspace, id=dream_id, **asdict(owed))
        except BaseException:
            unsaved.add_usage(dream_id, owed)
            raise
    return owed


async def open_checkpoints(
    runtime: Runtime,
    lease: Lease,
    dream_id: UUID,
    spent: Usage,
    unsaved: UnsavedResults,
    trace: Trace,
    on_step: Callable[[str], Awaitable[None]],
) -> Checkpoints:
    """Return the checkpoints of a dream that has ``spent`` this much already, under its budget."""
    spent += await _flush_usage(runtime, lease.workspace_id, dream_id, unsaved)
    async with runtime.db.transaction(lease.workspace_id) as connection:
        settings = await workspace_settings(connection, lease.workspace_id)
    budget = Budget(settings.dream.tokens_max, settings.dream.cost_max_usd)
    meter = Meter(budget, spent=spent, parent=runtime.llm_meter)
    return Checkpoints(runtime, lease, dream_id, settings.llm, meter, unsaved, trace, on_step, _counted=spent)


@dataclass(slots=True)
class Trace:
    """One dream's. A step that is taken again, because someone's change came in between, adds to its time."""

    _seconds: dict[str, float] = field(default_factory=dict)
    _errors: Counter[tuple[str, str]] = field(default_factory=Counter)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - began

    def errors(self, step: str, messages: Counter[str]) -> None:
        """Note what went wrong in a step, and how often."""
        for message, times in messages.items():
            self._errors[step, " ".join(message.split())[:ERROR_CHARS_MAX]] += times

    def report(self) -> JsonObject:
        """Return ``steps`` in order with their seconds, and ``errors`` with how often each occurred, the commonest
        first."""
        return {
            "steps": [{"step": name, "seconds": round(seconds, 3)} for name, seconds in self._seconds.items()],
            "errors": [
                {"step": step, "error": error, "times": times}
                for (step, error), times in self._errors.most_common(ERRORS_MAX)
            ],
        }
