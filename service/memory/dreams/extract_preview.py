"""Previews of an extraction: candidates from messages that are given and not stored, and the prompts for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeVar, TypeVarTuple
from uuid import UUID

import structlog
from pydantic import Field

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.domain.extract_request import ExtractRequest
from service.domain.ids import new_id
from service.domain.json import JsonObject, JsonValue
from service.domain.message_text import read_text
from service.domain.own_types import TYPES_NAMED
from service.domain.principal import Principal
from service.domain.spending import paid_by
from service.domain.times import local_time
from service.domain.workspace import WorkspaceSettings
from service.extraction.candidates import Candidate as FoundCandidate
from service.extraction.candidates import Extraction as FoundExtraction
from service.extraction.candidates import Turn
from service.extraction.trust import People, attest
from service.llm import LLM, Budget, LLMInvalidOutput, LLMUnavailable, Message, Meter
from service.memory.access.redaction import redact_fields
from service.memory.search_results import Degraded
from service.runtime import Runtime
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


async def preview_extraction(runtime: Runtime, principal: Principal, request: ExtractRequest) -> Extraction:
    """Return what a dream of the acting agent would propose, before it compares that with what is known.

    Nothing is stored. A model that fails, or that the budget does not allow to be called, leaves what was read until
    then and says so.
    """
    # Compiling the rules of all languages takes 0.4 s, and nothing else of the API needs them.
    from service.memory.dreams.extraction import extract, form_of, masked_turns, prompts_for, with_stored_names

    principal.require_write()
    agent = principal.acting_agent(request.agent)
    settings = await _settings(runtime, principal, agent, request)
    steps = _OffLoop(runtime.executor)
    turns = _turns(request, runtime.now(), settings.time_zone)
    masked = await masked_turns(runtime, principal.workspace_id, settings.masking, turns, steps)
    llm = runtime.model("extract", principal.workspace_id, settings.llm)
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
            found = await extract(runtime, settings, masked, calls, _read, steps)
    except (LLMUnavailable, LLMInvalidOutput) as error:
        log.warning("extraction_failed", error=type(error).__name__)
        return replace(_nothing(extractor), degraded=Degraded(error.message, "none"))
    named = with_stored_names(masked.turns, masked.stored)
    return await steps.run(_shown, extractor, found, named)


async def _settings(runtime: Runtime, principal: Principal, agent: str, request: ExtractRequest) -> WorkspaceSettings:
    """Return the settings of an agent, which need not be there yet, with the instructions of the request."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        settings = await agents.named_agent_settings(connection, principal.workspace_id, agent)
    if request.instructions is None:
        return settings
    allowed = await redact_fields(runtime, principal, {"instructions": request.instructions})
    return settings.model_copy(update={"dream": settings.dream.model_copy(update=allowed)})


def _turns(request: ExtractRequest, now: datetime, zone: str) -> list[Turn]:
    return [
        Turn(
            id=new_id(),
            session=SESSION,
            seq=place,
            role=message.role,
            content=read_text(message.role, message.content),
            at=local_time(message.created_at or now, message.time_zone, zone),
            speaker=message.name,
            user=request.user,
        )
        for place, draft in enumerate(request.drafts())
        for message in draft.split()
    ]


def _read(turns: int, candidates: Sequence[FoundCandidate]) -> None:
    """Ignore the progress."""


def _nothing(extractor: str) -> Extraction:
    return Extraction(extractor, [], [], 0, {}, [], prompts=None, degraded=None)


def _message(sent: Message) -> PromptMessage:
    return PromptMessage(sent["role"], sent["content"])


def _shown(extractor: str, found: FoundExtraction, turns: Sequence[Turn]) -> Extraction:
    place = {turn.id: turn.seq for turn in turns}
    said_at = {turn.id: turn.at for turn in turns}
    people = People.speaking(turns)
    ignored = attest([one for one, _ in found.ignored], turns, people)

    def shown(one: FoundCandidate) -> Candidate:
        return Candidate(
            type=str(one.type),
            content=one.content,
            user=one.subject,
            hearsay_by=one.hearsay_by,
            importance=one.importance,
            confidence=one.confidence,
            tags=list(one.tags),
            metadata=dict(one.metadata),
            entities=[NamedEntity(mention.name, mention.kind, dict(mention.metadata)) for mention in one.mentions],
            messages=[place[id_] for id_ in one.evidence],
            occurred_at=one.begins,
            occurred_until=one.occurred.end if one.occurred else None,
            valid_from=max(said_at[id_] for id_ in one.evidence).astimezone(UTC),
        )

    return Extraction(
        extractor,
        [shown(one) for one in attest(found.candidates, turns, people)],
        [IgnoredCandidate.of(shown(one), reason) for one, (_, reason) in zip(ignored, found.ignored, strict=True)],
        found.rejected.total(),
        found.left_out(),
        [SkippedMessage(place[id_], reason) for id_, reason in found.skipped],
        prompts=None,
        degraded=Degraded(found.stopped, "none") if found.stopped else None,
    )


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """Entity named by a candidate."""

    name: Annotated[str, Field(description="Name of the entity.")]
    kind: Annotated[str, Field(description="Kind of the entity, such as person or place.")]
    metadata: Annotated[JsonObject, Field(description="Metadata of an entity of a kind with a schema; else empty.")]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Memory that a dream would propose."""

    type: Annotated[str, Field(description=f"Type of the memory: {TYPES_NAMED}.")]
    content: Annotated[str, Field(description="Text of the memory.")]
    user: Annotated[str | None, Field(description="Person described by the memory; null for none.")]
    hearsay_by: Annotated[str | None, Field(description="Speaker of a statement about somebody else; null for none.")]
    importance: Annotated[float, Field(description="Importance from 0 to 1.")]
    confidence: Annotated[float, Field(description="Confidence from 0 to 1.")]
    tags: Annotated[list[str], Field(description="Tags of the memory.")]
    metadata: Annotated[JsonObject, Field(description="Metadata of a memory of a type with a schema; else empty.")]
    entities: Annotated[list[NamedEntity], Field(description="Entities named by the memory.")]
    messages: Annotated[list[int], Field(description="Positions of the cited messages in the request, from 0.")]
    occurred_at: Annotated[
        datetime | None, Field(description="Beginning of the described event; null where no time is known.")
    ]
    occurred_until: Annotated[
        datetime | None,
        Field(description="End of the described event, exclusive; null for an instant and where no time is known."),
    ]
    valid_from: Annotated[
        datetime, Field(description="Time from which the statement holds: that of the last cited message.")
    ]


@dataclass(frozen=True, slots=True)
class IgnoredCandidate(Candidate):
    """Candidate that the settings of the agent leave out."""

    reason: Annotated[str, Field(description="Reason: the type, entity or pattern of the settings.")]

    @classmethod
    def of(cls, candidate: Candidate, reason: str) -> IgnoredCandidate:
        """Return the candidate, left out for this reason."""
        return cls(**{name: getattr(candidate, name) for name in Candidate.__slots__}, reason=reason)


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """Message that the language model could not read."""

    message: Annotated[int, Field(description="Position of the message in the request, from 0.")]
    reason: Annotated[str, Field(description="Reason of the failure.")]


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """Message of a prompt."""

    role: Annotated[Literal["system", "user"], Field(description="Role of the message: `system` or `user`.")]
    content: Annotated[str, Field(description="Text of the message.")]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of an extraction that stores nothing."""

    extractor: Annotated[str, Field(description="Extractor: the language model, or `rules`.")]
    candidates: Annotated[
        list[Candidate], Field(description="Memories that a dream would propose; empty with `prompts`.")
    ]
    ignored: Annotated[list[IgnoredCandidate], Field(description="Candidates left out by the settings of the agent.")]
    rejected: Annotated[int, Field(description="Number of statements that did not hold to the rules.")]
    left_out: Annotated[
        dict[str, int], Field(description="Number of statements that were read and not kept, by the reason.")
    ]
    skipped: Annotated[list[SkippedMessage], Field(description="Messages that the model could not read.")]
    prompts: Annotated[
        list[list[PromptMessage]] | None,
        Field(description="Prompts of the calls of the model, in order; null unless `prompts` is set."),
    ]
    degraded: Annotated[
        Degraded | None,
        Field(description="Failure of the model or its budget, with the candidates found before it; null otherwise."),
    ]
