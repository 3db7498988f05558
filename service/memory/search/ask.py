"""An answer from memory with the memories it rests on, or that it is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import orjson
import structlog
from pydantic import Field

from service.domain.asking import EFFORTS, NOT_KNOWN, AskRequest, contains_quote, is_grounded, leaves_of
from service.domain.field_types import TOKENS_MAX
from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.json_schema import problems
from service.domain.memory import Memory
from service.domain.origin import Origin
from service.domain.owners import ShownViewer, ViewerField
from service.domain.principal import Principal
from service.domain.prompt_fence import escape_tags, section
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.errors import BudgetReached
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory import prompts
from service.memory.access.redaction import masking_of, redact_lenient
from service.memory.access.workspace import get_settings
from service.memory.prompts import memory_line
from service.memory.search.recall import recall
from service.memory.search_results import Degraded
from service.runtime import Runtime

log = structlog.get_logger(__name__)

NO_MODEL = Degraded("no language model is configured for answers (LLM_MODEL, llm.ask)", "memories")
ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class FoundForQuestion:
    """The memories that a question is answered from, and why they are fewer than they might be."""

    memories: list[Memory]
    viewer: ShownViewer
    degraded: Degraded | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Cited memory with the quoted words."""

    memory_id: Annotated[UUID, Field(description="Id of the memory.")]
    quote: Annotated[str, Field(description="Words quoted from the memory.")]
    text: Annotated[str, Field(description="Content of the memory.")]


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """Answer to a question, from memory."""

    answer: Annotated[
        str | None, Field(description="Answer in natural language, or `not known`; null without a language model.")
    ]
    citations: Annotated[list[UUID], Field(description="Ids of the memories cited by the answer.")]
    memories: Annotated[list[Memory], Field(description="Memories found for the question.")]
    viewer: ViewerField
    degraded: Annotated[Degraded | None, Field(description="Degradation of the answer; null for a complete answer.")]
    data: Annotated[
        JsonValue, Field(description="Answer as JSON, valid against `response_schema`; null without one or an answer.")
    ] = None
    evidence: Annotated[
        list[Evidence] | None,
        Field(description="Cited memories with the quoted words; null unless asked for with `evidence`."),
    ] = None


async def ask(runtime: Runtime, principal: Principal, request: AskRequest) -> AskAnswer:
    """Answer a question from what the acting agent remembers: ``find``, then ``answer_from``."""
    return await answer_from(runtime, principal, request, await find(runtime, principal, request))


async def find(runtime: Runtime, principal: Principal, request: AskRequest) -> FoundForQuestion:
    """Return the memories that bear on a question, as many as its effort allows."""
    limits, tokens = EFFORTS[request.effort], request.max_tokens
    settings = await get_settings(runtime, principal)
    if tokens is None:
        tokens = min(TOKENS_MAX, round(settings.retrieval.context_max_tokens * limits.share))
    has_model = runtime.model("ask", principal.workspace_id, settings.llm) is not None
    found = await recall(
        runtime,
        principal,
        SearchRequest(
            agent=request.agent,
            query=request.question,
            queries=request.queries,
            expand=request.expand or (limits.expand and has_model),
            types=request.types,
            tags=request.tags,
            user=request.user,
            about=request.about,
            metadata=request.metadata,
            where=request.where,
            since=request.since,
            until=request.until,
            as_of=request.as_of,
            time_zone=request.time_zone,
            limit=limits.memories,
            max_tokens=tokens,
        ),
        in_session=request.session,
        on_task=request.task,
        for_prompt=True,
    )
    return FoundForQuestion([result.memory for result in found.results if result.memory], found.viewer, found.degraded)


async def answer_from(
    runtime: Runtime, principal: Principal, request: AskRequest, found: FoundForQuestion
) -> AskAnswer:
    """Answer a question from what was found for it.

    A citation counts only if its memory was given to the model and has the words quoted from it; an answer counts only
    if something is cited and every figure and name in it stands there or in the question. A model that fails, or that
    the budget does not allow to be asked, leaves the memories and says so.
    """
    memories, viewer = found.memories, found.viewer
    none: list[Evidence] | None = [] if request.evidence else None
    settings = await get_settings(runtime, principal)
    llm = runtime.model("ask", principal.workspace_id, settings.llm)
    if llm is None:
        return AskAnswer(None, [], memories, viewer, found.degraded or NO_MODEL, evidence=none)
    if not memories:
        return AskAnswer(NOT_KNOWN, [], [], viewer, found.degraded, evidence=none)
    question, schema = await redact_lenient(
        runtime, await masking_of(runtime, principal), [request.question, request.response_schema]
    )
    asking = _Asking(question, memories, schema, EFFORTS[request.effort].answer_tokens, settings.origins.allowed)
    try:
        with paid_by(principal.payer(request.agent, viewer)):
            reply, data = await asking.put_to(llm)
    except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
        log.warning("ask_failed", error=type(error).__name__)
        return AskAnswer(None, [], memories, viewer, Degraded(error.message, "memories"), evidence=none)
    cited = await runtime.executor.run(asking.supported, reply, data, characters=sum(map(len, asking.lines)))
    if not cited:
        return AskAnswer(NOT_KNOWN, [], memories, viewer, found.degraded, evidence=none)
    evidence = cited if request.evidence else None
    ids = list(dict.fromkeys(one.memory_id for one in cited))
    return AskAnswer(reply.answer.strip(), ids, memories, viewer, found.degraded, data, evidence)


class _Asking:
    """A question with the memories, as a model reads them."""

    def __init__(
        self, question: str, memories: list[Memory], schema: JsonObject | None, answer_tokens: int,
        allowed: frozenset[Origin],
    ) -> None:  # fmt: skip
        self._question = question
        self._memories = memories
        self._schema = schema
        self._answer_tokens = answer_tokens
        self.lines = [memory_line(memory, None, allowed) for memory in memories]

    async def put_to(self, llm: LLM) -> tuple[prompts.Reply, JsonValue]:
        """Return a model's answer and, with a schema, its data; data that does not fit is sent back once, saying why.

        Raises LLMInvalidOutput when the second does not fit either, and what ``LLM.structured`` raises.
        """
        if self._schema is None:
            return (await llm.structured(self.prompt(), prompts.Reply, tokens_max=self._answer_tokens)).value, None
        asked = self.prompt()
        wrong: list[str] = []
        for _ in range(ATTEMPTS):
            given = await llm.structured(asked, prompts.ReplyWithData, tokens_max=self._answer_tokens * 2)
            reply = given.value
            if not reply.known:
                return reply, None
            data, wrong = _parsed(reply.data, self._schema)
            if not wrong:
                return reply, data
            again = "Your data was not valid:\n" + "\n".join(f"- {one}" for one in wrong)
            asked = [
                *asked,
                {"role": "assistant", "content": reply.model_dump_json()},
                {"role": "user", "content": f"{again}\nAnswer again."},
            ]
        raise LLMInvalidOutput(f"{llm.model} gave no data valid against response_schema twice: {wrong[0]}")

    def prompt(self) -> list[dict[str, str]]:
        """Return what the model is asked."""
        numbered = [f"{number}. {escape_tags(line)}" for number, line in enumerate(self.lines, start=1)]
        system, asked = prompts.ASK, section("memories", numbered)
        if self._schema is not None:
            system += prompts.ASK_DATA
            asked += "\n" + section("schema", [escape_tags(dumps(self._schema).decode())])
        return [
            {"role": "system", "content": system},
            {"role": "user", "content": f"{asked}\n\nQuestion: {self._question}"},
        ]

    def supported(self, reply: prompts.Reply, data: JsonValue) -> list[Evidence]:
        """Return the citations that support the answer; none where they do not."""
        cited = [
            each
            for each in reply.citations
            if 1 <= each.number <= len(self.lines) and contains_quote(self.lines[each.number - 1], each.quote)
        ]
        sources = [self._question, *(self.lines[number - 1] for number in {each.number for each in cited})]
        answer = reply.answer.strip()
        if not reply.known or not answer or not cited or not is_grounded(answer, sources):
            return []
        if self._schema is not None and not is_grounded(leaves_of(data), [*sources, dumps(self._schema).decode()]):
            return []
        memories = [self._memories[each.number - 1] for each in cited]
        return [Evidence(memory.id, each.quote, memory.content) for memory, each in zip(memories, cited, strict=True)]


def _parsed(text: str, data_schema: JsonObject) -> tuple[JsonValue, list[str]]:
    """Return a model's data, and what is wrong with it."""
    try:
        data = orjson.loads(text)
    except ValueError as error:
        return None, [f"it is no JSON: {error}"]
    return data, list(map(str, problems(data, data_schema)))
