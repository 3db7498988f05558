"""Every call of the API, written down once: how it is asked, and what it answers. Both clients are made of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from service.clients import models as m
from service.clients.call import Call, Id, given, part

# Memories


def save_memory(type: m.MemoryType, content: str, **fields: Unpack[m.MemoryFields]) -> Call[m.SavedMemory]:
    """Save a memory; one that repeats another reinforces it, one with a known ``key`` updates it."""
    body = {"type": type, "content": content, **fields}
    return Call("POST", "/v1/memories", m.SavedMemory, body=body, agent_in="body")


def save_memories(items: Sequence[m.MemoryDraft]) -> Call[m.Page[m.SavedMemory]]:
    """Save up to 1,000 memories, all or none."""
    return Call("POST", "/v1/memories/batch", m.Page[m.SavedMemory], body={"items": [dict(item) for item in items]})


def list_memories(limit: int = 50, **filters: Unpack[m.MemoryFilters]) -> Call[m.Page[m.MemoryRecord]]:
    """Memories, newest first."""
    query = {"limit": limit, **filters}
    return Call("GET", "/v1/memories", m.Page[m.MemoryRecord], query=query, agent_in="query")


def get_memory(memory_id: Id, include: str | None = None) -> Call[m.MemoryRecord]:
    """One memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, query={"include": include})


def change_memory(memory_id: Id, version: int, **changes: Unpack[m.MemoryChanges]) -> Call[m.MemoryRecord]:
    """Change a memory as last seen at ``version``. Raises Conflict when it has changed since."""
    return Call("PATCH", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, body={"version": version, **changes})


def delete_memory(memory_id: Id) -> Call[None]:
    """Delete a memory; it can be restored for a while."""
    return Call("DELETE", f"/v1/memories/{part(memory_id)}", None)


def restore_memory(memory_id: Id) -> Call[m.MemoryRecord]:
    """Bring a deleted memory back."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/restore", m.MemoryRecord)


def memory_history(memory_id: Id) -> Call[m.Page[m.Json]]:
    """Every version of a memory, oldest first."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/history", m.Page[m.Json])


def memory_sources(memory_id: Id) -> Call[m.Page[m.Json]]:
    """The messages a memory was made of."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/sources", m.Page[m.Json])


def search(query: str = "", **options: Unpack[m.SearchOptions]) -> Call[m.SearchAnswer]:
    """Memories found by words, meaning or both, best first."""
    return Call("POST", "/v1/memories/search", m.SearchAnswer, body={"query": query, **options}, agent_in="body")


def preview(query: str = "", **options: Unpack[m.SearchOptions]) -> Call[m.SearchAnswer]:
    """As ``search``, explained, and nothing is counted."""
    return Call(
        "POST", "/v1/memories/search/preview", m.SearchAnswer, body={"query": query, **options}, agent_in="body"
    )


def feedback(memory_id: Id, useful: bool) -> Call[m.Json]:
    """Say whether a memory was of use."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/feedback", m.Json, body={"useful": useful})


def summarize(older_than_days: int, dry_run: bool = True, agent: str | None = None) -> Call[m.Json]:
    """Fold old memories of little importance into one; a dry run names them only."""
    body = given({"older_than_days": older_than_days, "dry_run": dry_run, "agent": agent})
    return Call("POST", "/v1/summarize", m.Json, body=body, agent_in="body")


# Sessions


def start_session(
    session: str | None = None, user: str | None = None, agent: str | None = None
) -> Call[m.SessionRecord]:
    """Start a session; without a name it gets a fresh UUID."""
    body = given({"session": session, "user": user, "agent": agent})
    return Call("POST", "/v1/sessions", m.SessionRecord, body=body, agent_in="body")


def list_sessions(user: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.SessionRecord]]:
    """Sessions, newest first."""
    query = {"user": user, "agent": agent, "limit": limit}
    return Call("GET", "/v1/sessions", m.Page[m.SessionRecord], query=query, agent_in="query")


def get_session(session: str, agent: str | None = None) -> Call[m.SessionRecord]:
    """One session."""
    return Call("GET", f"/v1/sessions/{part(session)}", m.SessionRecord, query={"agent": agent}, agent_in="query")


def append_messages(
    session: str,
    messages: Sequence[m.MessageDraft],
    user: str | None = None,
    agent: str | None = None,
    searchable: bool = True,
) -> Call[m.Appended]:
    """Append turns to a session, made on first use; not ``searchable``, they are neither embedded nor found."""
    turns = [dict(one) for one in messages]
    body = given({"messages": turns, "user": user, "agent": agent, "searchable": searchable})
    return Call("POST", f"/v1/sessions/{part(session)}/messages", m.Appended, body=body, agent_in="body")


def list_messages(
    session: str, order: Literal["asc", "desc"] = "asc", agent: str | None = None, limit: int = 50
) -> Call[m.Page[m.MessageRecord]]:
    """The permanent history of a session."""
    query = {"order": order, "agent": agent, "limit": limit}
    path = f"/v1/sessions/{part(session)}/messages"
    return Call("GET", path, m.Page[m.MessageRecord], query=query, agent_in="query")


def window(session: str, agent: str | None = None) -> Call[m.Window]:
    """The turns of a session that still go to the model verbatim."""
    return Call("GET", f"/v1/sessions/{part(session)}/window", m.Window, query={"agent": agent}, agent_in="query")


def clear_window(session: str, agent: str | None = None) -> Call[None]:
    """Clear the window only."""
    return Call("DELETE", f"/v1/sessions/{part(session)}/window", None, query={"agent": agent}, agent_in="query")


def compact(session: str, agent: str | None = None) -> Call[m.Json]:
    """Fold the older half of a window into a summary."""
    return Call("POST", f"/v1/sessions/{part(session)}/compact", m.Json, query={"agent": agent}, agent_in="query")


def message_memories(message_id: Id) -> Call[m.Page[m.MemoryRecord]]:
    """The memories made of a message."""
    return Call("GET", f"/v1/messages/{part(message_id)}/memories", m.Page[m.MemoryRecord])


def context(message: str, **options: Unpack[m.ContextOptions]) -> Call[m.ContextAnswer]:
    """What goes to a model on this turn."""
    return Call("POST", "/v1/context", m.ContextAnswer, body={"message": message, **options}, agent_in="body")


def ask(question: str, max_tokens: int | None = None, agent: str | None = None) -> Call[m.AskAnswer]:
    """An answer from memory, with the memories it rests on."""
    body = given({"question": question, "max_tokens": max_tokens, "agent": agent})
    return Call("POST", "/v1/ask", m.AskAnswer, body=body, agent_in="body")


# Agents, dreams, bulletins


def list_agents(limit: int = 50) -> Call[m.Page[m.AgentRecord]]:
    """Agents by name."""
    return Call("GET", "/v1/agents", m.Page[m.AgentRecord], query={"limit": limit})


def get_agent(agent: str) -> Call[m.AgentRecord]:
    """One agent."""
    return Call("GET", f"/v1/agents/{part(agent)}", m.AgentRecord)


def put_agent(agent: str, **changes: Unpack[m.AgentChanges]) -> Call[m.AgentRecord]:
    """Make or change an agent."""
    return Call("PUT", f"/v1/agents/{part(agent)}", m.AgentRecord, body=dict(changes))


def dream(agent: str, dry_run: bool = False, wait: bool = False) -> Call[m.Dream]:
    """Ask for a dream; with ``wait`` the answer comes when it is done."""
    return Call("POST", f"/v1/agents/{part(agent)}/dream", m.Dream, body={"dry_run": dry_run, "wait": wait})


def list_dreams(agent: str | None = None, status: str | None = None, limit: int = 50) -> Call[m.Page[m.Dream]]:
    """Dreams, newest first."""
    query = {"agent": agent, "status": status, "limit": limit}
    return Call("GET", "/v1/dreams", m.Page[m.Dream], query=query, agent_in="query")


def get_dream(dream_id: Id) -> Call[m.Dream]:
    """One dream with its changes."""
    return Call("GET", f"/v1/dreams/{part(dream_id)}", m.Dream)


def undo_dream(dream_id: Id) -> Call[m.Dream]:
    """Restore the state before a dream. Raises Conflict where later changes are in the way."""
    return Call("POST", f"/v1/dreams/{part(dream_id)}/undo", m.Dream)


def bulletin(agent: str, version: int | None = None) -> Call[m.Bulletin]:
    """What an agent knows, now or at a version."""
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin, query={"version": version})


def list_bulletins(agent: str, limit: int = 50) -> Call[m.Page[m.Bulletin]]:
    """Every bulletin of an agent, newest first."""
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin/versions", m.Page[m.Bulletin], query={"limit": limit})


def write_bulletin(agent: str) -> Call[m.Bulletin]:
    """Have the bulletin of an agent written anew."""
    return Call("POST", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin)


# Graph


def list_entities(
    kind: str | None = None, q: str | None = None, agent: str | None = None, limit: int = 50
) -> Call[m.Page[m.Entity]]:
    """Entities, newest first."""
    query = {"kind": kind, "q": q, "agent": agent, "limit": limit}
    return Call("GET", "/v1/entities", m.Page[m.Entity], query=query, agent_in="query")


def get_entity(entity: Id, agent: str | None = None) -> Call[m.Entity]:
    """One entity."""
    return Call("GET", f"/v1/entities/{part(entity)}", m.Entity, query={"agent": agent}, agent_in="query")


def entity_graph(entity: Id, depth: int = 2, agent: str | None = None) -> Call[m.Json]:
    """What is known about an entity. Raises Ambiguous for a name that several have."""
    query = {"depth": depth, "agent": agent}
    return Call("GET", f"/v1/entities/{part(entity)}/graph", m.Json, query=query, agent_in="query")


def change_entity(entity_id: Id, changes: m.Json) -> Call[m.Json]:
    """Rename an entity, or change what it is known as."""
    return Call("PATCH", f"/v1/entities/{part(entity_id)}", m.Json, body=changes)


def merge_entity(entity_id: Id, into: Id) -> Call[m.Json]:
    """Make one entity of two."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/merge", m.Json, body={"into": into})


def unmerge_entity(entity_id: Id) -> Call[m.Json]:
    """Take a merge back: the entity that was merged stands for itself again."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/unmerge", m.Json)


def split_entity(entity_id: Id, memory_ids: Sequence[Id], name: str) -> Call[m.Json]:
    """Make an entity of its own of what some memories speak of."""
    body = {"memory_ids": list(memory_ids), "name": name}
    return Call("POST", f"/v1/entities/{part(entity_id)}/split", m.Json, body=body)


def add_edge(edge: m.Json) -> Call[m.Json]:
    """Link memories and entities."""
    return Call("POST", "/v1/edges", m.Json, body=edge, agent_in="body")


def delete_edge(edge_id: Id) -> Call[None]:
    """Remove a link."""
    return Call("DELETE", f"/v1/edges/{part(edge_id)}", None)


# Privacy and documents


def purge_user(user: str) -> Call[m.Json]:
    """Forget a person for good; the answer is the receipt."""
    return Call("POST", f"/v1/users/{part(user)}/purge", m.Json)


def export_user(user: str) -> Call[Any]:
    """All that is held about a person."""
    return Call("GET", f"/v1/users/{part(user)}/export", Any)


def add_document(
    title: str, text: str, user: str | None = None, metadata: m.Json | None = None, agent: str | None = None
) -> Call[m.Document]:
    """Take a document in: cut into parts, embedded, searchable."""
    body = given({"title": title, "text": text, "user": user, "metadata": metadata, "agent": agent})
    return Call("POST", "/v1/documents", m.Document, body=body, agent_in="body")


def list_documents(user: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.DocumentHead]]:
    """Documents without their text, newest first."""
    query = {"user": user, "agent": agent, "limit": limit}
    return Call("GET", "/v1/documents", m.Page[m.DocumentHead], query=query, agent_in="query")


def get_document(document_id: Id) -> Call[m.Document]:
    """One document."""
    return Call("GET", f"/v1/documents/{part(document_id)}", m.Document)


def delete_document(document_id: Id) -> Call[None]:
    """Remove a document."""
    return Call("DELETE", f"/v1/documents/{part(document_id)}", None)


# Workspace


def get_settings() -> Call[m.Json]:
    """The workspace's settings."""
    return Call("GET", "/v1/settings", m.Json)


def put_settings(settings: m.Json) -> Call[m.Json]:
    """Change settings; what is left out stays."""
    return Call("PUT", "/v1/settings", m.Json, body=settings)


def engine() -> Call[m.Json]:
    """How the engine is."""
    return Call("GET", "/v1/engine", m.Json)


def embedding_providers() -> Call[Any]:
    """What can embed here."""
    return Call("GET", "/v1/embedding-providers", Any)


def reindex(force: bool = False) -> Call[m.Json]:
    """Embed anew what has no vector of the present model."""
    return Call("POST", "/v1/reindex", m.Json, body={"force": force})


def reindex_progress() -> Call[m.Json]:
    """How far embedding anew has come."""
    return Call("GET", "/v1/reindex", m.Json)


def verify() -> Call[m.Json]:
    """Write, find and delete a memory, to see that everything works."""
    return Call("POST", "/v1/verify", m.Json)


def create_key(role: Literal["admin", "agent", "reader"], name: str, agent: str | None = None) -> Call[m.CreatedKey]:
    """Make a key; its text is shown this once."""
    return Call("POST", "/v1/keys", m.CreatedKey, body=given({"role": role, "name": name, "agent": agent}))


def list_keys(limit: int = 50) -> Call[m.Page[m.Key]]:
    """Keys, newest first."""
    return Call("GET", "/v1/keys", m.Page[m.Key], query={"limit": limit})


def rotate_key(key_id: Id) -> Call[m.CreatedKey]:
    """Give a key a new secret."""
    return Call("POST", f"/v1/keys/{part(key_id)}/rotate", m.CreatedKey)


def revoke_key(key_id: Id) -> Call[None]:
    """Revoke a key."""
    return Call("DELETE", f"/v1/keys/{part(key_id)}", None)


def list_audit(
    action: str | None = None,
    actor: str | None = None,
    since: m.Moment | None = None,
    until: m.Moment | None = None,
    limit: int = 50,
) -> Call[m.Page[m.Json]]:
    """Who administered, and who read what is not their own."""
    query = {"action": action, "actor": actor, "since": since, "until": until, "limit": limit}
    return Call("GET", "/v1/audit", m.Page[m.Json], query=query)


def list_webhooks(limit: int = 50) -> Call[m.Page[m.Json]]:
    """Webhooks."""
    return Call("GET", "/v1/webhooks", m.Page[m.Json], query={"limit": limit})


def add_webhook(webhook: m.Json) -> Call[m.Json]:
    """Have events sent to an address."""
    return Call("POST", "/v1/webhooks", m.Json, body=webhook)


def delete_webhook(webhook_id: Id) -> Call[None]:
    """Stop sending events to an address."""
    return Call("DELETE", f"/v1/webhooks/{part(webhook_id)}", None)


def chat(request: m.Json) -> Call[m.Json]:
    """A chat completion with memory (OpenAI's shape, not streamed)."""
    return Call("POST", "/v1/chat/completions", m.Json, body={**request, "stream": False})


def health() -> Call[m.Json]:
    """The process is alive."""
    return Call("GET", "/healthz", m.Json)


def ready() -> Call[m.Json]:
    """The database answers."""
    return Call("GET", "/readyz", m.Json)
