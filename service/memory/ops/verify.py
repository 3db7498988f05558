"""A trial run of the whole service: embed, write, find by keyword and by vector, delete; leaves no rows.

It all happens in one transaction that is rolled back, so that not even a crash in the middle leaves anything.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Annotated, Literal
from uuid import uuid4

from pydantic import Field

from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.principal import Principal
from service.domain.ranking import Ranking, rank
from service.embedding.embedder import EmbeddingFailed
from service.errors import ReverieError
from service.memory.saving.remember import insert_of
from service.memory.saving.scopes import ScopeResolver
from service.runtime import Runtime
from service.store import agents, memories
from service.store.search.candidates import candidates
from service.store.search.filters import Filters
from service.store.search.plan import KINDS, Question, plan
from service.store.vectors import Embedding, EmbeddingBatch, VectorSpace

CONTENT = "The lighthouse keeper of Utsira winds the brass clock every Thursday evening"
WORDS = "brass clock lighthouse"
MEANING = "a keeper who winds up an old clock each week"

StepName = Literal["embed", "write", "find_by_keyword", "find_by_vector", "delete"]


@dataclass(frozen=True, slots=True)
class Step:
    """Step of an end-to-end test."""

    name: Annotated[
        StepName, Field(description="Step: `embed`, `write`, `find_by_keyword`, `find_by_vector` or `delete`.")
    ]
    ok: Annotated[bool, Field(description="Success of the step.")]
    latency_ms: Annotated[float, Field(description="Duration in milliseconds.")]
    error: Annotated[str | None, Field(description="Error message; null after a success.")]


@dataclass(frozen=True, slots=True)
class VerifyResponse:
    """Result of an end-to-end test."""

    working: Annotated[bool, Field(description="Success of every step.")]
    latency_ms: Annotated[float, Field(description="Total duration in milliseconds.")]
    steps: Annotated[list[Step], Field(description="Steps in order.")]


class _StepFailed(ReverieError):
    """A step did not do what it should."""


class _RollBack(Exception):
    """Everything has been tried."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    space: VectorSpace | None = None
    stored: Embedding | None = None
    asked: Embedding | None = None


@dataclass(slots=True)
class _Trial:
    steps: list[Step] = field(default_factory=list)

    @asynccontextmanager
    async def step(self, name: StepName) -> AsyncIterator[None]:
        """Time one step. What goes wrong ends the trial."""
        started = perf_counter()
        error: str | None = None
        try:
            yield
        except ReverieError as failure:
            error = failure.message
            raise
        finally:
            latency_ms = round((perf_counter() - started) * 1000, 2)
            self.steps.append(Step(name, error is None, latency_ms, error))


async def verify(runtime: Runtime, principal: Principal) -> VerifyResponse:
    """Try everything a memory goes through. ``working`` is true when every step did what it should.

    Without an embedder the steps ``embed`` and ``find_by_vector`` are left out; with one that fails the rest goes on.
    Raises Forbidden for a reader key.
    """
    principal.require_write()
    trial = _Trial()
    started = perf_counter()
    with suppress(ReverieError):
        vectors = await _vectors(runtime, trial)
        try:
            async with runtime.db.search_transaction(principal.workspace_id) as connection:
                as_admin = replace(principal, role="admin", agent=None)
                await _in_transaction(connection, runtime, as_admin, trial, vectors)
                raise _RollBack
        except _RollBack:
            pass
    working = all(step.ok for step in trial.steps)
    return VerifyResponse(working, round((perf_counter() - started) * 1000, 2), trial.steps)


async def _vectors(runtime: Runtime, trial: _Trial) -> _Vectors:
    """Return vectors of what is stored and what is asked; never twice the same texts, which a cache would answer
    without embedder."""
    if runtime.embedder is None:
        return _Vectors()
    nonce = uuid4().hex[:8]
    with suppress(EmbeddingFailed):
        async with trial.step("embed"):
            texts = [f"{CONTENT} ({nonce})", f"{MEANING} ({nonce})"]
            stored, asked = await runtime.embedder.embed(texts, runtime.embedding_deadline_s)
            return _Vectors(await runtime.space(), stored, asked)
    return _Vectors()


async def _in_transaction(
    connection: Connection, runtime: Runtime, principal: Principal, trial: _Trial, vectors: _Vectors
) -> None:
    workspace, now = principal.workspace_id, runtime.now()
    draft = MemoryDraft(agent=f"verify-{uuid4()}", type="fact", content=f"{CONTENT} ({uuid4()})")
    async with trial.step("write"):
        place = await ScopeResolver(connection, principal).resolve(draft, ("body",))
        new = insert_of(draft, place, principal.actor, now)
        await memories.insert(connection, workspace, [new], EmbeddingBatch(vectors.space, [vectors.stored]))
    memory_id = new.memory.id

    async def found(question: Question) -> bool:
        reader = await agents.reader(connection, workspace, agents.ReaderKey(draft.agent or ""))
        assert reader is not None
        filters, ranking = Filters(as_of=runtime.now()), Ranking()
        asked = await plan(
            connection, workspace, reader, filters, ranking, question, runtime.search_limits,
            kinds=[KINDS["memories"]], limit=10,
        )  # fmt: skip
        best = rank(await candidates(connection, asked), (), ranking, limit=asked.limit)
        return memory_id in [one.id for one in best]

    async with trial.step("find_by_keyword"):
        if not await found(Question(WORDS)):
            raise _StepFailed("The memory just written was not found by its words.")
    if vectors.asked is not None:
        async with trial.step("find_by_vector"):
            if not await found(Question("", space=vectors.space, embedding=vectors.asked)):
                raise _StepFailed("The memory just written was not found by its vector.")
    async with trial.step("delete"):
        await memories.mark_deleted(
            connection, workspace, memory_id, now, actor=principal.actor, reason="verified", now=now
        )
        if await found(Question(WORDS)):
            raise _StepFailed("The memory just deleted is still found.")
