"""What goes to the model on this turn (row G4): gathered from memory, assembled under one budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from service.db.ending import only_reading
from service.domain.context import ContextRequest, Placement, SectionName, Shares, is_planning
from service.domain.json import dumps
from service.domain.principal import Principal
from service.domain.search import Include, SearchRequest
from service.domain.spoken import words_in
from service.domain.types import POLICIES, MemoryType
from service.embedding.tokens import truncate
from service.errors import NotFound
from service.memory import bulletin, converse
from service.memory.assembly import Assembled, Entry, Material, Section, WindowTurn, assemble
from service.memory.engine import Engine
from service.memory.found import Degraded, Found, Recalled
from service.memory.recall import recall
from service.store import agents, sessions
from service.store import context as store
from service.store.settings import workspace_settings

FETCH_MAX = 100
LINE_TOKENS = 40
"""A line of a context rarely has fewer: what a budget has no room for is not asked for."""
MESSAGE_TOKENS = 150
"""Of a message found in another conversation; the rest of a long one is not worth the room."""

EVERYTHING: list[Include] = ["memories", "documents", "messages"]
STANDING_SECTIONS: dict[str, SectionName] = {"always": "identity", "user": "preferences"}

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """An assembled context, and what was degraded on the way."""

    assembled: Assembled
    degraded: Degraded | None

    def answer(self, message: str, placement: Placement) -> Record:
        """As the API shows it."""
        sections: list[Section] = self.assembled.sections
        return {
            "sections": [asdict(one) for one in sections],
            "messages": self.assembled.messages(message, placement),
            "tokens": self.assembled.tokens,
            "degraded": self.degraded,
        }


@dataclass(frozen=True, slots=True)
class _Standing:
    """What is offered whatever the message says."""

    entries: dict[SectionName, list[Entry]]
    ids: set[str]
    speaker: str | None
    shares: Shares


async def build_context(engine: Engine, principal: Principal, request: ContextRequest) -> Context:
    """Assemble the context of one turn. Memories that were retrieved for it count as accessed.

    With the caller's memory off, only what the caller sent is in it. An agent or session nobody has heard of
    has nothing to offer.
    """
    principal.acting(request.agent)
    tools = [Entry(str(number), _as_text(result)) for number, result in enumerate(request.tool_results)]
    if principal.memory_off or request.max_tokens == 0:
        material = Material({"tools": tools})
        return Context(assemble(material, request.sections.over(Shares()), request.max_tokens), None)
    with only_reading():
        standing, window, found = await _gathered(engine, principal, request)
    shown = {turn.id for turn in window}
    ranked = [one for one in found.results if _tells_more(one, request, standing, shown)]
    entries = standing.entries | {
        "tools": tools,
        "documents": [_document_entry(one.document) for one in found.results if one.document],
        "memories": [*standing.entries.get("memories", []), *(_entry(one, standing.speaker) for one in ranked)],
    }
    assembled = assemble(Material(entries, window), standing.shares, request.max_tokens)
    taken = next((set(one.items) for one in assembled.sections if one.name == "memories"), set())
    engine.usage.count(
        principal.workspace_id, [one.memory["id"] for one in ranked if one.memory and str(one.memory["id"]) in taken]
    )
    return Context(assembled, found.degraded)


async def _gathered(
    engine: Engine, principal: Principal, request: ContextRequest
) -> tuple[_Standing, Sequence[WindowTurn], Recalled]:
    """Everything a context is made of, searched and read side by side."""
    speaker = request.user or await _speaker(engine, principal, request)
    eyes: asyncio.Future[agents.Reader | None] = asyncio.get_running_loop().create_future()
    try:
        async with asyncio.TaskGroup() as group:
            others = group.create_task(_standing_and_window(engine, principal, request, speaker, eyes))
            found = await _search(engine, principal, request, speaker, eyes)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return *others.result(), found


async def _standing_and_window(
    engine: Engine,
    principal: Principal,
    request: ContextRequest,
    speaker: str | None,
    eyes: asyncio.Future[agents.Reader | None],
) -> tuple[_Standing, Sequence[WindowTurn]]:
    standing = await _standing(engine, principal, request, speaker, await eyes)
    return standing, await _window(engine, principal, request) if standing.shares.window else []


async def _speaker(engine: Engine, principal: Principal, request: ContextRequest) -> str | None:
    """Whose session it is."""
    if request.session is None:
        return None
    workspace, agent = principal.workspace_id, principal.acting(request.agent)
    async with engine.db.transaction(workspace) as connection:
        session = await sessions.find(connection, workspace, agent, request.session)
    return session["user"] if session else None


async def _standing(
    engine: Engine, principal: Principal, request: ContextRequest, speaker: str | None, reader: agents.Reader | None
) -> _Standing:
    """Bulletin, identity, preferences of the speaker, goals when planning, and open todos."""
    workspace, agent = principal.workspace_id, principal.acting(request.agent)
    async with engine.db.planned_once(workspace) as connection:
        if reader is None:
            settings = await workspace_settings(connection, workspace)
            return _Standing({}, set(), speaker, request.sections.over(settings.context))
        shares = request.sections.over(reader.settings.context)
        told = await bulletin.shown_now(connection, workspace, agent, None, engine.now())
        rows = await store.standing(
            connection, workspace, reader,
            user=speaker, planning=is_planning(request.message), now=engine.now(),
        )  # fmt: skip
    entries: dict[SectionName, list[Entry]] = {}
    if told is not None:
        entries["bulletin"] = [Entry(str(told["version"]), told["content"])]
    for row in rows:
        section = STANDING_SECTIONS.get(POLICIES[MemoryType(row["type"])].in_context, "memories")
        entries.setdefault(section, []).append(Entry(str(row["id"]), memory_line(row, speaker)))
    return _Standing(entries, {str(row["id"]) for row in rows}, speaker, shares)


async def _search(
    engine: Engine,
    principal: Principal,
    request: ContextRequest,
    speaker: str | None,
    eyes: asyncio.Future[agents.Reader | None],
) -> Recalled:
    """What is found for the message; ``eyes`` get whose they are as soon as that is known."""
    limit = min(FETCH_MAX, 1 + request.max_tokens // LINE_TOKENS)
    return await recall(
        engine,
        principal,
        SearchRequest(agent=request.agent, query=request.message, limit=limit, include=EVERYTHING),
        count_access=False,
        in_session=request.session,
        on_task=request.task,
        said_by=speaker,
        whole=False,
        on_reader=lambda reader: None if eyes.done() else eyes.set_result(reader),
    )


def _tells_more(found: Found, request: ContextRequest, standing: _Standing, shown: set[str]) -> bool:
    """Whether a memory or message that was found goes in."""
    if found.memory is not None:
        return _offered(found.memory, standing)
    return found.message is not None and _missing(found.message, request, standing, shown)


def _offered(memory: Record, standing: _Standing) -> bool:
    """Whether a memory that was found goes in: not when it does anyway, nor another user's preferences and plans."""
    policy = POLICIES[MemoryType(memory["type"])]
    return (
        str(memory["id"]) not in standing.ids
        and memory["status"] != "done"
        and (policy.in_context != "user" or memory["user"] in (None, standing.speaker))
    )


def _missing(message: Record, request: ContextRequest, standing: _Standing, shown: set[str]) -> bool:
    """Whether a message that was found tells the model something: another user's never does, nor what the window
    shows; and a caller that takes no window has the session's messages itself."""
    in_session = message["session"] == request.session
    return (
        message["user"] == standing.speaker
        and str(message["id"]) not in shown
        and not (in_session and standing.shares.window == 0)
    )


def _entry(found: Found, speaker: str | None) -> Entry:
    if found.memory is not None:
        return Entry(str(found.memory["id"]), memory_line(found.memory, speaker))
    assert found.message is not None
    message = found.message
    day, who = _told_day(message["created_at"].date()), message["name"] or message["role"]
    text = truncate(words_in(message["content"]), MESSAGE_TOKENS)
    return Entry(str(message["id"]), f"[{day}, {who} said] {text}")


def _document_entry(part: Record) -> Entry:
    return Entry(str(part["id"]), f"[{part['title']}, part {part['position']} of {part['chunks']}] {part['content']}")


def memory_line(memory: Any, speaker: str | None) -> str:
    """A memory as a model reads it: the day it speaks of, what it says, and whom it is about if not the speaker."""
    about = f" (about {memory['user']})" if memory["user"] not in (None, speaker) else ""
    dated = f"[{_told_day(memory['occurred_at'].date())}] " if memory["occurred_at"] else ""
    return f"{dated}{memory['content']}{about}"


@lru_cache(maxsize=1_000)
def _told_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


async def _window(engine: Engine, principal: Principal, request: ContextRequest) -> Sequence[WindowTurn]:
    """The summary of what left the window, and the turns in it, oldest first."""
    if request.session is None:
        return []
    try:
        window = await converse.window(engine, principal, request.agent, request.session)
    except NotFound:
        return []
    turns = [_turn(message) for message in window["messages"]]
    if window["summary"] is not None:
        told = f"Summary of the conversation so far: {window['summary']['content']}"
        turns.insert(0, WindowTurn(str(window["summary"]["id"]), told, {"role": "assistant", "content": told}))
    return turns


def _turn(message: Record) -> WindowTurn:
    """A tool's turn goes to the model as the assistant's words: without the call before it, no provider takes it."""
    text = _as_text(message["content"])
    if message["role"] == "tool":
        told = f"[{message['name'] or 'tool'} returned] {text}"
        sent = {"role": "assistant", "content": told}
    elif isinstance(message["content"], dict):
        sent = {"role": message["role"], "content": text}
    else:
        sent = {"role": message["role"], "content": message["content"]}
    return WindowTurn(str(message["id"]), f"{message['role']}: {text}", sent)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value).decode()
