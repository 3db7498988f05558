"""An answer from memory with the memories it rests on, or that it is not known."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import structlog

from service.domain.asking import NOT_KNOWN, AskRequest, contains_quote, is_grounded
from service.domain.principal import Principal
from service.domain.prompt_fence import escape_tags
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.access.redaction import pii_policy, redact_lenient
from service.memory.access.workspace import get_settings
from service.memory.dreams import prompts
from service.memory.engine import Engine
from service.memory.search.context import memory_line
from service.memory.search.recall import recall
from service.memory.search.search_results import Degraded
from service.store.memories import Record

log = structlog.get_logger(__name__)

MEMORIES_MAX = 30
ANSWER_TOKENS = 1_000
NO_MODEL = Degraded("no language model is configured for answers (LLM_MODEL, llm.ask)", "memories")


@dataclass(frozen=True, slots=True)
class Answered:
    """``answer`` is None where there is no model to give one, and ``not known`` where nothing supports one."""

    answer: str | None
    citations: list[UUID]
    memories: list[Record]
    degraded: Degraded | None


async def ask(engine: Engine, principal: Principal, request: AskRequest) -> Answered:
    """Answer a question from what the acting agent remembers.

    A citation counts only if its memory was given to the model and has the words quoted from it; an answer counts only
    if something is cited and every figure and name in it stands there or in the question. A model that fails, or that
    the budget does not allow to be asked, leaves the memories and says so.
    """
    settings = await get_settings(engine, principal)
    defaults = settings.retrieval
    found = await recall(
        engine,
        principal,
        SearchRequest(
            agent=request.agent,
            query=request.question,
            queries=request.queries,
            expand=request.expand,
            types=request.types,
            tags=request.tags,
            user=request.user,
            metadata=request.metadata,
            since=request.since,
            until=request.until,
            limit=MEMORIES_MAX,
            max_tokens=defaults.context_max_tokens if request.max_tokens is None else request.max_tokens,
        ),
        in_session=request.session,
        on_task=request.task,
    )
    memories = [result.memory for result in found.results if result.memory]
    llm = engine.model("ask", principal.workspace_id, settings.llm)
    if llm is None:
        return Answered(None, [], memories, found.degraded or NO_MODEL)
    if not memories:
        return Answered(NOT_KNOWN, [], [], found.degraded)
    (question,) = await redact_lenient(engine, await pii_policy(engine, principal), [request.question])
    try:
        with paid_by(principal.payer(request.agent)):
            answer, citations = await _answer(engine, llm, question, memories)
    except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
        log.warning("ask_failed", error=type(error).__name__)
        return Answered(None, [], memories, Degraded(error.message, "memories"))
    return Answered(answer, citations, memories, found.degraded)


async def _answer(engine: Engine, llm: LLM, question: str, memories: list[Record]) -> tuple[str, list[UUID]]:
    lines = [memory_line(memory, None) for memory in memories]
    numbered = "\n".join(f"{number}. {escape_tags(line)}" for number, line in enumerate(lines, start=1))
    asked = [
        {"role": "system", "content": prompts.ASK},
        {"role": "user", "content": f"<memories>\n{numbered}\n</memories>\n\nQuestion: {question}"},
    ]
    given = (await llm.structured(asked, prompts.Reply, tokens_max=ANSWER_TOKENS)).value
    return await engine.executor.run(_supported, given, question, memories, lines, characters=len(numbered))


def _supported(given: prompts.Reply, question: str, memories: list[Record], lines: list[str]) -> tuple[str, list[UUID]]:
    """The answer, if what it cites bears it out."""
    cited = dict.fromkeys(
        each.number
        for each in given.citations
        if 1 <= each.number <= len(memories) and contains_quote(lines[each.number - 1], each.quote)
    )
    sources = [question, *(lines[number - 1] for number in cited)]
    answer = given.answer.strip()
    if not given.known or not answer or not cited or not is_grounded(answer, sources):
        return NOT_KNOWN, []
    return answer, [memories[number - 1]["id"] for number in cited]
