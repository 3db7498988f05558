"""Every endpoint, and the ways to ask it that ``test_matrix.py`` tries for every caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.promises.tenants import SESSION, USER, closed_task_of

ID, AGENT, TASK, OWN = "<id>", "<agent>", "<task>", "<own agent>"
"""Stand in a request for the id of the thing, the name asked for, the caller's task, and the agent it acts as."""

MISSING = "01890000-0000-7000-8000-00000000dead"
IDS = (
    "memory_id", "message_id", "document_id", "entity_id", "edge_id", "dream_id", "key_id", "webhook_id",
    "dead_letter_id", "page_id", "proposal_id", "call_id", "search_id", "deletion_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One way to ask an endpoint: of a ``kind`` of thing with an id, or (None) of whatever the caller's view holds."""

    kind: str | None = None
    body: Any = None
    query: Any = None
    role: str | None = None
    tells: bool = False
    shared: bool = False
    spends: bool = False


def of(kind: str, body: Any = None, query: Any = None, role: str | None = None, *, shared: bool = False) -> Case:
    """About one thing, in the path or the body: for who may not see it as if it were not there.

    ``shared``: every key that may see it may also do this to it.
    """
    return Case(kind, body, query, role, shared=shared)


def view(body: Any = None, role: str | None = None, *, tells: bool = False, spends: bool = False, **query: str) -> Case:
    """About the caller's own view, through each agent's name; ``tells``: something of the caller's is in it;
    ``spends``: it calls a model on request, which is no reader's to do."""
    return Case(None, body, query, role, tells, spends=spends)


SEARCH = {"agent": AGENT, "query": "harbour word %", "limit": 100, "session": SESSION, "task": TASK, "user": USER,
          "include": ["memories", "messages", "documents"], "include_faded": True}  # fmt: skip
CLOSED = {"task": closed_task_of("a_b"), "session": None}
"""A task whose members are two of the agents, as every caller may name it."""

TALK = {"agent": AGENT, "session": SESSION, "task": TASK}
MEMORY = {"agent": AGENT, "type": "event", "content": "A word of their own"}
TURN = {"agent": AGENT, "messages": [{"role": "user", "content": "Which harbour word?"}]}
MERGED = {"relation": "about", "source": {"entity": {"name": "n"}}}
ASKED = {"model": "openai/any", "messages": [{"role": "user", "content": "Which harbour word?"}], "user": USER}
MESSAGE = {"model": "openai/any", "max_tokens": 100, "metadata": {"user_id": USER}, "messages": ASKED["messages"]}

INSTALLATION_ADMIN = "admin of the default workspace"

MATRIX: dict[str, list[Case]] = {
    "GET /healthz": [view()],
    "GET /readyz": [view()],
    "GET /metrics": [view(role=INSTALLATION_ADMIN)],
    "POST /v1/memories": [view(MEMORY), of("memory", MEMORY | {"links": [{"relation": "about", "memory_id": ID}]})],
    "POST /v1/memories/batch": [
        view({"items": [MEMORY, MEMORY | {"scope": "task", "task": TASK}]}), view({"items": [MEMORY | CLOSED]}),
    ],
    "POST /v1/memories/bulk": [view({"ids": [MISSING], "action": "delete"})],
    "GET /v1/memories": [
        view(tells=True), view(agent=AGENT, tells=True), view(q="%", include="deleted,superseded,expired"),
        view(q="_", user="u%"), view(session=SESSION, tells=True), view(tag="zq%"), view(key="%"),
    ],
    "POST /v1/memories/search": [
        view(SEARCH, tells=True), view(SEARCH | {"user": "u%1", "session": "s/_"}),
        view(SEARCH | CLOSED, tells=True), view(SEARCH | {"task": "closed:a%", "session": None}),
    ],
    "POST /v1/memories/search/preview": [
        view(SEARCH, tells=True), view(SEARCH | {"strategy": "keyword"} | CLOSED, tells=True),
    ],
    "POST /v1/memories/delete": [
        view({"filter": {"agent": AGENT, "types": ["fact"]}, "dry_run": True}),
        view({"filter": {"agent": AGENT, "user": USER}, "token": "1.0"}), view({"filter": {"q": "%"}, "dry_run": True}),
    ],
    "GET /v1/memories/stats": [view(), view(agent=AGENT)],
    "GET /v1/memories/{memory_id}": [of("memory"), of("memory", query={"include": "deleted,expired"})],
    "PATCH /v1/memories/{memory_id}": [of("memory", {"version": 1, "content": "Changed"})],
    "DELETE /v1/memories/{memory_id}": [of("memory")],
    "POST /v1/memories/{memory_id}/restore": [of("memory")],
    "POST /v1/memories/{memory_id}/feedback": [of("memory", {"useful": True}, shared=True)],
    "GET /v1/memories/{memory_id}/history": [of("memory")],
    "GET /v1/memories/{memory_id}/sources": [of("memory")],
    "GET /v1/memories/{memory_id}/links": [of("memory")],
    "POST /v1/sessions": [view({"agent": AGENT, "session": SESSION, "user": USER})],
    "GET /v1/sessions": [view(), view(agent=AGENT), view(user="u%")],
    "GET /v1/sessions/{session}": [view(agent=AGENT)],
    "DELETE /v1/sessions/{session}": [view(agent=AGENT, dry_run="true"), view(agent=AGENT, token="1.0")],
    "GET /v1/deletions": [view(tells=True)],
    "POST /v1/deletions/{deletion_id}/undo": [of("deletion")],
    "DELETE /v1/teams/{team}": [view(role="admin", dry_run="true")],
    "GET /v1/sessions/{session}/messages": [view(agent=AGENT, tells=True)],
    "POST /v1/sessions/{session}/messages": [view(TURN, tells=True)],
    "GET /v1/sessions/{session}/window": [view(agent=AGENT, tells=True)],
    "DELETE /v1/sessions/{session}/window": [view(agent=AGENT)],
    "POST /v1/sessions/{session}/compact": [view(agent=AGENT)],
    "GET /v1/messages/{message_id}/memories": [of("message")],
    "POST /v1/context": [
        view(TALK | {"message": "harbour word"}, tells=True),
        view(TALK | {"message": "harbour word", "user": USER} | CLOSED, tells=True),
    ],
    "POST /v1/ask": [
        view(TALK | {"question": "Which harbour word?"}), view(TALK | {"question": "Which harbour word?"} | CLOSED),
        view(TALK | {"question": "Which harbour word?", "stream": True, "evidence": True}, tells=True),
    ],
    "POST /v1/extract": [
        view({"agent": AGENT, "text": "I live in Oslo."}, spends=True),
        view({"agent": AGENT, "text": "I live in Oslo.", "prompts": True}, spends=True),
    ],
    "GET /v1/tasks": [view()],
    "GET /v1/tasks/{task}": [view()],
    "PUT /v1/tasks/{task}": [view({"members": None}, role="admin")],
    "GET /v1/agents": [view()],
    "GET /v1/agents/{agent}": [view()],
    "PUT /v1/agents/{agent}": [view({"name": "n"})],
    "DELETE /v1/agents/{agent}": [view(dry_run="true"), view(token="1.0")],
    "GET /v1/agents/{agent}/bulletin": [view(user=USER, tells=True), view(version="1"), view()],
    "POST /v1/agents/{agent}/bulletin": [view(user=USER, tells=True), view()],
    "GET /v1/agents/{agent}/bulletin/versions": [view(user=USER, tells=True), view()],
    "POST /v1/agents/{agent}/dream": [view({"dry_run": True})],
    "GET /v1/dreams": [view(), view(agent=AGENT)],
    "GET /v1/dreams/{dream_id}": [of("dream")],
    "GET /v1/dreams/{dream_id}/changes": [of("dream")],
    "POST /v1/dreams/{dream_id}/changes/{n}/undo": [of("dream")],
    "POST /v1/dreams/{dream_id}/cancel": [of("dream")],
    "POST /v1/dreams/{dream_id}/undo": [of("dream")],
    "GET /v1/inbox": [view(tells=True), view(agent=AGENT, tells=True), view(status="rejected", agent="a%")],
    "GET /v1/inbox/{proposal_id}": [of("proposal")],
    "POST /v1/inbox": [of("proposal", {"ids": [ID], "action": "reject"})],
    "POST /v1/inbox/{proposal_id}": [
        of("proposal", {"action": "accept"}), of("proposal", {"action": "edit", "content": "Otherwise"}),
    ],
    "POST /v1/summarize": [view({"agent": AGENT, "older_than_days": 0, "dry_run": True})],
    "POST /v1/summaries/{memory_id}/undo": [of("memory")],
    "GET /v1/entities": [view(tells=True), view(agent=AGENT), view(q="%"), view(q="_", kind="proj%")],
    "GET /v1/entities/{entity}": [of("entity"), of("entity", query={"agent": OWN}), view(agent=AGENT)],
    "GET /v1/entities/{entity}/graph": [
        of("entity"), view(agent=AGENT, depth="4"), view(agent=AGENT, depth="4", memories="false"),
    ],
    "GET /v1/graph": [view(tells=True), view(agent=AGENT), view(q="%"), view(kind="proj%")],
    "PATCH /v1/entities/{entity_id}": [of("entity", {"name": "Taken"})],
    "POST /v1/entities/{entity_id}/merge": [of("entity", {"into": ID})],
    "POST /v1/entities/{entity_id}/unmerge": [of("entity")],
    "POST /v1/entities/{entity_id}/split": [of("entity", {"memory_ids": [MISSING], "name": "Other"})],
    "POST /v1/edges": [
        of("memory", MERGED | {"agent": OWN, "target": {"memory_id": ID}}),
        of("entity", MERGED | {"agent": OWN, "target": {"entity_id": ID}}),
    ],
    "DELETE /v1/edges/{edge_id}": [of("edge")],
    "POST /v1/keys": [view({"role": "agent", "agent": AGENT, "name": "n"}, role="admin")],
    "GET /v1/keys": [view(role="admin")],
    "PATCH /v1/keys/{key_id}": [of("key", {"limits": {"rows_max": 9}}, role="admin")],
    "POST /v1/keys/{key_id}/rotate": [of("key", role="admin")],
    "DELETE /v1/keys/{key_id}": [of("key", role="admin")],
    "GET /v1/whoami": [view()],
    "GET /v1/settings": [view()],
    "GET /v1/settings/sources": [view()],
    "POST /v1/settings/reset": [view({"names": ["window"]}, role="admin")],
    "PUT /v1/settings": [
        view({"window": {"idle_s": 60}}, role="admin"),
        view({"embedding": {"dim": 256}}, role=INSTALLATION_ADMIN),
    ],
    "GET /v1/stats": [view(), view(agent=AGENT)],
    "GET /v1/model-calls": [view(role="admin"), view(role="admin", agent=AGENT)],
    "GET /v1/model-calls/{call_id}": [of("model_call", role="admin")],
    "GET /v1/usage": [view(role="admin"), view(role="admin", by="agent"), view(role="admin", by="key")],
    "GET /v1/workspaces": [view(role=INSTALLATION_ADMIN)],
    "POST /v1/workspaces": [view({"name": "theirs"}, role=INSTALLATION_ADMIN)],
    "PATCH /v1/workspaces/{workspace}": [view({"suspended": True}, role=INSTALLATION_ADMIN)],
    "DELETE /v1/workspaces/{workspace}": [view(role=INSTALLATION_ADMIN, dry_run="true")],
    "GET /v1/workspaces/{workspace}/export": [view(role=INSTALLATION_ADMIN)],
    "GET /v1/audit": [view(role="admin"), view(role="admin", actor="%")],
    "GET /v1/export": [view(tells=True), view(agent=AGENT, include="deleted,expired", tells=True)],
    "POST /v1/import": [view(MEMORY, role="admin")],
    "GET /v1/users": [view(), view(agent=AGENT), view(q="u%"), view(q="_")],
    "GET /v1/users/{user}/profile": [view(), view(agent=AGENT), view(agent=AGENT, as_of="2100-01-01T00:00:00Z")],
    "GET /v1/users/{user}/profile/diff": [
        view(**{"from": "2000-01-01T00:00:00Z"}),
        view(agent=AGENT, **{"from": "2000-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}),
    ],
    "POST /v1/users/{user}/purge": [view(role="admin")],
    "GET /v1/users/{user}/export": [view(role="admin", tells=True)],
    "POST /v1/pages": [view({"agent": AGENT, "question": "Which harbour word?"}, user=USER, tells=True)],
    "GET /v1/pages": [view(tells=True), view(agent=AGENT, tells=True)],
    "GET /v1/pages/{page_id}": [of("page")],
    "PUT /v1/pages/{page_id}": [of("page", {"question": "Which word?"})],
    "POST /v1/pages/{page_id}": [of("page")],
    "DELETE /v1/pages/{page_id}": [of("page")],
    "GET /v1/pages/{page_id}/versions": [of("page"), of("page", query={"compared_to": "1"})],
    "POST /v1/searches": [of("memory", {"agent": OWN, "name": "n", "expected": [ID]})],
    "GET /v1/searches": [view(tells=True), view(agent=AGENT, tells=True)],
    "POST /v1/searches/run": [view({"agent": AGENT})],
    "GET /v1/searches/{search_id}": [of("search")],
    "PUT /v1/searches/{search_id}": [of("search", {"name": "n", "expected": [MISSING]})],
    "DELETE /v1/searches/{search_id}": [of("search")],
    "POST /v1/searches/{search_id}/run": [of("search", {})],
    "GET /v1/searches/{search_id}/results": [of("search")],
    "POST /v1/documents": [view({"agent": AGENT, "title": "t", "text": "Their own", "user": USER})],
    "GET /v1/documents": [view(tells=True), view(agent=AGENT), view(user="u%")],
    "GET /v1/documents/{document_id}": [of("document")],
    "DELETE /v1/documents/{document_id}": [of("document")],
    "POST /v1/chat/completions": [view(ASKED, spends=True)],
    "POST /v1/responses": [view({"model": "openai/any", "input": "Which harbour word?", "user": USER}, spends=True)],
    "POST /v1/messages": [view(MESSAGE, spends=True)],
    "POST /v1/messages/count_tokens": [view(MESSAGE, spends=True)],
    "GET /v1/models": [view(spends=True)],
    "GET /v1/engine": [view()],
    "GET /v1/embedding-providers": [view()],
    "POST /v1/verify": [view()],
    "GET /v1/dead-letters": [view(role="admin")],
    "POST /v1/dead-letters/{dead_letter_id}/retry": [of("dead_letter", role="admin")],
    "DELETE /v1/dead-letters/{dead_letter_id}": [of("dead_letter", role="admin")],
    "POST /v1/reindex": [view({}, role="admin")],
    "GET /v1/reindex": [view()],
    "POST /v1/rescan": [view({"dry_run": True}, role="admin")],
    "GET /v1/rescan": [view(role="admin")],
    "GET /v1/rescan/findings": [view(role="admin")],
    "GET /v1/events": [view(after="0", wait="false")],
    "POST /v1/webhooks": [view({"url": "https://example.org/"}, role="admin")],
    "PATCH /v1/webhooks/{webhook_id}": [view({"active": False}, role="admin")],
    "POST /v1/webhooks/{webhook_id}/test": [view(role="admin")],
    "POST /v1/webhooks/{webhook_id}/enable": [view(role="admin")],
    "GET /v1/webhooks": [view(role="admin")],
    "DELETE /v1/webhooks/{webhook_id}": [view(role="admin")],
}  # fmt: skip
