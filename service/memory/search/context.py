"""The context of a turn: gathered from memory, assembled under one budget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.db.deferred_commit import without_deferred_commit
from service.db.viewing import current_viewer, viewing_as
from service.domain.bulletin import CitedState, StoredBulletin
from service.domain.context import ContextRequest, Placement, SectionName, Shares, is_planning
from service.domain.documents import DocumentPart
from service.domain.excerpts import excerpt
from service.domain.json import JsonValue
from service.domain.memory import Memory
from service.domain.message_text import searchable_text
from service.domain.origin import Origin, label, label_of
from service.domain.own_types import BUILT_IN, OwnType, policy
from service.domain.owners import Viewer, ViewerField, shown_viewer, viewer_of
from service.domain.principal import Principal
from service.domain.profile import profile_line
from service.domain.search import Include, SearchRequest
from service.domain.session import FoundMessage, Message, Session, WindowSummary
from service.domain.times import day_words, tzinfo_of
from service.domain.turns import text_of, tokens_of
from service.domain.workspace import WorkspaceSettings
from service.embedding.tokens import truncate
from service.errors import NotFound
from service.memory import bulletin
from service.memory.access.workspace import get_settings
from service.memory.counters import AccessCounter
from service.memory.prompts import label_each_line, marked, memory_line
from service.memory.search.assembly import (
    AssembledContext,
    ChatMessage,
    ContextInput,
    ContextSection,
    Entry,
    OmittedItems,
    WindowTurn,
    assemble,
)
from service.memory.search.profiles import ProfileSources, sources_in_scope, standing_profile
from service.memory.search.recall import recall
from service.memory.search_results import NO_MEMORY, SWITCHED_OFF, Degraded, SearchAnswer, SearchResult
from service.memory.sessions import conversations
from service.runtime import Runtime
from service.store import agents
from service.store.search.records import ContextMemory, ContextMessage
from service.store.settings import workspace_settings

FETCH_MAX = 100
BASELINE_MAX = 100
BULLETINS_MAX = 20
"""Of so many sets of owners a context has the bulletins."""
LINE_TOKENS = 40
"""A line of a context rarely has fewer: what a budget has no room for is not asked for."""
MESSAGE_TOKENS = 150
"""Of a message found in another conversation; the rest of a long one is not worth the room."""
EXCERPT_CHARS = 600
"""Of the summary of a window, about as much."""


EVERYTHING: list[Include] = ["memories", "documents", "messages"]
STANDING_SECTIONS: dict[str, SectionName] = {"always": "identity", "user": "preferences"}


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """Context of a model call, as sections and as messages."""

    sections: Annotated[list[ContextSection], Field(description="Sections of the context in prompt order.")]
    messages: Annotated[list[ChatMessage], Field(description="Messages for the model, ending with the caller's own.")]
    tokens: Annotated[int, Field(description="Total length in tokens.")]
    omitted: Annotated[list[OmittedItems], Field(description="Found items omitted for lack of budget, by section.")]
    degraded: Annotated[Degraded | None, Field(description="Degradation of the context; null for a complete context.")]
    viewer: ViewerField


@dataclass(frozen=True, slots=True)
class Context:
    """An assembled context, for whom it is, and what was degraded on the way."""

    assembled: AssembledContext
    degraded: Degraded | None
    viewer: Viewer

    def answer(self, message: str, placement: Placement) -> ContextAnswer:
        """Return the answer of the API."""
        made = self.assembled
        messages = made.messages(message, placement)
        return ContextAnswer(
            made.sections, messages, made.tokens, made.omitted, self.degraded, shown_viewer(self.viewer)
        )


@dataclass(frozen=True, slots=True)
class _WindowTurns:
    """The turns of a window, oldest first; the ``summary`` of what left it is the first of them, if there is one."""

    turns: Sequence[WindowTurn] = ()
    summary: WindowTurn | None = None


@dataclass(frozen=True, slots=True)
class _Baseline:
    """Material that is offered whatever the message says."""

    entries: dict[SectionName, list[Entry]]
    ids: set[str]
    speaker: str | None
    shares: Shares
    enabled: bool
    """False: the memory is switched off."""
    types: Mapping[str, OwnType]
    allowed: frozenset[Origin]
    """The origins that need no label."""
    viewer: Viewer
    """Whom the context is for."""
    zone: tzinfo
    """The time zone in which times are told."""


async def build_context(runtime: Runtime, principal: Principal, request: ContextRequest) -> Context:
    """Assemble the context of one turn. Memories that were retrieved for it count as accessed.

    With the caller's memory off, only what the caller sent is in it. An agent or session nobody has heard of
    has nothing to offer.
    """
    principal.acting_agent(request.agent)
    defaults = (await get_settings(runtime, principal)).retrieval
    max_tokens = defaults.context_max_tokens if request.max_tokens is None else request.max_tokens
    results = await runtime.executor.each(marked, [text_of(result) for result in request.tool_results], len)
    tools = [Entry(str(number), result) for number, result in enumerate(results)]
    if principal.no_memory or max_tokens == 0:
        material = ContextInput({"tools": tools})
        shares = request.sections.over(Shares())
        assembled = await runtime.executor.run(assemble, material, shares, max_tokens, characters=_extent(tools))
        user = principal.acting_user(request.user)
        viewer = viewer_of(user, None, "separate", prompt=True)
        return Context(assembled, NO_MEMORY if principal.no_memory else None, viewer)
    with without_deferred_commit():
        standing, window, found = await _gathered(runtime, principal, request, max_tokens)
    if not standing.enabled:
        without = await build_context(runtime, replace(principal, no_memory=True), request)
        return replace(without, degraded=SWITCHED_OFF)
    ranked = [one for one in found.results if _adds_information(one, request, standing)]
    shown = _Shown(request.message, standing.speaker, window.summary, standing.allowed, standing.zone)
    found_entries = await runtime.executor.each(
        lambda one: _entry(one, shown), ranked, lambda one: len(one.record.content)
    )
    entries = standing.entries | {
        "tools": tools,
        "documents": await runtime.executor.each(
            partial(_document_entry, marking="document" not in standing.allowed),
            [one.document for one in found.results if one.document],
            lambda part: len(part.content),
        ),
        "memories": [*standing.entries.get("memories", []), *found_entries],
    }
    assembled = await runtime.executor.run(
        assemble, ContextInput(entries, window.turns), standing.shares, max_tokens,
        characters=sum(map(_extent, entries.values())) + sum(len(turn.line) for turn in window.turns),
    )  # fmt: skip
    taken = next((set(one.items) for one in assembled.sections if one.name == "memories"), set())
    runtime.part(AccessCounter).count(
        principal.workspace_id,
        [id_ for one in ranked if str(one.record.id) in taken for id_ in one.memory_ids],
    )
    return Context(assembled, found.degraded, standing.viewer)


def _extent(entries: Sequence[Entry]) -> int:
    return sum(len(entry.text) for entry in entries)


async def _gathered(
    runtime: Runtime, principal: Principal, request: ContextRequest, max_tokens: int
) -> tuple[_Baseline, _WindowTurns, SearchAnswer]:
    """Return everything a context is made of, searched and read side by side: 1 ms from Postgres a lone context takes
    .74 to .89 of its time one after the other."""
    speaker = principal.acting_user(request.user) or await _speaker(runtime, principal, request)
    reader_ready: asyncio.Future[agents.Reader | None] = asyncio.get_running_loop().create_future()
    try:
        async with asyncio.TaskGroup() as group:
            others = group.create_task(_standing_and_window(runtime, principal, request, speaker, reader_ready))
            found = await _search(runtime, principal, request, max_tokens, speaker, reader_ready)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return *others.result(), found


async def _standing_and_window(
    runtime: Runtime,
    principal: Principal,
    request: ContextRequest,
    speaker: str | None,
    reader_ready: asyncio.Future[agents.Reader | None],
) -> tuple[_Baseline, _WindowTurns]:
    reader = await reader_ready
    user, mode = principal.acting_user(request.user), reader.settings.users if reader else "separate"
    with viewing_as(viewer_of(user, reader.members if reader else None, mode, prompt=True)):
        standing = await _standing(runtime, principal, request, speaker, reader)
        return standing, await _window(runtime, principal, request) if standing.shares.window else _WindowTurns()


async def _speaker(runtime: Runtime, principal: Principal, request: ContextRequest) -> str | None:
    """Return the user of the session."""
    if request.session is None:
        return None
    with suppress(NotFound):
        async with runtime.db.transaction(principal.workspace_id) as connection:
            found = await conversations.find_session(connection, Session, principal, request.agent, request.session)
            return found.user
    return None


@dataclass(frozen=True, slots=True)
class _BaselineMemory:
    """A memory that a context offers whatever the message says."""

    id: UUID
    type: str
    content: str
    user: str | None
    hearsay_by: str | None
    origin: Origin
    occurred_at: datetime | None
    occurred_until: datetime | None
    session_user: str | None


async def _standing(
    runtime: Runtime, principal: Principal, request: ContextRequest, speaker: str | None, reader: agents.Reader | None
) -> _Baseline:
    """Return instructions, bulletin with the speaker's profile in place of its lines about them, identity, preferences
    of the speaker, goals when planning, and open todos."""
    workspace, agent = principal.workspace_id, principal.acting_agent(request.agent)
    async with runtime.db.generic_plan_transaction(workspace) as connection:
        if reader is None:
            settings = await workspace_settings(connection, workspace)
            return _Baseline(
                _instructions(settings), set(), speaker, request.sections.over(settings.context),
                settings.memory.enabled, settings.memory_types, settings.origins.allowed,
                current_viewer(), tzinfo_of(request.time_zone or settings.time_zone),
            )  # fmt: skip
        settings = reader.settings
        shares = request.sections.over(settings.context)
        latest = await connection.many(
            StoredBulletin, "bulletins_shown", workspace=workspace, agent_id=reader.agent_id, limit=BULLETINS_MAX,
            now=runtime.now(),
        )  # fmt: skip
        sources = (
            await sources_in_scope(connection, workspace, reader, speaker, runtime.now())
            if speaker and latest and shares.bulletin
            else ProfileSources()
        )
        own = settings.memory_types
        planning = _types(own, "planning") if is_planning(request.message) else []
        offered = await connection.many(
            _BaselineMemory, "baseline_memories", workspace=workspace, audiences=reader.audiences, user=speaker,
            always_types=_types(own, "always"), user_types=_types(own, "user") + planning,
            open_types=_types(own, "open"), now=runtime.now(), limit=BASELINE_MAX,
            created_since=settings.retrieval.created_since(runtime.now()),
        )  # fmt: skip
    allowed, zone = settings.origins.allowed, tzinfo_of(request.time_zone or settings.time_zone)
    entries = _instructions(settings)
    ids = {str(one.id) for one in offered}
    if latest:
        person = await standing_profile(runtime, speaker or "", sources)
        in_profile = {str(id_) for field in person for id_ in field.memory_ids}
        line = profile_line(speaker or "", [one for one in person if not ids >= set(map(str, one.memory_ids))])
        told = [Entry("profile", line)] if line else []
        for stored in latest:
            unverified = {id_ for id_, of in stored.states.items() if of and _unverified(of, speaker, allowed)}
            shown = bulletin.as_shown(stored, in_profile, unverified)
            if not told or shown.content != bulletin.NOTHING_YET.format(agent=agent):
                told.append(Entry(str(shown.version), marked(shown.content, directives=False)))
        entries["bulletin"] = told
    lines = await runtime.executor.each(
        lambda one: memory_line(one, speaker, allowed, one.session_user, zone), offered, lambda one: len(one.content)
    )
    for one, entry in zip(offered, lines, strict=True):
        section = STANDING_SECTIONS.get(policy(settings.memory_types, one.type).in_context, "memories")
        entries.setdefault(section, []).append(Entry(str(one.id), entry))
    return _Baseline(
        entries, ids, speaker, shares, settings.memory.enabled, settings.memory_types, allowed, current_viewer(), zone
    )


def _types(own: Mapping[str, OwnType], in_context: str) -> list[str]:
    return [name for name in (*BUILT_IN, *own) if policy(own, name).in_context == in_context]


def _instructions(settings: WorkspaceSettings) -> dict[SectionName, list[Entry]]:
    return {"instructions": [Entry("instructions", settings.instructions)]} if settings.instructions.strip() else {}


async def _search(
    runtime: Runtime,
    principal: Principal,
    request: ContextRequest,
    max_tokens: int,
    speaker: str | None,
    reader_ready: asyncio.Future[agents.Reader | None],
) -> SearchAnswer:
    """Return what is found for the message; ``reader_ready`` gets the reader as soon as it is resolved.

    One search for memories and messages takes two thirds of Postgres' processor time for two.
    """
    limit = min(FETCH_MAX, 1 + max_tokens // LINE_TOKENS)
    return await recall(
        runtime,
        principal,
        SearchRequest(
            agent=request.agent,
            query=request.message,
            queries=request.queries,
            expand=request.expand,
            limit=limit,
            include=EVERYTHING,
            types=request.types,
            tags=request.tags,
            user=request.user,
            about=request.about or request.user_filter,
            metadata=request.metadata,
            where=request.where,
            since=request.since,
            until=request.until,
            time_zone=request.time_zone,
        ),
        count_access=False,
        in_session=request.session,
        on_task=request.task,
        said_by=speaker,
        include_messages=request.include_messages,
        documents=request.documents,
        for_context=True,
        for_prompt=True,
        on_reader=lambda reader: None if reader_ready.done() else reader_ready.set_result(reader),
    )


def _adds_information(found: SearchResult, request: ContextRequest, standing: _Baseline) -> bool:
    """Return whether a memory or message that was found may go in: not if what it stands for goes in anyway."""
    if any(str(one.id) in standing.ids for one in found.also):
        return False
    if found.memory is not None:
        return _include_memory(found.memory, standing)
    return found.message is not None and _include_message(found.message, request, standing)


def _include_memory(memory: Memory, standing: _Baseline) -> bool:
    """Return whether a memory that was found goes in: not when it does anyway, nor another user's preferences and
    plans."""
    return (
        str(memory.id) not in standing.ids
        and memory.status != "done"
        and (policy(standing.types, memory.type).in_context != "user" or memory.user in (None, standing.speaker))
    )


def _include_message(message: FoundMessage, request: ContextRequest, standing: _Baseline) -> bool:
    """Return whether a message that was found tells the model something: another user's never does, and a caller that
    takes no window has the session's messages itself."""
    in_session = message.session == request.session
    return message.user == standing.speaker and not (in_session and standing.shares.window == 0)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Inputs of the lines of a context: the message it is for, who speaks, the summary in the window, the origins that
    need no label, and the time zone of what names none."""

    message: str
    speaker: str | None
    summary: WindowTurn | None
    allowed: frozenset[Origin]
    zone: tzinfo


def _entry(found: SearchResult, shown: _Shown) -> Entry:
    """Return what was found as a line, and the turns of the window that say the same: those that a memory came from,
    the message itself, or the summary that has its very words. Of the summary of another window the line has no more
    than what the message is about."""
    record, id_ = found.record, str(found.record.id)
    if isinstance(record, ContextMemory):
        said = record.content
        content = excerpt(said, shown.message, EXCERPT_CHARS) if record.window_summary else said
        record = replace(record, content=content)
        line = memory_line(record, shown.speaker, shown.allowed, record.session_user, shown.zone)
        repeats = frozenset(map(str, record.sources))
    else:
        assert isinstance(record, ContextMessage)
        at = record.created_at.astimezone(tzinfo_of(record.time_zone) if record.time_zone else shown.zone)
        day, who = day_words(at), record.name or record.role
        said = searchable_text(record.role, record.content)
        own = record.role == "user" and record.name in (None, shown.speaker)
        opening = f"{day}, {who} said{_superseded(record.superseded)}"
        line = f"[{opening}] {marked(truncate(said, MESSAGE_TOKENS), directives=not own)}"
        repeats = frozenset({id_})
    summary = shown.summary
    if summary is not None and len(said) <= len(summary.line) and _words(said) in _words(summary.line):
        repeats = frozenset({summary.id})
    return Entry(id_, line, repeats)


def _superseded(share: float | None) -> str:
    """Return what to add where of the memories made of a message this ``share`` has been superseded: all, or some."""
    return "" if not share else "; superseded since" if share == 1 else "; partly superseded since"


def _words(text: str) -> str:
    """Return a text with all its white space alike."""
    return " ".join(text.split())


def _document_entry(part: DocumentPart, *, marking: bool) -> Entry:
    cited = marked(f"[{' '.join(part.title.split())}, part {part.position} of {part.chunks}]")
    text = f"{cited} {marked(part.content)}"
    return Entry(str(part.id), label_each_line(text, label("document") if marking else ""))


async def _window(runtime: Runtime, principal: Principal, request: ContextRequest) -> _WindowTurns:
    if request.session is None:
        return _WindowTurns()
    try:
        window = await conversations.window(runtime, principal, request.agent, request.session)
    except NotFound:
        return _WindowTurns()
    turns = [_turn(message) for message in window.messages]
    if window.summary is None:
        return _WindowTurns(turns)
    summary = _summary_turn(window.summary)
    return _WindowTurns([summary, *turns], summary)


def _unverified(state: CitedState, speaker: str | None, allowed: frozenset[Origin]) -> bool:
    """Return whether a memory that a bulletin cites, in this state, needs a label for who speaks."""
    origin, user, session_user = state["origin"], state["user"], state["session_user"]
    return not state["hearsay_by"] and bool(label_of(origin, user, session_user, speaker, allowed))


def _summary_turn(summary: WindowSummary) -> WindowTurn:
    line = f"Summary of the conversation so far: {summary.content}"
    return WindowTurn(str(summary.id), line, ChatMessage("assistant", line))


def _turn(message: Message) -> WindowTurn:
    """Return a message as a turn. A tool's goes to the model as the assistant's words: without the call before it, no
    provider takes it."""
    text = text_of(message.content)
    if message.role == "tool":
        line = f"[{message.name or 'tool'} returned] {text}"
        sent = ChatMessage("assistant", line)
    else:
        sent = ChatMessage(message.role, message.content if _goes_verbatim(message.content) else text)
    return WindowTurn(str(message.id), f"{message.role}: {text}", sent, tokens_of(sent.content, lambda _: 0))


def _goes_verbatim(content: JsonValue) -> bool:
    """Return whether a content is a text, or a list of parts that have a type: those of some formats have none."""
    parts = content if isinstance(content, list) else []
    return isinstance(content, str) or bool(parts and all(isinstance(part, dict) and "type" in part for part in parts))
