"""Pages as the API keeps them, their answers, and when they are written. Each belongs to an agent, and is written as
that agent finds things.

The answer is found by a search, written by the language model where there is one and it answers, else by rules, and
stored only while everything it was made of still holds. A dream's own transaction notes which pages it may concern, a
crontab when it fires next, and the worker that claims a page that is due writes it once. A worker that dies in between
leaves it due.

What a sentence rests on is looked at on every read, never noted beside it. A sentence is shown only to whom all its
memories may be shown. It is current while each of them still says what it said and nothing has replaced it; a page
shows its current sentences alone, its versions mark the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog

from service.db.failures import BEING_DELETED
from service.db.pool import Connection
from service.db.records import make_all
from service.domain import cursors
from service.domain.citations import Citation, Sentence, ShownSentences, differences, shown_sentences
from service.domain.hearsay import attributed_to_all
from service.domain.ids import NO_KEY, new_id
from service.domain.memory import Memory
from service.domain.pages import (
    CITED_MAX,
    PAGES_MAX,
    SENTENCES_MAX,
    AnsweredPage,
    CitedMemory,
    MemoryFacets,
    PageContent,
    PageDraft,
    PageScope,
    PageSentence,
    PageVersion,
    as_sentence,
    cited,
    inputs_hash,
    next_time,
)
from service.domain.principal import Principal
from service.domain.prompt_fence import escape_tags, section
from service.domain.search import SearchRequest
from service.domain.spending import paid_by
from service.domain.types import MemoryType
from service.domain.workspace import WorkspaceSettings
from service.embedding.tokens import count_tokens
from service.errors import BudgetReached, Conflict, InvalidInput, NotFound, ReverieError
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory import prompts
from service.memory.access import audit
from service.memory.access.redaction import kept_where, masking_of, redact_fields
from service.memory.access.workspace import check_filters, get_settings
from service.memory.counters import ReadCounter
from service.memory.prompts import fingerprint, memory_line, steered
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.store import agents, pages
from service.store.pages import CitedMemoryState, NewVersion, StoredPage

log = structlog.get_logger(__name__)

ATTEMPTS_MAX = 5
ABSENT = "There is no such page here."
CHANGING = "The memories that the page is written from keep changing; try again."

Content = TypeVar("Content", bound=PageContent)

States = dict[tuple[UUID, UUID], CitedMemoryState]
MEMORIES_MAX = 30
RULES = "rules"
CLAIM = timedelta(minutes=5)


async def add_page(runtime: Runtime, principal: Principal, draft: PageDraft) -> AnsweredPage | None:
    """Make a page of the acting agent and answer it at once; None, and nothing made, with memory off.

    Raises Forbidden, InvalidInput, and Conflict when there are too many.
    """
    principal.require_write()
    agent = principal.acting_agent(draft.agent)
    if principal.no_memory:
        return None
    draft, due_at = await _checked(runtime, principal, draft)
    workspace, page_id = principal.workspace_id, new_id()
    for _ in range(ATTEMPTS_MAX):
        new = await answer(runtime, principal, agent, draft)
        assert new is not None
        async with runtime.db.transaction(workspace, viewer=principal.writes_as) as connection:
            agent_id = await agents.ensure_agent(connection, workspace, agent)
            await agents.hold(connection, workspace, agent_id, Conflict(BEING_DELETED))
            count: int = await connection.value("count_pages", workspace=workspace, agent_id=agent_id)
            if count >= PAGES_MAX:
                raise Conflict(f"An agent may have {PAGES_MAX} pages.")
            now = runtime.now()
            if not await pages.hold_inputs(connection, workspace, new.inputs, now):
                continue
            await pages.add(
                connection, workspace, page_id, draft,
                agent_id=agent_id, due_at=due_at, created_by=principal.actor, now=now,
            )  # fmt: skip
            await pages.add_version(connection, workspace, page_id, new.version, None, now)
            await audit.record(connection, principal, "page.created", target=str(page_id))
            return await _shown(connection, workspace, page_id, now)
    raise Conflict(CHANGING)


async def get_page(runtime: Runtime, principal: Principal, page_id: UUID) -> AnsweredPage:
    """Return a page with its newest answer, as far as that still holds. Raises NotFound."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        page = await _owned(connection, principal, page_id)
        (shown,) = await shown_pages(connection, principal.workspace_id, [page], runtime.now())
    runtime.part(ReadCounter).note(principal, "page", [page.agent])
    return shown


async def list_pages(
    runtime: Runtime, principal: Principal, agent: str | None, *, limit: int, cursor: str | None
) -> tuple[list[AnsweredPage], str | None]:
    """Return some pages, newest first, as ``get_page`` gives them, and the cursor of the next."""
    (before,) = cursors.decode(cursor, UUID)
    named = principal.reader_agent(agent)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "list_pages", workspace=principal.workspace_id, agent=named, before=before, limit=limit + 1
        )
        rows, more = cursors.paginate(rows, limit, "id")
        shown = await shown_pages(connection, principal.workspace_id, make_all(StoredPage, rows), runtime.now())
    runtime.part(ReadCounter).note(principal, "page", [named, *(page.agent for page in shown)])
    return shown, more


async def put_page(runtime: Runtime, principal: Principal, page_id: UUID, content: PageContent) -> AnsweredPage:
    """Give a page another question, scope, trigger and length, and answer it at once. Raises Forbidden, NotFound."""
    principal.require_write()
    content, due_at = await _checked(runtime, principal, content)
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id, change=True)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(runtime, principal, page.agent, content, known=page.inputs_hash)
        async with runtime.db.transaction(workspace, viewer=principal.writes_as) as connection:
            now = runtime.now()
            await agents.hold(connection, workspace, page.agent_id, NotFound(ABSENT))
            if new is not None and not await pages.hold_inputs(connection, workspace, new.inputs, now):
                continue
            if await connection.row("lock_page", workspace=workspace, id=page_id) is None:
                raise NotFound(ABSENT)
            await pages.change(connection, workspace, page_id, content, due_at=due_at, now=now)
            if new is not None:
                await pages.add_version(connection, workspace, page_id, new.version, None, now)
            await audit.record(connection, principal, "page.updated", target=str(page_id))
            return await _shown(connection, workspace, page_id, now)
    raise Conflict(CHANGING)


async def rewrite_page(runtime: Runtime, principal: Principal, page_id: UUID) -> AnsweredPage:
    """Answer a page now. Where nothing that it is made of has changed, its newest version stays."""
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id, change=True)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(runtime, principal, page.agent, page.content, known=page.inputs_hash)
        if await write(runtime, workspace, page, new):
            return await get_page(runtime, principal, page_id)
        async with runtime.db.transaction(workspace) as connection:
            page = await _owned(connection, principal, page_id)
    raise Conflict(CHANGING)


async def delete_page(runtime: Runtime, principal: Principal, page_id: UUID) -> None:
    """Remove a page with its versions. Raises Forbidden, NotFound."""
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        page = await _owned(connection, principal, page_id, change=True)
        await agents.hold(connection, principal.workspace_id, page.agent_id, NotFound(ABSENT))
        await connection.run("delete_page", workspace=principal.workspace_id, id=page_id)
        await audit.record(connection, principal, "page.deleted", target=str(page_id))


async def page_versions(
    runtime: Runtime, principal: Principal, page_id: UUID, *, compared_to: int | None, limit: int, cursor: str | None
) -> tuple[list[PageVersion], str | None]:
    """Return some versions of a page, newest first, each with what it says and the one before, or the one of that
    number, does not; and the other way round. Raises NotFound for a page or version that does not exist."""
    (before,) = cursors.decode(cursor, int)
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        page = await _owned(connection, principal, page_id)
        rows = await connection.fetch(
            "page_versions", workspace=workspace, page_id=page_id, before=before, limit=limit + 1
        )
        base: list[PageSentence] | None = None
        if compared_to is not None:
            base = await connection.value("page_version", workspace=workspace, page_id=page_id, version=compared_to)
            if base is None:
                raise NotFound(f"The page has no version {compared_to}.")
        said = [sentence for one in rows for sentence in one["sentences"]]
        states = await pages.cited_states(connection, workspace, {page_id: [*said, *(base or [])]}, runtime.now())
    runtime.part(ReadCounter).note(principal, "page", [page.agent])
    shown = [shown_of(page_id, one["sentences"], states).all for one in rows]
    changes = differences(shown, shown_of(page_id, base, states).all if base is not None else None)
    kept, more = cursors.paginate(rows, limit, "version")
    return [
        PageVersion(
            version=one["version"], writer=one["writer"], dropped=one["dropped"], dream_id=one["dream_id"],
            written_at=one["written_at"], sentences=sentences, added=changed.added, removed=changed.removed,
        )
        for one, sentences, changed in zip(kept, shown, changes, strict=False)
    ], more  # fmt: skip


async def write(runtime: Runtime, workspace: UUID, page: StoredPage, new: Answer | None) -> bool:
    """Store a new answer of a page, if it has not been changed since it was read and the memories hold; and note that
    what was due is done. ``new``: None leaves the newest version. Return whether it was stored, or was not to be."""
    async with runtime.db.transaction(workspace) as connection:
        now = runtime.now()
        await agents.hold(connection, workspace, page.agent_id, NotFound(ABSENT))
        if new is not None and not await pages.hold_inputs(connection, workspace, new.inputs, now):
            return False
        locked = await connection.row("lock_page", workspace=workspace, id=page.id)
        if locked is None:
            raise NotFound(ABSENT)
        now_due = (locked["revision"], locked["due_at"], locked["due_dream_id"])
        if now_due != (page.revision, page.due_at, page.due_dream_id):
            return False
        if new is not None:
            await pages.add_version(connection, workspace, page.id, new.version, page.due_dream_id, now)
        await connection.run("settle_page", workspace=workspace, id=page.id, due_at=_next(page.trigger, now))
    return True


def _next(trigger: str, after: datetime) -> datetime | None:
    try:
        return next_time(trigger, after)
    except ValueError:
        return None


async def _owned(connection: Connection, principal: Principal, page_id: UUID, *, change: bool = False) -> StoredPage:
    """Return a page of the caller's agent, or of the workspace. Raises NotFound, and Forbidden where the caller may
    not ``change`` it."""
    page = await connection.first(
        StoredPage, "get_page", workspace=principal.workspace_id, id=page_id, agent=principal.agent
    )
    if page is None:
        raise NotFound(ABSENT)
    if change:
        principal.check_changes(page.owners)
    return page


async def _shown(connection: Connection, workspace: UUID, page_id: UUID, now: datetime) -> AnsweredPage:
    page = await connection.first(StoredPage, "get_page", workspace=workspace, id=page_id, agent=None)
    assert page is not None
    (shown,) = await shown_pages(connection, workspace, [page], now)
    return shown


async def _checked(runtime: Runtime, principal: Principal, content: Content) -> tuple[Content, datetime | None]:
    """Return the content as it may be stored, and when a crontab makes it due first. Raises InvalidInput."""
    try:
        due_at = await asyncio.to_thread(next_time, content.trigger, runtime.now())
    except ValueError as error:
        raise InvalidInput(("body", "trigger"), f"must be dream, manual or a crontab of five fields: {error}") from None
    check_filters(
        (await get_settings(runtime, principal)).memory_types, ("body", "scope", "types"), content.scope.types
    )
    scope = content.scope
    kept = await redact_fields(runtime, principal, {"question": content.question, "metadata": scope.metadata})
    masking, loc = await masking_of(runtime, principal), ("body", "scope", "where")
    where = await kept_where(runtime, principal.workspace_id, masking, scope.where, loc)
    user = principal.acting_user(scope.user)
    scope = scope.model_copy(update={"metadata": kept["metadata"], "where": where, "user": user})
    return content.model_copy(update={"question": kept["question"], "scope": scope}), due_at


def shown_of(page_id: UUID, sentences: Sequence[PageSentence], states: States) -> ShownSentences[Sentence]:
    """Return the sentences of a page, each with what became of its memories."""
    return shown_sentences(
        (partial(Sentence, one["text"]), [_citation(memory, page_id, states) for memory in one["memories"]])
        for one in sentences
    )


def _citation(memory: CitedMemory, page_id: UUID, states: States) -> Citation:
    id_ = UUID(str(memory["id"]))
    state = states.get((page_id, id_))
    if state is None:
        return Citation(id_, visible=False, holds=False)
    holds = state.holds and state.digest == memory["digest"]
    return Citation(id_, visible=True, holds=holds, superseded_by=state.superseded_by)


def is_stale(page: StoredPage, states: States) -> bool:
    """Return whether a page says something that no longer holds, or has no answer yet."""
    return page.version is None or bool(shown_of(page.id, page.sentences or [], states).outdated)


async def shown_pages(
    connection: Connection, workspace: UUID, stored: Sequence[StoredPage], now: datetime
) -> list[AnsweredPage]:
    """Return pages as the API shows them."""
    states = await states_of(connection, workspace, stored, now)
    return [_answered_page(page, states) for page in stored]


async def states_of(connection: Connection, workspace: UUID, stored: Sequence[StoredPage], now: datetime) -> States:
    """Return what the memories are now that the newest versions of pages cite."""
    return await pages.cited_states(connection, workspace, {page.id: page.sentences or [] for page in stored}, now)


def _answered_page(page: StoredPage, states: States) -> AnsweredPage:
    found = shown_of(page.id, page.sentences or [], states)
    return AnsweredPage(
        id=page.id,
        agent=page.agent,
        question=page.question,
        scope=page.scope,
        trigger=page.trigger,
        max_tokens=page.max_tokens,
        sentences=found.current,
        left_out=found.outdated,
        stale=page.version is None or bool(found.outdated),
        version=page.version,
        writer=page.writer,
        dropped=page.dropped,
        dream_id=page.dream_id,
        written_at=page.written_at,
        due_at=page.due_at,
        created_at=page.created_at,
        updated_at=page.updated_at,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that is to be stored, and the memories it was made of, cited or not."""

    version: NewVersion
    inputs: list[CitedMemory]


async def answer(
    runtime: Runtime, principal: Principal, agent: str, content: PageContent, *, known: str | None = None
) -> Answer | None:
    """Answer a page's question as its agent; None where the answer is made of what the ``known`` one was made of."""
    context_max = (await get_settings(runtime, principal)).retrieval.context_max_tokens
    scope, reader = content.scope, replace(principal, named_user=None)
    found = await recall(
        runtime,
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
    settings = await _settings(runtime, principal.workspace_id, agent)
    choices, llm = settings.dream, runtime.model("ask", principal.workspace_id, settings.llm)
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


async def _settings(runtime: Runtime, workspace: UUID, agent: str) -> WorkspaceSettings:
    """Return the settings of the agent; the workspace's for one that does not exist yet."""
    async with runtime.db.transaction(workspace) as connection:
        return await agents.named_agent_settings(connection, workspace, agent)


async def mark_due(
    connection: Connection, workspace: UUID, agent_id: UUID, *, dream_id: UUID, changed: Sequence[UUID], now: datetime
) -> None:
    """Note which pages of an agent a dream may concern: one of the ``changed`` memories is within their scope, or
    something that they say no longer holds."""
    after_dreams = await connection.many(StoredPage, "pages_after_dreams", workspace=workspace, agent_id=agent_id)
    if not after_dreams:
        return
    memories = await connection.many(MemoryFacets, "changed_facets", workspace=workspace, ids=changed)
    states = await states_of(connection, workspace, after_dreams, now)
    due = [
        page.id
        for page in after_dreams
        if is_stale(page, states) or any(map(PageScope.model_validate(page.scope).may_concern, memories))
    ]
    await connection.run("mark_pages_due", workspace=workspace, ids=due, dream_id=dream_id, now=now)


async def _nothing(step: str) -> None:
    """Ignore the steps."""


async def write_due(
    runtime: Runtime,
    workspace: UUID,
    agent_id: UUID | None = None,
    *,
    on_step: Callable[[str], Awaitable[None]] = _nothing,
) -> int:
    """Write the pages that are due, of one agent or of the workspace; return how many were looked at.

    One that fails is due again when its claim ends, without holding up the others. ``on_step`` is told ``page:writing``
    before an answer is stored, and ``page:written`` after it.
    """
    done = 0
    while True:
        now = runtime.now()
        async with runtime.db.transaction(workspace) as connection:
            claimed: UUID | None = await connection.value(
                "claim_page", workspace=workspace, agent_id=agent_id, now=now, until=now + CLAIM
            )
            page = await _page(connection, workspace, claimed) if claimed is not None else None
        if page is None:
            return done
        try:
            await _write(runtime, workspace, page, on_step)
        except NotFound:
            continue
        except ReverieError as error:
            log.warning("page_failed", page_id=str(page.id), error=error.message)
        done += 1


async def _write(
    runtime: Runtime, workspace: UUID, page: StoredPage, on_step: Callable[[str], Awaitable[None]]
) -> None:
    reader = Principal(workspace, NO_KEY, "agent", page.agent)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(runtime, reader, page.agent, page.content, known=page.inputs_hash)
        await on_step("page:writing")
        if await write(runtime, workspace, page, new):
            await on_step("page:written")
            return
        async with runtime.db.transaction(workspace) as connection:
            found = await _page(connection, workspace, page.id)
        if found is None:
            return
        page = found
    log.warning("page_left_due", page_id=str(page.id))


async def _page(connection: Connection, workspace: UUID, page_id: UUID) -> StoredPage | None:
    return await connection.first(StoredPage, "get_page", workspace=workspace, id=page_id, agent=None)
