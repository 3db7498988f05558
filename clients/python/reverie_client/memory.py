"""``Memory`` and ``AsyncMemory``: the methods of mem0's classes of these names, and answers of their shape.

A ``user_id`` is the user to whom a memory belongs, an ``agent_id`` its agent and a ``run_id`` its session. Every memory
has an agent: the user, else the run, where none is named. A text is saved as it is; turns of a conversation are
appended to a session, found at once as they were said, and made into memories by a dream.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx

from reverie_client import calls
from reverie_client import models as m
from reverie_client import options as o
from reverie_client.bindings import Procedure
from reverie_client.call import Call, Id
from reverie_client.errors import NotAllowed, NotFound
from reverie_client.transport import AsyncSender, Client, Http, Sender, Steps

Turn = Mapping[str, Any]
PAGE = 200
FOUND_MAX = 100
"""Results of one search at most: the bound of the API."""
SYSTEM = "system"
NOT_SAID = (SYSTEM, "developer", "tool", "function", "toolresult")
"""Roles whose turns are no memories where each turn is saved as it is."""
TEXTS = ("content", "parts", "text", "value", "refusal", "message", "blocks", "data", "kwargs")
"""Where the text is, in messages and parts of any format."""
PLAIN_KINDS = ("refusal", "message", "human", "ai", "constructor")
"""Types of parts and messages that hold text; others do if their name says so."""
METADATA_LOST = (
    "Metadata is not kept with turns: the memories that a dream makes of them have none; infer=False keeps it."
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memories are meant, in the words of the API."""

    agent: str
    user: str | None
    session: str | None

    def saved(self) -> dict[str, str]:
        """Return the fields of a memory that say so."""
        named = {"agent": self.agent, "user": self.user, "session": self.session}
        return {name: value for name, value in named.items() if value is not None}

    def owns(self, session: str | None) -> bool:
        """Return whether what was said or saved in a session is meant."""
        return self.session is None or session == self.session

    def has(self, found: m.MemoryRecord | m.MessageRecord) -> bool:
        """Return whether a memory or a turn is the user's, where one is named: users are shown what is nobody's too."""
        return self.user is None or self.user == found.user or self.user in found.owners


def owner(user_id: str | None, agent_id: str | None, run_id: str | None) -> Owner:
    """Raises ValueError where nobody is named."""
    agent = agent_id or user_id or run_id
    if not agent:
        raise ValueError("one of user_id, agent_id and run_id is needed")
    return Owner(agent, user_id, run_id)


def filtered(filters: Mapping[str, Any] | None, **ids: str | None) -> tuple[Owner, m.Json]:
    """Return whose memories are meant and with what metadata, where the ids may be among the filters."""
    wanted = dict(filters or {})
    found = {name: wanted.pop(name, None) or value for name, value in ids.items()}
    for name, value in wanted.items():
        if name in ("AND", "OR", "NOT") or isinstance(value, dict | list):
            raise ValueError(f"filters: {name} is no plain value to be equal to; Reverie.search has more filters")
    return owner(found["user_id"], found["agent_id"], found["run_id"]), wanted


def add(
    messages: str | Turn | Sequence[Turn],
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    metadata: m.Json | None = None,
    infer: bool = True,
) -> Steps[m.Json]:
    """Keep a text as a memory, or turns of a conversation, of which a dream makes memories (``event`` PENDING).

    ``infer=False`` saves each turn as a memory, as it is, but for those of the system and of tools.
    """
    whose = owner(user_id, agent_id, run_id)
    if isinstance(messages, str):
        return (yield from _save([{"role": "user", "content": messages}], whose, metadata or {}))
    turns = [messages] if isinstance(messages, Mapping) else list(messages)
    if not all(isinstance(turn, Mapping) for turn in turns):
        raise ValueError("messages is to be a text, a turn with role and content, or a list of turns")
    if not infer:
        return (yield from _save(list(filter(said_in, turns)), whose, metadata or {}, with_role=True))
    if metadata:
        warnings.warn(METADATA_LOST, stacklevel=4)
    return (yield from _append(turns, whose))


def search(
    query: str,
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    limit: int = 20,
    top_k: int | None = None,
    filters: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    rerank: bool = False,
) -> Steps[m.Json]:
    """Return memories and turns, best first.

    ``filters`` are equal to metadata of memories (turns have none), and may name the ids. ``threshold`` is the least
    relevance, from 0 to 1; ``top_k`` is another name of ``limit``.
    """
    whose, metadata = filtered(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
    wanted = limit if top_k is None else top_k
    options = o.SearchOptions(
        agent=whose.agent,
        limit=min(FOUND_MAX, wanted if whose.session is None and whose.user is None else FOUND_MAX),
        include=["memories"] if metadata else ["memories", "messages"],
    )
    if whose.user is not None:
        options["user"] = whose.user
    if whose.session is not None:
        options["session"] = whose.session
    if metadata:
        options["metadata"] = metadata
    if threshold is not None:
        options["min_relevance"] = threshold
    if rerank:
        options["rerank"] = True
    answer: m.SearchAnswer = yield calls.search_memories(query, **options)
    found = [shown | {"score": one.score} for one in answer.results if (shown := _found(one, whose))]
    return {"results": found[:wanted]}


def _found(result: m.SearchResult, whose: Owner) -> m.Json | None:
    """Return what a search found, in mem0's words; None for what is another run's or not the user's, or no text."""
    memory, turn = result.memory, result.message
    if memory is not None:
        return item(memory) if whose.owns(memory.session) and whose.has(memory) else None
    if turn is None or not (whose.owns(turn.session) and whose.has(turn)) or not text_of(turn.content):
        return None
    return turn_item(turn, turn.agent, turn.session)


def get(memory_id: Id) -> Steps[m.Json | None]:
    """Return a memory; None for one that is not there."""
    try:
        found: m.MemoryRecord = yield calls.get_memory(memory_id)
    except NotFound:
        return None
    return item(found)


def get_all(
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    limit: int = 100,
    top_k: int | None = None,
    filters: Mapping[str, Any] | None = None,
) -> Steps[m.Json]:
    """Memories, newest first; ``filters`` and ``top_k`` as of ``search``."""
    whose, metadata = filtered(filters, user_id=user_id, agent_id=agent_id, run_id=run_id)
    found = yield from _list(whose, metadata, limit if top_k is None else top_k)
    return {"results": [item(one) for one in found]}


def update(memory_id: Id, data: str, metadata: m.Json | None = None) -> Steps[m.Json]:
    """Give a memory another text and, where it is given, other metadata. Raises NotFound, Conflict."""
    present: m.MemoryRecord = yield calls.get_memory(memory_id)
    changes = o.MemoryChanges(content=data)
    if metadata is not None:
        changes["metadata"] = metadata
    yield calls.update_memory(memory_id, present.version, **changes)
    return {"message": "The memory is updated."}


def delete(memory_id: Id) -> Steps[m.Json]:
    """Delete a memory. Raises NotFound."""
    yield calls.delete_memory(memory_id)
    return {"message": "The memory is deleted."}


def delete_all(*, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Steps[m.Json]:
    """Forget a user for good, turns and all, of every agent (it needs an admin key); or, where an agent or a run is
    named, delete the memories there.
    """
    whose = owner(user_id, agent_id, run_id)
    if user_id and not agent_id and not run_id:
        purged: m.Json = yield calls.purge_user(user_id)
        return {"message": f"All that is known of {user_id} is deleted.", **purged}
    found = yield from _list(whose, {}, None)
    for one in found:
        with suppress(NotFound):
            yield calls.delete_memory(one.id)
    return {"message": f"Memories deleted: {len(found)}."}


def history(memory_id: Id) -> Steps[list[m.Json]]:
    """Return what became of a memory, oldest first."""
    page: m.Page[m.MemoryVersion] = yield calls.list_memory_history(memory_id)
    changes: list[m.Json] = []
    before: m.MemoryVersion | None = None
    for version in page.items:
        deleted = version.deleted_at is not None
        changes.append(
            {
                "id": f"{memory_id}/{version.version}",
                "memory_id": str(memory_id),
                "old_memory": before.content if before else None,
                "new_memory": None if deleted else version.content,
                "event": "DELETE" if deleted else "UPDATE" if before else "ADD",
                "created_at": version.at.isoformat(),
                "is_deleted": deleted,
                "actor_id": version.actor,
                "reason": version.reason,
            }
        )
        before = version
    return changes


def item(memory: m.MemoryRecord) -> m.Json:
    """Return a memory in mem0's words."""
    return {
        "id": str(memory.id),
        "memory": memory.content,
        "metadata": memory.metadata,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "user_id": memory.user,
        "agent_id": memory.agent,
        "run_id": memory.session,
        "type": memory.type,
    }


def turn_item(turn: m.MessageRecord, agent: str, session: str) -> m.Json:
    """Return a turn in the same words; its id is that of a message, which ``get`` does not know."""
    return {
        "id": str(turn.id),
        "memory": text_of(turn.content),
        "metadata": {},
        "created_at": turn.created_at.isoformat(),
        "updated_at": None,
        "user_id": turn.user,
        "agent_id": agent,
        "run_id": session,
        "role": turn.role,
    }


def text_of(content: Any) -> str:
    """Return what a turn says, whatever format its content is in; empty for what is no text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    if not isinstance(content, dict) or content.get("thought") is True:
        return ""
    kind = content.get("type", content.get("block_type"))
    if isinstance(kind, str) and "text" not in kind and kind not in PLAIN_KINDS:
        return ""
    return next(filter(None, (text_of(content.get(name)) for name in TEXTS)), "")


def said_in(turn: Turn) -> str:
    """Return what a turn of any format says; empty for one of the system, and for a tool's."""
    role = str(turn.get("role") or turn.get("type") or "").lower()
    return "" if role in NOT_SAID else text_of({name: turn[name] for name in TEXTS if name in turn})


def _save(turns: Sequence[Turn], whose: Owner, metadata: m.Json, *, with_role: bool = False) -> Steps[m.Json]:
    if not turns:
        return {"results": []}
    drafts: list[Any] = [
        {
            "type": "fact",
            "content": said_in(turn),
            "metadata": metadata | ({"role": turn.get("role")} if with_role else {}),
            **whose.saved(),
        }
        for turn in turns
    ]
    page: m.Page[m.SavedMemory] = yield calls.save_memories(drafts)
    return {
        "results": [
            item(one.memory) | {"event": "ADD" if one.created else "UPDATE" if one.updated else "NONE"}
            for one in page.items
            if one.memory is not None
        ]
    }


def _append(turns: Sequence[Turn], whose: Owner) -> Steps[m.Json]:
    """Append turns to the session of the run, else of the user, and ask for a dream without waiting for it."""
    session = whose.session or whose.user or whose.agent
    drafts: Any = [dict(turn) for turn in turns]
    stored: m.Appended = yield calls.append_messages(session, drafts, user=whose.user, agent=whose.agent)
    if stored.messages:
        yield from _ask_for_dream(whose.agent)
    return {
        "results": [
            turn_item(one, whose.agent, session) | {"event": "NONE" if one.role == SYSTEM else "PENDING"}
            for one in stored.messages
        ]
    }


def _ask_for_dream(agent: str) -> Steps[None]:
    try:
        yield calls.request_dream(agent)
    except (NotAllowed, NotFound):  # the key is bound to another agent, which is who acts
        bound: m.Whoami = yield calls.get_caller()
        if bound.agent is None:
            raise
        yield calls.request_dream(bound.agent)


def _list(whose: Owner, metadata: m.Json, limit: int | None) -> Steps[list[m.MemoryRecord]]:
    filters = o.MemoryFilters(**whose.saved())  # type: ignore[typeddict-item]
    found: list[m.MemoryRecord] = []
    call: Call[m.Page[m.MemoryRecord]] | None = calls.list_memories(limit=PAGE, **filters)
    while call is not None and (limit is None or len(found) < limit):
        page: m.Page[m.MemoryRecord] = yield call
        found += [one for one in page.items if whose.has(one) and metadata.items() <= one.metadata.items()]
        call = call.following(page)
    return found[:limit]


class MemoryApi(Client[Http]):
    """What mem0's classes do. ``client.add(…)`` and the like; ``Reverie`` has everything else."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = 30.0,
        retries: int = 4,
        http: Http | None = None,
    ) -> None:
        """``url`` and ``api_key`` are REVERIE_URL (else http://127.0.0.1:8000) and REVERIE_API_KEY of the environment
        where they are left out. ``http``: connections to use instead, such as those of ``Reverie.local()``.
        """
        super().__init__(url, api_key, timeout_s=timeout_s, retries=retries, http=http)  # type: ignore[arg-type]

    add = Procedure(add)
    search = Procedure(search)
    get = Procedure(get)
    get_all = Procedure(get_all)
    update = Procedure(update)
    delete = Procedure(delete)
    delete_all = Procedure(delete_all)
    history = Procedure(history)


class Memory(MemoryApi[httpx.Client], Sender):
    """Memory in mem0's words, blocking. Close it, or use it as a context manager."""


class AsyncMemory(MemoryApi[httpx.AsyncClient], AsyncSender):
    """Memory in mem0's words, awaited. Close it, or use it as an async context manager."""
