"""Memories: save, find, change, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, as_json, drop_none, part


def save_memory(type: m.MemoryType, content: str, **fields: Unpack[o.MemoryFields]) -> Call[m.SavedMemory]:
    """Save a memory; one that repeats another reinforces it, one with a known ``key`` updates it."""
    body = {"type": type, "content": content, **fields}
    return Call("POST", "/v1/memories", m.SavedMemory, body=body, agent_in="body")


def save_memories(items: Sequence[o.MemoryDraft]) -> Call[m.Page[m.SavedMemory]]:
    """Save up to 1,000 memories, all or none."""
    return Call("POST", "/v1/memories/batch", m.Page[m.SavedMemory], body={"items": [dict(item) for item in items]})


def list_memories(limit: int = 50, **filters: Unpack[o.MemoryFilters]) -> Call[m.Page[m.MemoryRecord]]:
    """Memories, newest first unless ``sort`` says otherwise; ``where`` is a filter as that of a search."""
    query = {"limit": limit, **filters, "where": as_json(filters.get("where"))}
    return Call("GET", "/v1/memories", m.Page[m.MemoryRecord], query=query, agent_in="query")


def change_memories(
    ids: Sequence[Id] | None, action: o.BulkAction, tags: Sequence[str] = (), filter: m.Json | None = None
) -> Call[m.Json]:
    """Delete, restore, pin or tag up to 500 memories, given by ids or by a filter: what became of each."""
    chosen = {"filter": filter} if ids is None else {"ids": [str(id_) for id_ in ids]}
    return Call("POST", "/v1/memories/bulk", m.Json, body={**chosen, "action": action, "tags": list(tags)})


def memory_stats(agent: str | None = None) -> Call[m.MemoryStats]:
    """How many memories may be seen, of which types, and what of them."""
    return Call("GET", "/v1/memories/stats", m.MemoryStats, query={"agent": agent}, agent_in="query")


def get_memory(memory_id: Id, include: str | None = None) -> Call[m.MemoryRecord]:
    """One memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, query={"include": include})


def change_memory(memory_id: Id, version: int, **changes: Unpack[o.MemoryChanges]) -> Call[m.MemoryRecord]:
    """Change a memory as last seen at ``version``. Raises Conflict when it has changed since."""
    return Call("PATCH", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, body={"version": version, **changes})


def delete_memory(memory_id: Id) -> Call[None]:
    """Delete a memory; it can be restored for a while."""
    return Call("DELETE", f"/v1/memories/{part(memory_id)}", None)


def delete_memories(filter: m.Json, token: str | None = None) -> Call[m.Json]:
    """Count what a filter matches (the answer has a ``token``); with that token, delete these memories."""
    body = {"filter": filter, "dry_run": token is None, "token": token}
    return Call("POST", "/v1/memories/delete", m.Json, body=drop_none(body))


def restore_memory(memory_id: Id) -> Call[m.MemoryRecord]:
    """Bring a deleted memory back."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/restore", m.MemoryRecord)


def memory_history(memory_id: Id) -> Call[m.Page[m.Json]]:
    """Every version of a memory, oldest first."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/history", m.Page[m.Json])


def memory_sources(memory_id: Id) -> Call[m.Page[m.Json]]:
    """The messages a memory was made of."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/sources", m.Page[m.Json])


def memory_links(memory_id: Id) -> Call[m.Json]:
    """The edges of a memory, and the entities and memories at their other ends."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/links", m.Json)


def search(query: str = "", **options: Unpack[o.SearchOptions]) -> Call[m.SearchAnswer]:
    """Memories found by words, meaning or both, best first."""
    return Call(
        "POST",
        "/v1/memories/search",
        m.SearchAnswer,
        body={"query": query, **options},
        agent_in="body",
        only_reads=True,
    )


def preview(query: str = "", explain_id: Id | None = None, **options: Unpack[o.SearchOptions]) -> Call[m.PreviewAnswer]:
    """As ``search``, explained, and nothing is counted; with what became of one memory, if it is named."""
    body = {"query": query, **options} | ({} if explain_id is None else {"explain_id": str(explain_id)})
    return Call("POST", "/v1/memories/search/preview", m.PreviewAnswer, body=body, agent_in="body")


def feedback(memory_id: Id, useful: bool) -> Call[m.Json]:
    """Say whether a memory was of use."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/feedback", m.Json, body={"useful": useful})


def summarize(
    older_than_days: float | None = None,
    dry_run: bool = True,
    agent: str | None = None,
    tokens_max: int | None = None,
) -> Call[m.Json]:
    """Fold old memories of little importance into one, by age or until all fit ``tokens_max``; a dry run names them
    only."""
    body = drop_none({"older_than_days": older_than_days, "tokens_max": tokens_max, "dry_run": dry_run, "agent": agent})
    return Call("POST", "/v1/summarize", m.Json, body=body, agent_in="body")


def undo_summary(memory_id: Id) -> Call[m.Json]:
    """Delete a summary, and make the memories that it replaced current again."""
    return Call("POST", f"/v1/summaries/{part(memory_id)}/undo", m.Json)
