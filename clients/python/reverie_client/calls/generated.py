# Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients.
"""A function for each method of the clients, which makes its call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from reverie_client import models as m
from reverie_client import options as o
from reverie_client.call import Call, Id, drop_none, part


def save_memory(type: str, content: str, **fields: Unpack[o.MemoryFields]) -> Call[m.SavedMemory]:
    """Save a memory.

    Answers 201 for a new memory, and 200 when a stored one was reinforced (identical) or updated (same key).
    """
    return Call(
        "POST", "/v1/memories", m.SavedMemory, body={"type": type, "content": content, **fields}, agent_in="body"
    )


def list_memories(limit: int = 50, **fields: Unpack[o.MemoryFilters]) -> Call[m.Page[m.MemoryRecord]]:
    """List memories.

    Memories visible to the caller. A cursor belongs to its order. `as_of` allows neither `include` nor the order
    `recalled`.
    """
    return Call("GET", "/v1/memories", m.Page[m.MemoryRecord], query={"limit": limit, **fields}, agent_in="query")


def save_memories(items: Sequence[o.MemoryDraft]) -> Call[m.Page[m.SavedMemory]]:
    """Save a batch of memories.

    Up to 1,000 memories in one transaction: all or none.
    """
    return Call("POST", "/v1/memories/batch", m.Page[m.SavedMemory], body={"items": items})


def change_memories(
    ids: Sequence[Id] | None, action: o.BulkAction, tags: Sequence[str] = (), filter: m.Json | None = None
) -> Call[m.Json]:
    """Change several memories.

    One action on up to 500 memories in one transaction, with the outcome of each.
    """
    return Call(
        "POST",
        "/v1/memories/bulk",
        m.Json,
        body={"ids": ids, "action": action, "tags": tags, **drop_none({"filter": filter})},
    )


def search(query: str = "", **fields: Unpack[o.SearchOptions]) -> Call[m.SearchAnswer]:
    """Search memories.

    Results by descending score. Counts the access to each returned memory.
    """
    return Call(
        "POST", "/v1/memories/search", m.SearchAnswer, body={"query": query, **fields}, agent_in="body", only_reads=True
    )


def preview(query: str = "", explain_id: Id | None = None, **fields: Unpack[o.SearchOptions]) -> Call[m.PreviewAnswer]:
    """Preview a search.

    The ranking of a search, explained, without counting access. With `explain_id`, the answer says at which stage
    that memory was lost, and what would bring it back.
    """
    return Call(
        "POST",
        "/v1/memories/search/preview",
        m.PreviewAnswer,
        body={"query": query, **drop_none({"explain_id": explain_id}), **fields},
        agent_in="body",
        only_reads=True,
    )


def memory_stats(agent: str | None = None) -> Call[m.MemoryStats]:
    """Get memory statistics.

    Number and length of the memories visible to the caller, in total and by type.
    """
    return Call("GET", "/v1/memories/stats", m.MemoryStats, query={"agent": agent}, agent_in="query")


def get_memory(memory_id: Id, include: str | None = None) -> Call[m.MemoryRecord]:
    """Get a memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, query={"include": include})


def change_memory(memory_id: Id, version: int, **fields: Unpack[o.MemoryChanges]) -> Call[m.MemoryRecord]:
    """Update a memory.

    Optimistic locking: 409 when the stored version is newer than `version`.
    """
    return Call("PATCH", f"/v1/memories/{part(memory_id)}", m.MemoryRecord, body={"version": version, **fields})


def delete_memory(memory_id: Id) -> Call[None]:
    """Delete a memory.

    The memory can be restored until `retention.deleted_days` have passed.
    """
    return Call("DELETE", f"/v1/memories/{part(memory_id)}", None)


def restore_memory(memory_id: Id) -> Call[m.MemoryRecord]:
    """Restore a deleted memory."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/restore", m.MemoryRecord)


def feedback(memory_id: Id, useful: bool) -> Call[m.Json]:
    """Rate the usefulness of a memory.

    Raises or lowers the importance by 0.1, within 0 and 1.
    """
    return Call("POST", f"/v1/memories/{part(memory_id)}/feedback", m.Json, body={"useful": useful})


def memory_history(memory_id: Id) -> Call[m.Page[m.Json]]:
    """List the versions of a memory.

    All versions of the memory, oldest first.
    """
    return Call("GET", f"/v1/memories/{part(memory_id)}/history", m.Page[m.Json])


def memory_sources(memory_id: Id) -> Call[m.Page[m.Json]]:
    """List the source messages of a memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/sources", m.Page[m.Json])


def start_session(
    session: str | None = None, user: str | None = None, agent: str | None = None
) -> Call[m.SessionRecord]:
    """Start a session.

    The name defaults to a new UUID.
    """
    return Call(
        "POST",
        "/v1/sessions",
        m.SessionRecord,
        body=drop_none({"session": session, "user": user, "agent": agent}),
        agent_in="body",
    )


def list_sessions(
    user: str | None = None, agent: str | None = None, limit: int = 50, q: str | None = None
) -> Call[m.Page[m.SessionRecord]]:
    """List sessions.

    Sessions, newest first.
    """
    return Call(
        "GET",
        "/v1/sessions",
        m.Page[m.SessionRecord],
        query={"user": user, "agent": agent, "limit": limit, "q": q},
        agent_in="query",
    )


def get_session(session: str, agent: str | None = None) -> Call[m.SessionRecord]:
    """Get a session."""
    return Call("GET", f"/v1/sessions/{part(session)}", m.SessionRecord, query={"agent": agent}, agent_in="query")


def append_messages(
    session: str,
    messages: Sequence[o.MessageDraft],
    user: str | None = None,
    agent: str | None = None,
    searchable: bool = True,
) -> Call[m.Appended]:
    """Append messages to a session.

    Creates the session on first use. Messages are numbered without gaps.
    """
    return Call(
        "POST",
        f"/v1/sessions/{part(session)}/messages",
        m.Appended,
        body={"messages": messages, "searchable": searchable, **drop_none({"user": user, "agent": agent})},
        agent_in="body",
    )


def list_messages(
    session: str,
    order: Literal["asc", "desc"] = "asc",
    agent: str | None = None,
    limit: int = 50,
    q: str | None = None,
    around: Id | None = None,
) -> Call[m.Page[m.MessageRecord]]:
    """List the messages of a session.

    The permanent history, independent of the window.
    """
    return Call(
        "GET",
        f"/v1/sessions/{part(session)}/messages",
        m.Page[m.MessageRecord],
        query={"order": order, "agent": agent, "limit": limit, "q": q, "around": around},
        agent_in="query",
    )


def window(session: str, agent: str | None = None) -> Call[m.Window]:
    """Get the window of a session.

    The messages passed to the model verbatim, and the summary of the earlier ones.
    """
    return Call("GET", f"/v1/sessions/{part(session)}/window", m.Window, query={"agent": agent}, agent_in="query")


def clear_window(session: str, agent: str | None = None) -> Call[None]:
    """Clear the window of a session.

    The window is empty afterwards; the history is kept.
    """
    return Call("DELETE", f"/v1/sessions/{part(session)}/window", None, query={"agent": agent}, agent_in="query")


def compact(session: str, agent: str | None = None) -> Call[m.Json]:
    """Compact the window of a session.

    Summarizes the older half of the window now and returns the new window.
    """
    return Call("POST", f"/v1/sessions/{part(session)}/compact", m.Json, query={"agent": agent}, agent_in="query")


def message_memories(message_id: Id) -> Call[m.Page[m.MemoryRecord]]:
    """List the memories derived from a message."""
    return Call("GET", f"/v1/messages/{part(message_id)}/memories", m.Page[m.MemoryRecord])


def count_session(session: str, agent: str | None = None) -> Call[m.Deleted]:
    """Count what this would take: delete a session.

    With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
    """
    return Call(
        "DELETE", f"/v1/sessions/{part(session)}", m.Deleted, query={"agent": agent, "dry_run": True}, agent_in="query"
    )


def delete_session(session: str, token: str, agent: str | None = None) -> Call[m.Deleted]:
    """Delete a session.

    With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
    """
    return Call(
        "DELETE", f"/v1/sessions/{part(session)}", m.Deleted, query={"token": token, "agent": agent}, agent_in="query"
    )


def count_agent(agent: str) -> Call[m.Deleted]:
    """Count what this would take: delete an agent.

    With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/agents/{part(agent)}", m.Deleted, query={"dry_run": True})


def delete_agent(agent: str, token: str) -> Call[m.Deleted]:
    """Delete an agent.

    With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/agents/{part(agent)}", m.Deleted, query={"token": token})


def count_team(team: str) -> Call[m.Deleted]:
    """Count what this would take: delete a team.

    With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/teams/{part(team)}", m.Deleted, query={"dry_run": True})


def delete_team(team: str, token: str) -> Call[m.Deleted]:
    """Delete a team.

    With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/teams/{part(team)}", m.Deleted, query={"token": token})


def list_deletions(limit: int = 50) -> Call[m.Page[m.Deletion]]:
    """List deletions.

    Deletions of sessions, agents and teams, newest first; with an agent key, of the agent's own sessions.
    """
    return Call("GET", "/v1/deletions", m.Page[m.Deletion], query={"limit": limit})


def undo_deletion(deletion_id: Id) -> Call[m.Deletion]:
    """Undo a deletion.

    Everything is back as it was, but for what a purge has removed since; memories that were saved again meanwhile
    stay deleted. 409 if the name is taken or the agent is gone.
    """
    return Call("POST", f"/v1/deletions/{part(deletion_id)}/undo", m.Deletion)


def context(message: str, **fields: Unpack[o.ContextOptions]) -> Call[m.ContextAnswer]:
    """Build the context of a model call.

    Bulletin, identity, preferences, memories, documents, window and tool results within one token budget.
    """
    return Call(
        "POST", "/v1/context", m.ContextAnswer, body={"message": message, **fields}, agent_in="body", only_reads=True
    )


def ask(
    question: str, max_tokens: int | None = None, agent: str | None = None, **fields: Unpack[o.AskFields]
) -> Call[m.AskAnswer]:
    """Answer a question from memory.

    Returns the answer with the cited memories; without a language model, the best memories only. With `stream`,
    server-sent events: `memories` at once, then `answer`, or `error`.
    """
    return Call(
        "POST",
        "/v1/ask",
        m.AskAnswer,
        body={"question": question, **drop_none({"max_tokens": max_tokens, "agent": agent}), **fields},
        agent_in="body",
    )


def list_agents(limit: int = 50, q: str | None = None) -> Call[m.Page[m.AgentRecord]]:
    """List agents.

    Agents in the order of their names.
    """
    return Call("GET", "/v1/agents", m.Page[m.AgentRecord], query={"limit": limit, "q": q})


def get_agent(agent: str) -> Call[m.AgentRecord]:
    """Get an agent."""
    return Call("GET", f"/v1/agents/{part(agent)}", m.AgentRecord)


def put_agent(agent: str, **fields: Unpack[o.AgentChanges]) -> Call[m.AgentRecord]:
    """Create or update an agent.

    Omitted fields keep their value.
    """
    return Call("PUT", f"/v1/agents/{part(agent)}", m.AgentRecord, body={**fields})


def bulletin(agent: str, version: int | None = None) -> Call[m.Bulletin]:
    """Get the bulletin of an agent."""
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin, query={"version": version})


def write_bulletin(agent: str) -> Call[m.Bulletin]:
    """Rewrite the bulletin of an agent.

    Generates a new bulletin from the current memories and returns it.
    """
    return Call("POST", f"/v1/agents/{part(agent)}/bulletin", m.Bulletin)


def list_bulletins(agent: str, compared_to: int | None = None, limit: int = 50) -> Call[m.Page[m.BulletinVersion]]:
    """List the bulletins of an agent.

    All versions of the bulletin, newest first, each with the sentences added and removed.
    """
    return Call(
        "GET",
        f"/v1/agents/{part(agent)}/bulletin/versions",
        m.Page[m.BulletinVersion],
        query={"compared_to": compared_to, "limit": limit},
    )


def dream(agent: str, dry_run: bool = False, wait: bool = False) -> Call[m.Dream]:
    """Request a dream.

    Answers 202 once the dream is queued; with `wait`, 200 after its end.
    """
    return Call("POST", f"/v1/agents/{part(agent)}/dream", m.Dream, body={"dry_run": dry_run, "wait": wait})


def calibrate(agent: str, stood_days: float | None = None, write: bool = False) -> Call[m.Calibration]:
    """Calibrate the decision model of an agent.

    Judges pairs of statements that people decided on (at most 1,000 changes of dreams, and proposals) and compares
    the verdicts with the decisions.
    """
    return Call(
        "POST",
        f"/v1/agents/{part(agent)}/calibration",
        m.Calibration,
        body={"write": write, **drop_none({"stood_days": stood_days})},
    )


def list_dreams(agent: str | None = None, status: str | None = None, limit: int = 50) -> Call[m.Page[m.Dream]]:
    """List dreams.

    Dreams without their changes, newest first.
    """
    return Call(
        "GET", "/v1/dreams", m.Page[m.Dream], query={"agent": agent, "status": status, "limit": limit}, agent_in="query"
    )


def get_dream(dream_id: Id) -> Call[m.Dream]:
    """Get a dream with its changes."""
    return Call("GET", f"/v1/dreams/{part(dream_id)}", m.Dream)


def undo_dream(dream_id: Id) -> Call[m.Dream]:
    """Undo a dream.

    Reverts every change of the dream. 409 lists the records changed since.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/undo", m.Dream)


def list_dream_changes(
    dream_id: Id, action: Sequence[str] | None = None, type: str | None = None, limit: int = 50
) -> Call[m.Page[m.Json]]:
    """List the changes of a dream.

    Changes in order, each with the messages and memories that it rests on; with totals by action.
    """
    return Call(
        "GET",
        f"/v1/dreams/{part(dream_id)}/changes",
        m.Page[m.Json],
        query={"action": action, "type": type, "limit": limit},
    )


def undo_dream_change(dream_id: Id, n: int) -> Call[m.Json]:
    """Undo one change of a dream.

    Reverts the change; links of a created memory go with it. 409 gives a `reason`: `dream_not_succeeded`,
    `already_undone`, `not_undoable`, `replaces_others`, `changed_since`, `in_use` or `later_version`.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/changes/{part(n)}/undo", m.Json)


def cancel_dream(dream_id: Id) -> Call[m.Dream]:
    """Cancel a dream.

    Ends a queued or running dream without any change: it is `failed`, and its messages stay due. 409 for one that is
    over.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/cancel", m.Dream)


def summarize(
    older_than_days: float | None = None, dry_run: bool = True, agent: str | None = None, tokens_max: int | None = None
) -> Call[m.Json]:
    """Summarize old memories.

    Replaces an agent's old, unimportant memories with one summary that has a line of each; a dry run returns the
    candidates. No summary is made that saves less than a third of their tokens.
    """
    return Call(
        "POST",
        "/v1/summarize",
        m.Json,
        body={
            "dry_run": dry_run,
            **drop_none({"older_than_days": older_than_days, "agent": agent, "tokens_max": tokens_max}),
        },
        agent_in="body",
    )


def undo_summary(memory_id: Id) -> Call[m.Json]:
    """Undo a summary.

    Makes the memories that a summary of `POST /v1/summarize` replaced current again, and deletes the summary. 409
    lists the memories changed since.
    """
    return Call("POST", f"/v1/summaries/{part(memory_id)}/undo", m.Json)


def list_inbox(
    agent: str | None = None, status: m.ProposalStatus = "proposed", limit: int = 50
) -> Call[m.Page[m.Proposal]]:
    """List proposals.

    Statements with a confidence below `dream.propose_below`, with the messages they come from, newest first. What a
    memory says by now is left out.
    """
    return Call(
        "GET",
        "/v1/inbox",
        m.Page[m.Proposal],
        query={"agent": agent, "status": status, "limit": limit},
        agent_in="query",
    )


def decide_proposals(
    ids: Sequence[Id], action: m.ProposalAction, **fields: Unpack[o.ProposalEdit]
) -> Call[m.Page[m.Decided]]:
    """Decide on several proposals.

    Decides alike on up to 100 proposals, all or none. 409 lists those already decided on.
    """
    return Call("POST", "/v1/inbox", m.Page[m.Decided], body={"ids": ids, "action": action, **fields})


def get_proposal(proposal_id: Id) -> Call[m.Proposal]:
    """Read a proposal.

    A proposal of any status, with the messages it comes from.
    """
    return Call("GET", f"/v1/inbox/{part(proposal_id)}", m.Proposal)


def decide_proposal(proposal_id: Id, action: m.ProposalAction, **fields: Unpack[o.ProposalEdit]) -> Call[m.Decided]:
    """Decide on a proposal.

    Accepts, edits, rejects or reopens a proposal. Of two decisions at once one holds, and the other is a 409.
    """
    return Call("POST", f"/v1/inbox/{part(proposal_id)}", m.Decided, body={"action": action, **fields})


def list_tasks(limit: int = 50) -> Call[m.Page[m.TaskRecord]]:
    """List tasks.

    Tasks in the order of their names. An agent key sees the tasks with its agent as a declared member.
    """
    return Call("GET", "/v1/tasks", m.Page[m.TaskRecord], query={"limit": limit})


def get_task(task: str) -> Call[m.TaskRecord]:
    """Get a task."""
    return Call("GET", f"/v1/tasks/{part(task)}", m.TaskRecord)


def put_task(task: str, members: Sequence[str] | None) -> Call[m.TaskRecord]:
    """Declare the members of a task.

    The members are in effect on the next call. Admin keys only.
    """
    return Call("PUT", f"/v1/tasks/{part(task)}", m.TaskRecord, body={"members": members})


def create_page(question: str, agent: str | None = None, **fields: Unpack[o.PageFields]) -> Call[m.AnsweredPage]:
    """Create a page.

    Answers the question at once, and again at each trigger. At most 100 pages per agent.
    """
    return Call(
        "POST",
        "/v1/pages",
        m.AnsweredPage,
        body={"question": question, **drop_none({"agent": agent}), **fields},
        agent_in="body",
    )


def list_pages(agent: str | None = None, limit: int = 50) -> Call[m.Page[m.AnsweredPage]]:
    """List pages.

    Pages with their answers, newest first.
    """
    return Call("GET", "/v1/pages", m.Page[m.AnsweredPage], query={"agent": agent, "limit": limit}, agent_in="query")


def get_page(page_id: Id) -> Call[m.AnsweredPage]:
    """Get a page.

    The newest answer, without sentences that do not hold any more.
    """
    return Call("GET", f"/v1/pages/{part(page_id)}", m.AnsweredPage)


def put_page(page_id: Id, question: str, **fields: Unpack[o.PageFields]) -> Call[m.AnsweredPage]:
    """Update a page.

    Replaces question, scope, trigger and length, and answers the question at once.
    """
    return Call("PUT", f"/v1/pages/{part(page_id)}", m.AnsweredPage, body={"question": question, **fields})


def rewrite_page(page_id: Id) -> Call[m.AnsweredPage]:
    """Rewrite a page.

    Answers the question now. The newest version stays if nothing it is made of has changed.
    """
    return Call("POST", f"/v1/pages/{part(page_id)}", m.AnsweredPage)


def delete_page(page_id: Id) -> Call[None]:
    """Delete a page.

    Delete a page with all its versions.
    """
    return Call("DELETE", f"/v1/pages/{part(page_id)}", None)


def list_page_versions(page_id: Id, compared_to: int | None = None, limit: int = 50) -> Call[m.Page[m.PageVersion]]:
    """List the versions of a page.

    The last 20 versions, newest first, each with the sentences added and removed.
    """
    return Call(
        "GET",
        f"/v1/pages/{part(page_id)}/versions",
        m.Page[m.PageVersion],
        query={"compared_to": compared_to, "limit": limit},
    )


def create_search(
    name: str, expected: Sequence[Id], agent: str | None = None, **fields: Unpack[o.SavedSearchFields]
) -> Call[m.SavedSearch]:
    """Save a search.

    A query with the memories that it must find, without a first run. At most 100 per agent.
    """
    return Call(
        "POST",
        "/v1/searches",
        m.SavedSearch,
        body={"name": name, "expected": expected, **drop_none({"agent": agent}), **fields},
        agent_in="body",
    )


def list_searches(agent: str | None = None, limit: int = 50) -> Call[m.Page[m.SavedSearch]]:
    """List saved searches.

    Saved searches with their newest recall, newest search first.
    """
    return Call("GET", "/v1/searches", m.Page[m.SavedSearch], query={"agent": agent, "limit": limit}, agent_in="query")


def run_searches(agent: str | None = None, overrides: m.Json | None = None) -> Call[m.SearchRuns]:
    """Run all saved searches of an agent.

    Searches as the agent, without counting access, and stores a result for each.
    """
    return Call(
        "POST",
        "/v1/searches/run",
        m.SearchRuns,
        body=drop_none({"agent": agent, "overrides": overrides}),
        agent_in="body",
    )


def get_search(search_id: Id) -> Call[m.SavedSearch]:
    """Get a saved search.

    The saved search with the present state of its expected memories.
    """
    return Call("GET", f"/v1/searches/{part(search_id)}", m.SavedSearch)


def put_search(
    search_id: Id, name: str, expected: Sequence[Id], **fields: Unpack[o.SavedSearchFields]
) -> Call[m.SavedSearch]:
    """Update a saved search.

    Replaces name, query, options, expected memories and k. Former results stay, under their revision.
    """
    return Call(
        "PUT", f"/v1/searches/{part(search_id)}", m.SavedSearch, body={"name": name, "expected": expected, **fields}
    )


def delete_search(search_id: Id) -> Call[None]:
    """Delete a saved search.

    Delete a saved search with all its results.
    """
    return Call("DELETE", f"/v1/searches/{part(search_id)}", None)


def run_search(search_id: Id, overrides: m.Json | None = None) -> Call[m.SearchRuns]:
    """Run a saved search.

    Searches as the agent, without counting access, and stores the result; an empty list with X-Reverie-No-Memory.
    """
    return Call("POST", f"/v1/searches/{part(search_id)}/run", m.SearchRuns, body=drop_none({"overrides": overrides}))


def list_search_results(search_id: Id, limit: int = 50) -> Call[m.Page[m.SearchRun]]:
    """List the results of a saved search.

    The last 200 results, newest first.
    """
    return Call("GET", f"/v1/searches/{part(search_id)}/results", m.Page[m.SearchRun], query={"limit": limit})


def list_entities(
    kind: str | None = None,
    q: str | None = None,
    agent: str | None = None,
    limit: int = 50,
    sort: Literal["newest", "mentions", "name"] | None = None,
) -> Call[m.Page[m.Entity]]:
    """List entities.

    Entities visible to the caller. A cursor belongs to its order.
    """
    return Call(
        "GET",
        "/v1/entities",
        m.Page[m.Entity],
        query={"kind": kind, "q": q, "agent": agent, "limit": limit, "sort": sort},
        agent_in="query",
    )


def get_entity(entity: Id, agent: str | None = None) -> Call[m.Entity]:
    """Get an entity."""
    return Call("GET", f"/v1/entities/{part(entity)}", m.Entity, query={"agent": agent}, agent_in="query")


def entity_graph(
    entity: Id, depth: int = 2, agent: str | None = None, memories: bool | None = None, ring: int | None = None
) -> Call[m.Json]:
    """Get the graph around an entity.

    Entities, edges and memories within `depth` steps of the entity; an entity of the same memories is one step away.
    """
    return Call(
        "GET",
        f"/v1/entities/{part(entity)}/graph",
        m.Json,
        query={"depth": depth, "agent": agent, "memories": memories, "ring": ring},
        agent_in="query",
    )


def graph_overview(
    agent: str | None = None,
    kind: str | None = None,
    q: str | None = None,
    since: m.Moment | None = None,
    until: m.Moment | None = None,
    limit: int | None = None,
) -> Call[m.Json]:
    """Get the graph of entities.

    Most mentioned entities, and pairs of them with memories in common.
    """
    return Call(
        "GET",
        "/v1/graph",
        m.Json,
        query={"agent": agent, "kind": kind, "q": q, "since": since, "until": until, "limit": limit},
        agent_in="query",
    )


def memory_links(memory_id: Id) -> Call[m.Json]:
    """List the edges of a memory.

    Edges from and to the memory, and what they lead to.
    """
    return Call("GET", f"/v1/memories/{part(memory_id)}/links", m.Json)


def change_entity(entity_id: Id, changes: m.Json) -> Call[m.Json]:
    """Update an entity.

    Omitted fields keep their value.
    """
    return Call("PATCH", f"/v1/entities/{part(entity_id)}", m.Json, body=changes)


def merge_entity(entity_id: Id, into: Id) -> Call[m.Json]:
    """Merge an entity into another.

    Returns the remaining entity.
    """
    return Call("POST", f"/v1/entities/{part(entity_id)}/merge", m.Json, body={"into": into})


def unmerge_entity(entity_id: Id) -> Call[m.Json]:
    """Undo the merge of an entity."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/unmerge", m.Json)


def split_entity(entity_id: Id, memory_ids: Sequence[Id], name: str) -> Call[m.Json]:
    """Split an entity.

    Moves memories to a new entity and returns it.
    """
    return Call("POST", f"/v1/entities/{part(entity_id)}/split", m.Json, body={"memory_ids": memory_ids, "name": name})


def add_edge(edge: m.Json) -> Call[m.Json]:
    """Create an edge.

    Answers 201 for a new edge, and 200 for an existing one.
    """
    return Call("POST", "/v1/edges", m.Json, body=edge, agent_in="body")


def delete_edge(edge_id: Id) -> Call[None]:
    """Delete an edge."""
    return Call("DELETE", f"/v1/edges/{part(edge_id)}", None)


def create_key(
    role: m.KeyRole,
    name: str,
    agent: str | None = None,
    scopes: Sequence[m.KeyScope] | None = None,
    expires_at: m.Moment | None = None,
    limits: m.Json | None = None,
) -> Call[m.CreatedKey]:
    """Create an API key.

    The secret is returned only here.
    """
    return Call(
        "POST",
        "/v1/keys",
        m.CreatedKey,
        body={
            "role": role,
            "name": name,
            **drop_none({"agent": agent, "scopes": scopes, "expires_at": expires_at, "limits": limits}),
        },
    )


def list_keys(limit: int = 50) -> Call[m.Page[m.Key]]:
    """List API keys.

    Keys without their secrets, newest first. Last use is written each second, to the minute.
    """
    return Call("GET", "/v1/keys", m.Page[m.Key], query={"limit": limit})


def whoami() -> Call[m.Whoami]:
    """Get the key of this request.

    Workspace, role and agent of the key.
    """
    return Call("GET", "/v1/whoami", m.Whoami)


def rotate_key(key_id: Id) -> Call[m.CreatedKey]:
    """Rotate the secret of an API key.

    The former secret is invalid at once. Scopes and expiry stay as they are. 409 for the key of an OAuth client.
    """
    return Call("POST", f"/v1/keys/{part(key_id)}/rotate", m.CreatedKey)


def limit_key(key_id: Id, limits: m.Json) -> Call[m.KeyLimits]:
    """Change the limits of an API key.

    In effect at once. Admin keys without limits of their own only.
    """
    return Call("PATCH", f"/v1/keys/{part(key_id)}", m.KeyLimits, body={"limits": limits})


def revoke_key(key_id: Id) -> Call[None]:
    """Revoke an API key.

    The key is invalid at once, and the keys of the OAuth clients that its holder has consented to.
    """
    return Call("DELETE", f"/v1/keys/{part(key_id)}", None)


def get_settings() -> Call[m.Json]:
    """Get the workspace settings.

    With an admin key of the default workspace also `embedding` and `rerank` as in effect, and which environment
    variables win (`locked_by`).
    """
    return Call("GET", "/v1/settings", m.Json)


def put_settings(settings: m.Json) -> Call[m.Json]:
    """Update the workspace settings.

    Omitted sections and fields keep their value. In effect on the next call; `embedding` and `rerank` in all
    processes within five seconds, after a trial of the model.
    """
    return Call("PUT", "/v1/settings", m.Json, body=settings)


def setting_sources() -> Call[m.Json]:
    """List the workspace settings with their defaults.

    Every setting of the workspace by its dotted name, with its default and whether the workspace chose its value.
    """
    return Call("GET", "/v1/settings/sources", m.Json)


def reset_settings(names: Sequence[str]) -> Call[m.Json]:
    """Reset workspace settings to their defaults.

    The settings after the reset. Admin keys only.
    """
    return Call("POST", "/v1/settings/reset", m.Json, body={"names": names})


def list_audit(
    action: str | None = None,
    actor: str | None = None,
    since: m.Moment | None = None,
    until: m.Moment | None = None,
    limit: int = 50,
) -> Call[m.Page[m.Json]]:
    """List the audit log.

    Administrative actions, and reads of other agents' data. Newest first. Admin keys only.
    """
    return Call(
        "GET",
        "/v1/audit",
        m.Page[m.Json],
        query={"action": action, "actor": actor, "since": since, "until": until, "limit": limit},
    )


def usage(
    since: str | None = None, until: str | None = None, by: Literal["day", "key", "agent"] = "day"
) -> Call[m.Json]:
    """Get the model usage.

    Calls, tokens and cost by purpose, and requests, at most 10,000 rows each. Admin keys only.
    """
    return Call("GET", "/v1/usage", m.Json, query={"since": since, "until": until, "by": by})


def stats(agent: str | None = None, since: str | None = None, until: str | None = None) -> Call[m.Json]:
    """Get figures by day.

    Memories, dreams and searches of at most 400 days, of an agent or, without one, of the workspace.
    """
    return Call("GET", "/v1/stats", m.Json, query={"agent": agent, "since": since, "until": until})


def list_model_calls(
    agent: str | None = None,
    dream: Id | None = None,
    purpose: str | None = None,
    outcome: str | None = None,
    since: m.Moment | None = None,
    until: m.Moment | None = None,
    limit: int = 50,
) -> Call[m.Page[m.Json]]:
    """List model calls.

    Attempts at language models with the beginnings of their texts, newest first, kept by the setting
    `retention.model_calls_days`. Not those of embedders and of the proxy. Admin keys only.
    """
    return Call(
        "GET",
        "/v1/model-calls",
        m.Page[m.Json],
        query={
            "agent": agent,
            "dream": dream,
            "purpose": purpose,
            "outcome": outcome,
            "since": since,
            "until": until,
            "limit": limit,
        },
    )


def get_model_call(call: Id) -> Call[m.Json]:
    """Read a model call.

    A call with its whole texts. Admin keys only.
    """
    return Call("GET", f"/v1/model-calls/{part(call)}", m.Json)


def create_workspace(name: str) -> Call[m.CreatedWorkspace]:
    """Create a workspace.

    With its first admin key. Admin keys of the default workspace only, as all of these.
    """
    return Call("POST", "/v1/workspaces", m.CreatedWorkspace, body={"name": name})


def list_workspaces(limit: int = 50) -> Call[m.Page[m.Workspace]]:
    """List workspaces.

    Workspaces, newest first.
    """
    return Call("GET", "/v1/workspaces", m.Page[m.Workspace], query={"limit": limit})


def update_workspace(
    workspace: Id, name: str | None = None, suspended: bool | None = None, limits: m.Json | None = None
) -> Call[m.Workspace]:
    """Rename, suspend, resume or limit a workspace.

    While it is suspended, requests with its keys answer 403 `Workspace suspended`, and workers leave it alone. Of
    the default workspace only the limits can be changed (409).
    """
    return Call(
        "PATCH",
        f"/v1/workspaces/{part(workspace)}",
        m.Workspace,
        body=drop_none({"name": name, "suspended": suspended, "limits": limits}),
    )


def count_workspace(workspace: Id) -> Call[m.WorkspaceDeletion]:
    """Count what this would take: delete a workspace.

    Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile.
    """
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", m.WorkspaceDeletion, query={"dry_run": True})


def delete_workspace(workspace: Id, token: str) -> Call[m.WorkspaceDeletion]:
    """Delete a workspace.

    Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile.
    """
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", m.WorkspaceDeletion, query={"token": token})


def list_users(q: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.User]]:
    """List users.

    Users whom live memories visible to the caller are about, by name.
    """
    return Call("GET", "/v1/users", m.Page[m.User], query={"q": q, "agent": agent, "limit": limit}, agent_in="query")


def profile(user: str, as_of: m.Moment | None = None, agent: str | None = None) -> Call[m.Profile]:
    """Get the profile of a user.

    What holds about a user by memories visible to the caller. Hearsay is left out. A user of whom nothing is known
    has no fields.
    """
    return Call(
        "GET", f"/v1/users/{part(user)}/profile", m.Profile, query={"as_of": as_of, "agent": agent}, agent_in="query"
    )


def profile_diff(
    user: str, since: m.Moment, to: m.Moment | None = None, agent: str | None = None
) -> Call[m.ProfileDiff]:
    """Compare the profile of a user at two times.

    What changed in the profile by memories visible to the caller: values added, removed and changed, and values that
    other memories say.
    """
    return Call(
        "GET",
        f"/v1/users/{part(user)}/profile/diff",
        m.ProfileDiff,
        query={"from": since, "to": to, "agent": agent},
        agent_in="query",
    )


def purge_user(user: str) -> Call[m.Json]:
    """Purge a user.

    Irreversibly deletes all data about and from a user, and returns a receipt.
    """
    return Call("POST", f"/v1/users/{part(user)}/purge", m.Json)


def export_user(user: str) -> Call[Any]:
    """Export the data of a user.

    All data about and from the user (subject access request).
    """
    return Call("GET", f"/v1/users/{part(user)}/export", Any)


def chat(request: m.Json) -> Call[m.Json]:
    """Create a chat completion.

    OpenAI's chat completion with recalled memories added to the request and the turn stored.

    404 unless the setting `proxy.enabled` is on; 403 for a reader key, and for a model not listed in `proxy.models`.
    With X-Reverie-No-Memory the request is passed on byte for byte. The response header X-Reverie-Memory is on, off,
    degraded or failed.
    """
    return Call("POST", "/v1/chat/completions", m.Json, body={**request, "stream": False})


def create_response(request: m.Json) -> Call[m.Json]:
    """Create a response.

    OpenAI's response with recalled memories added to `instructions` and the turn stored.

    As with chat completions; `background` is a 422. `previous_response_id`, `conversation` and `store` are passed
    on: a session then holds what came through the proxy, and is named by X-Reverie-Session, else by `conversation`.
    """
    return Call("POST", "/v1/responses", m.Json, body={**request, "stream": False})


def create_message(request: m.Json) -> Call[m.Json]:
    """Create a message.

    Anthropic's message with recalled memories added to `system` and the turn stored.

    As with chat completions. The API key is taken from `x-api-key` as well; `anthropic-version` and `anthropic-beta`
    are passed on.
    """
    return Call("POST", "/v1/messages", m.Json, body={**request, "stream": False})


def count_message_tokens(request: m.Json) -> Call[m.Json]:
    """Count the tokens of a message.

    Anthropic's count of the tokens of a message, without the memory block; an estimate where the model is of another
    provider. Nothing is recalled and nothing stored.
    """
    return Call("POST", "/v1/messages/count_tokens", m.Json, body=request, only_reads=True)


def list_models() -> Call[m.Json]:
    """List the models of the proxy.

    Models that may be called: those that `proxy.models` names, and those of the models' servers that it allows. In
    Anthropic's shape for requests with `anthropic-version`, else in OpenAI's.
    """
    return Call("GET", "/v1/models", m.Json)


def add_document(
    title: str, text: str, user: str | None = None, metadata: m.Json | None = None, agent: str | None = None
) -> Call[m.Document]:
    """Create a document.

    Text or Markdown, split into chunks, embedded and searchable.
    """
    return Call(
        "POST",
        "/v1/documents",
        m.Document,
        body={"title": title, "text": text, **drop_none({"user": user, "metadata": metadata, "agent": agent})},
        agent_in="body",
    )


def list_documents(user: str | None = None, agent: str | None = None, limit: int = 50) -> Call[m.Page[m.DocumentHead]]:
    """List documents.

    Documents without their text, newest first.
    """
    return Call(
        "GET",
        "/v1/documents",
        m.Page[m.DocumentHead],
        query={"user": user, "agent": agent, "limit": limit},
        agent_in="query",
    )


def get_document(document_id: Id) -> Call[m.Document]:
    """Get a document."""
    return Call("GET", f"/v1/documents/{part(document_id)}", m.Document)


def delete_document(document_id: Id) -> Call[None]:
    """Delete a document.

    Deletes the document and its chunks permanently.
    """
    return Call("DELETE", f"/v1/documents/{part(document_id)}", None)


def engine() -> Call[m.Json]:
    """Get the state of the engine.

    Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of
    the default workspace. While the database does not answer, 503 lists the `checks` of `GET /readyz`, for any key.
    """
    return Call("GET", "/v1/engine", m.Json)


def embedding_providers() -> Call[Any]:
    """List embedding providers.

    All values of EMBEDDING_MODEL and their availability for admin keys of the default workspace; for other keys only
    the one in use.
    """
    return Call("GET", "/v1/embedding-providers", Any)


def verify() -> Call[m.Json]:
    """Run an end-to-end test.

    Writes a memory, finds it by keyword and by vector, and deletes it.
    """
    return Call("POST", "/v1/verify", m.Json)


def reindex(force: bool = False) -> Call[m.Json]:
    """Start reindexing.

    The worker embeds all texts without a vector or, with `force`, all texts.
    """
    return Call("POST", "/v1/reindex", m.Json, body={"force": force})


def reindex_progress() -> Call[m.Json]:
    """Get the progress of the last reindexing."""
    return Call("GET", "/v1/reindex", m.Json)


def rescan(dry_run: bool = True) -> Call[m.Json]:
    """Scan stored records for secrets.

    The worker lists or, without `dry_run`, masks all stored secrets of the workspace, and personal data where
    `pii.mode` masks it. One scan at a time. Admin keys only.
    """
    return Call("POST", "/v1/rescan", m.Json, body={"dry_run": dry_run})


def rescan_progress() -> Call[m.Json]:
    """Get the progress of the last scan for secrets.

    Progress and counts, without values. Admin keys only.
    """
    return Call("GET", "/v1/rescan", m.Json)


def list_rescan_findings(limit: int = 50) -> Call[m.Page[m.Json]]:
    """List the findings of the last scan for secrets.

    Fields with secrets found (dry run) or masked, without values. Admin keys only.
    """
    return Call("GET", "/v1/rescan/findings", m.Page[m.Json], query={"limit": limit})


def list_dead_letters(limit: int = 50) -> Call[m.Page[m.Json]]:
    """List dead letters.

    Texts excluded from processing after repeated worker crashes, newest first. Admin keys only.
    """
    return Call("GET", "/v1/dead-letters", m.Page[m.Json], query={"limit": limit})


def retry_dead_letter(dead_letter_id: Id) -> Call[m.Json]:
    """Retry a dead letter.

    One more attempt; a message is dreamed about exactly once. Admin keys only.
    """
    return Call("POST", f"/v1/dead-letters/{part(dead_letter_id)}/retry", m.Json)


def discard_dead_letter(dead_letter_id: Id) -> Call[None]:
    """Discard a dead letter.

    Excludes the text from processing permanently. A message stays in the history of its session. Admin keys only.
    """
    return Call("DELETE", f"/v1/dead-letters/{part(dead_letter_id)}", None)


def add_webhook(webhook: m.Json) -> Call[m.Json]:
    """Create a webhook.

    Events from now on are sent to the URL. The signing secret is returned only here. Admin keys only.
    """
    return Call("POST", "/v1/webhooks", m.Json, body=webhook)


def list_webhooks(limit: int = 50) -> Call[m.Page[m.Json]]:
    """List webhooks.

    Webhooks with the state of their delivery, newest first. Admin keys only.
    """
    return Call("GET", "/v1/webhooks", m.Page[m.Json], query={"limit": limit})


def update_webhook(webhook_id: Id, **fields: Unpack[o.WebhookChanges]) -> Call[m.Json]:
    """Update a webhook.

    Omitted fields keep their value. A change is in effect at once; an event in transit to the former URL is sent
    again. A new signing secret is returned only here. Admin keys only.
    """
    return Call("PATCH", f"/v1/webhooks/{part(webhook_id)}", m.Json, body={**fields})


def delete_webhook(webhook_id: Id) -> Call[None]:
    """Delete a webhook.

    Undelivered events are not sent any more. Admin keys only.
    """
    return Call("DELETE", f"/v1/webhooks/{part(webhook_id)}", None)


def test_webhook(webhook_id: Id) -> Call[m.Json]:
    """Test a webhook.

    Sends one signed event of type `ping` now, also to a disabled webhook, without retry. The state of the webhook
    does not change. Admin keys only.
    """
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/test", m.Json)


def enable_webhook(webhook_id: Id) -> Call[m.Json]:
    """Enable a disabled webhook.

    Delivery resumes at once with the first undelivered event. Admin keys only.
    """
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/enable", m.Json)


def health() -> Call[m.Json]:
    """Check the liveness of the process."""
    return Call("GET", "/healthz", m.Json)


def ready() -> Call[m.Json]:
    """Check the readiness of the service.

    503 without a database, or with a schema of another release. `degraded` lists the other failing parts.
    """
    return Call("GET", "/readyz", m.Json)
