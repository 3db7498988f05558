"""What a dream would make of messages that are given and not stored, and the prompts that would make it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar, TypeVarTuple
from uuid import UUID

import structlog

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.domain.extract_request import ExtractRequest
from service.domain.ids import new_id
from service.domain.json import JsonObject, JsonValue
from service.domain.message_text import text_of
from service.domain.principal import Principal
from service.domain.spending import paid_by
from service.domain.workspace import WorkspaceSettings
from service.extraction.candidates import Candidate, Extraction, Turn
from service.extraction.trust import People, attest
from service.llm import LLM, Budget, LLMInvalidOutput, LLMUnavailable, Message, Meter
from service.memory.access.redaction import redact_fields
from service.memory.dreams import extracted
from service.memory.dreams.extract import extract
from service.memory.dreams.extract_by_llm import form_of, prompts_for
from service.memory.dreams.personal_data import masked_turns, with_stored_names
from service.memory.engine import Engine
from service.memory.search.search_results import Degraded
from service.store import agents

log = structlog.get_logger(__name__)

SESSION = "extract"
RULES = "rules"

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True, slots=True)
class _OffLoop:
    """Steps of a request: a text at a time, so that workspaces take turns."""

    executor: FairExecutor

    def batches(
        self, items: Sequence[T], of: Callable[[T], tuple[UUID, str]], size: int
    ) -> Iterator[tuple[int, Sequence[T]]]:
        for place in range(len(items)):
            yield place, items[place : place + 1]

    @asynccontextmanager
    async def step(self, name: str, ids: Sequence[UUID]) -> AsyncIterator[None]:
        yield

    async def run(self, function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
        return await self.executor.run(function, *arguments, characters=NOT_KNOWN)


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls of a model of which nothing is kept."""

    llm: LLM
    used: list[str] = field(default_factory=list)

    async def once(
        self,
        step: str,
        question: JsonValue,
        message_ids: Sequence[UUID],
        work: Callable[[LLM], Awaitable[JsonObject]],
    ) -> JsonObject:
        return await work(self.llm)

    async def call(self, step: str, work: Callable[[LLM], Awaitable[JsonObject]]) -> JsonObject:
        return await work(self.llm)


async def preview_extraction(engine: Engine, principal: Principal, request: ExtractRequest) -> extracted.Extraction:
    """Return what a dream of the acting agent would propose, before it compares that with what is known.

    Nothing is stored. A model that fails, or that the budget does not allow to be called, leaves what was read until
    then and says so.
    """
    principal.require_write()
    agent = principal.acting_agent(request.agent)
    settings = await _settings(engine, principal, agent, request)
    steps = _OffLoop(engine.executor)
    turns = _turns(request, engine.now())
    masked = await masked_turns(engine, principal.workspace_id, settings.masking, turns, steps)
    llm = engine.model("extract", principal.workspace_id, settings.llm)
    extractor = llm.model if llm else RULES
    if request.prompts:
        prompts = await prompts_for(masked.turns, settings, steps)
        sent = [llm.sent(prompt, form_of(settings)) for prompt in prompts] if llm else prompts
        return replace(_nothing(extractor), prompts=[[_message(one) for one in prompt] for prompt in sent])
    calls = None
    if llm is not None:
        budget = Budget(settings.dream.tokens_max, settings.dream.cost_max_usd)
        calls = _Calls(llm.within(Meter(budget, parent=llm.meter)))
    try:
        with paid_by(principal.payer(agent)):
            found = await extract(engine, settings, masked, calls, _read, steps)
    except (LLMUnavailable, LLMInvalidOutput) as error:
        log.warning("extraction_failed", error=type(error).__name__)
        return replace(_nothing(extractor), degraded=Degraded(error.message, "none"))
    named = with_stored_names(masked.turns, masked.stored)
    return await steps.run(_shown, extractor, found, named)


async def _settings(engine: Engine, principal: Principal, agent: str, request: ExtractRequest) -> WorkspaceSettings:
    """Return the settings of an agent, which need not be there yet, with the instructions of the request."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        settings = await agents.named_agent_settings(connection, principal.workspace_id, agent)
    if request.instructions is None:
        return settings
    allowed = await redact_fields(engine, principal, {"instructions": request.instructions})
    return settings.model_copy(update={"dream": settings.dream.model_copy(update=allowed)})


def _turns(request: ExtractRequest, now: datetime) -> list[Turn]:
    return [
        Turn(
            id=new_id(),
            session=SESSION,
            seq=place,
            role=message.role,
            content=text_of(message.content),
            at=message.created_at or now,
            speaker=message.name,
            user=request.user,
        )
        for place, message in enumerate(request.drafts())
    ]


def _read(turns: int, candidates: Sequence[Candidate]) -> None:
    """Nobody watches the progress."""


def _nothing(extractor: str) -> extracted.Extraction:
    return extracted.Extraction(extractor, [], [], 0, [], prompts=None, degraded=None)


def _message(sent: Message) -> extracted.PromptMessage:
    return extracted.PromptMessage(sent["role"], sent["content"])


def _shown(extractor: str, found: Extraction, turns: Sequence[Turn]) -> extracted.Extraction:
    place = {turn.id: turn.seq for turn in turns}
    said_at = {turn.id: turn.at for turn in turns}
    people = People.speaking(turns)
    ignored = attest([one for one, _ in found.ignored], turns, people)

    def shown(one: Candidate) -> extracted.Candidate:
        return extracted.Candidate(
            type=str(one.type),
            content=one.content,
            user=one.subject,
            hearsay_by=one.hearsay_by,
            importance=one.importance,
            confidence=one.confidence,
            tags=list(one.tags),
            metadata=dict(one.metadata),
            entities=[
                extracted.NamedEntity(mention.name, mention.kind, dict(mention.metadata)) for mention in one.mentions
            ],
            messages=[place[id_] for id_ in one.evidence],
            occurred_at=one.occurred_at,
            valid_from=max(said_at[id_] for id_ in one.evidence),
        )

    return extracted.Extraction(
        extractor,
        [shown(one) for one in attest(found.candidates, turns, people)],
        [
            extracted.IgnoredCandidate.of(shown(one), reason)
            for one, (_, reason) in zip(ignored, found.ignored, strict=True)
        ],
        found.rejected,
        [extracted.SkippedMessage(place[id_], reason) for id_, reason in found.skipped],
        prompts=None,
        degraded=Degraded(found.stopped, "none") if found.stopped else None,
    )
