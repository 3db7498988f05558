"""The answer of a page: found by a search, written by the language model where there is one and it answers, else by
rules, and stored only while everything it was made of still holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import structlog

from service.domain.hearsay import attributed_to_all
from service.domain.memory import Memory
from service.domain.pages import (
    CITED_MAX,
    SENTENCES_MAX,
    CitedMemory,
    PageContent,
    PageSentence,
    as_sentence,
    cited,
    inputs_hash,
)
from service.domain.principal import Principal
from service.domain.prompt_fence import escape_tags, section
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.domain.types import MemoryType
from service.domain.workspace import WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.access.workspace import get_settings
from service.memory.dreams import prompts
from service.memory.dreams.steering import fingerprint, steered
from service.memory.engine import Engine
from service.memory.search.memory_lines import memory_line
from service.memory.search.recall import recall
from service.store import agents
from service.store.pages import NewVersion

log = structlog.get_logger(__name__)

MEMORIES_MAX = 30
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that is to be stored, and the memories it was made of, cited or not."""

    version: NewVersion
    inputs: list[CitedMemory]


async def answer(
    engine: Engine, principal: Principal, agent: str, content: PageContent, *, known: str | None = None
) -> Answer | None:
    """Answer a page's question as its agent; None where the answer is made of what the ``known`` one was made of."""
    context_max = (await get_settings(engine, principal)).retrieval.context_max_tokens
    scope, reader = content.scope, replace(principal, named_user=None)
    found = await recall(
        engine,
        reader,
        SearchRequest(
            agent=agent, query=content.question, types=scope.types, tags=scope.tags, user=scope.user,
            about=scope.about, since=scope.since, until=scope.until, metadata=scope.metadata, where=scope.where,
            limit=MEMORIES_MAX, max_tokens=context_max,
        ),
        entities=scope.entities or None,
        count_access=False,
        for_prompt=True,
    )  # fmt: skip
    memories = [result.memory for result in found.results if result.memory]
    if scope.types is None:  # an insight says again what the memories say, the former ones among them
        memories = [memory for memory in memories if memory.type != MemoryType.INSIGHT]
    settings = await _settings(engine, principal.workspace_id, agent)
    choices, llm = settings.dream, engine.model("ask", principal.workspace_id, settings.llm)
    writer = f"{llm.model}{fingerprint(choices)}" if llm else None
    if known == inputs_hash(content, memories, writer):
        return None
    inputs = [cited(memory) for memory in memories]
    version, dropped = None, 0
    if llm is not None and memories:
        try:
            with paid_by(principal.payer(agent, content.owners)):
                sentences, dropped = await _written(llm.to("page"), content, memories, settings)
        except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
            log.warning("page_by_rules", error=error.message)
        else:
            if sentences or not dropped:
                hash_ = inputs_hash(content, memories, writer)
                version = NewVersion(sentences, llm.model, dropped, hash_)
    if version is None:
        hash_ = inputs_hash(content, memories, None)
        if known == hash_:
            return None
        version = NewVersion(by_rules(content, memories), RULES, dropped, hash_)
    return Answer(version, inputs)


def by_rules(content: PageContent, memories: Sequence[Memory]) -> list[PageSentence]:
    """Return a sentence for each memory, best first, as many as there is room for."""
    sentences: list[PageSentence] = []
    left = content.max_tokens
    for memory in memories:
        text = as_sentence(memory)
        cost = count_tokens(text)
        if cost <= left:
            sentences.append({"text": text, "memories": [cited(memory)]})
            left -= cost
    return sentences


def prompt(content: PageContent, memories: Sequence[Memory], settings: WorkspaceSettings) -> list[dict[str, str]]:
    """Return the prompt from which a model writes a page."""
    allowed = settings.origins.allowed
    lines = [
        f"{number}. {escape_tags(memory_line(memory, None, allowed))}"
        for number, memory in enumerate(memories, start=1)
    ]
    question = section("question", [escape_tags(content.question)])
    messages = [
        {"role": "system", "content": prompts.PAGE.format(tokens_max=content.max_tokens)},
        {"role": "user", "content": f"{section('memories', lines)}\n{question}"},
    ]
    return steered(messages, settings.dream)


async def _written(
    llm: LLM, content: PageContent, memories: Sequence[Memory], settings: WorkspaceSettings
) -> tuple[list[PageSentence], int]:
    """Return the sentences of a model within the token limit, and how many were dropped because they cite no memory, or
    one that it was not given."""
    asked = prompt(content, memories, settings)
    given = (await llm.structured(asked, prompts.WrittenPage, tokens_max=content.max_tokens * 2 + 500)).value
    sentences: list[PageSentence] = []
    dropped, left = 0, content.max_tokens
    for sentence in given.sentences[:SENTENCES_MAX]:
        numbers = list(dict.fromkeys(sentence.memories))[:CITED_MAX]
        if not numbers or not all(1 <= number <= len(memories) for number in numbers):
            dropped += 1
            continue
        rests_on = [memories[number - 1] for number in numbers]
        text = attributed_to_all(" ".join(sentence.text.split()), [(one.hearsay_by, one.user) for one in rests_on])
        cost = count_tokens(text)
        if cost <= left:
            sentences.append({"text": text, "memories": [cited(memory) for memory in rests_on]})
            left -= cost
    return sentences, dropped


async def _settings(engine: Engine, workspace: UUID, agent: str) -> WorkspaceSettings:
    """The settings of the agent; the workspace's for one that does not exist yet."""
    async with engine.db.transaction(workspace) as connection:
        return await agents.named_agent_settings(connection, workspace, agent)
