"""What goes to the model on this turn (row G4): gathered from memory, assembled under one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from service.domain.context import ContextRequest, Placement, SectionName, Shares, is_planning
from service.domain.json import dumps
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.types import POLICIES, MemoryType
from service.errors import NotFound
from service.memory import bulletin, converse
from service.memory.assembly import Assembled, Entry, Material, Section, WindowTurn, assemble
from service.memory.engine import Engine
from service.memory.recall import Degraded, Recalled, recall
from service.store import agents, sessions
from service.store import context as store
from service.store.settings import workspace_settings

FETCH = 50
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
    standing = await _standing(engine, principal, request)
    found = await recall(engine, principal, _search(request), count_access=False)
    window = await _window(engine, principal, request)
    entries = standing.entries | {"tools": tools}
    entries["memories"] = [*standing.entries.get("memories", []), *_retrieved(found, standing)]
    assembled = assemble(Material(entries, window), standing.shares, request.max_tokens)
    _count_access(engine, principal, assembled, standing.ids)
    return Context(assembled, found.degraded)


async def _standing(engine: Engine, principal: Principal, request: ContextRequest) -> _Standing:
    """Bulletin, identity, preferences of the speaker, goals when planning, and open todos."""
    workspace, agent = principal.workspace_id, principal.acting(request.agent)
    async with engine.db.transaction(workspace) as connection:
        settings = await workspace_settings(connection, workspace)
        shares = request.sections.over(settings.context)
        reader = await agents.reader(connection, workspace, agent, session=request.session, task=request.task)
        if reader is None:
            return _Standing({}, set(), request.user, shares)
        speaker = request.user
        if speaker is None and reader.session_id is not None and request.session is not None:
            session = await sessions.find(connection, workspace, agent, request.session)
            speaker = session["user"] if session else None
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


def _search(request: ContextRequest) -> SearchRequest:
    return SearchRequest(agent=request.agent, query=request.message, limit=FETCH)


def _retrieved(found: Recalled, standing: _Standing) -> list[Entry]:
    """What was found for the message and is not offered anyway. Another user's preferences and plans stay out."""
    return [
        Entry(str(memory["id"]), memory_line(memory, standing.speaker))
        for memory in (result.memory for result in found.results)
        if str(memory["id"]) not in standing.ids
        and memory["status"] != "done"
        and (POLICIES[MemoryType(memory["type"])].in_context != "user" or memory["user"] in (None, standing.speaker))
    ]


def memory_line(memory: Any, speaker: str | None) -> str:
    """A memory as a model reads it: the day it speaks of, what it says, and whom it is about if not the speaker."""
    about = f" (about {memory['user']})" if memory["user"] not in (None, speaker) else ""
    day = memory["occurred_at"]
    dated = f"[{day.day} {day:%B %Y}] " if day else ""
    return f"{dated}{memory['content']}{about}"


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


def _count_access(engine: Engine, principal: Principal, assembled: Assembled, standing: set[str]) -> None:
    retrieved = next((one.items for one in assembled.sections if one.name == "memories"), [])
    engine.usage.count(principal.workspace_id, [UUID(id_) for id_ in retrieved if id_ not in standing])
