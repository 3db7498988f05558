# Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients.
"""A function for each method of the clients, which makes its call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from reverie_client.call import Call, Id, drop_none, part
from reverie_client.models import (
    AgentRecord,
    AnsweredPage,
    Appended,
    AskAnswer,
    Bulletin,
    BulletinVersion,
    ContextAnswer,
    CreatedKey,
    CreatedWorkspace,
    Decided,
    Deleted,
    Deletion,
    Document,
    DocumentHead,
    Dream,
    Entity,
    Json,
    Key,
    KeyLimits,
    KeyRole,
    KeyScope,
    MemoryRecord,
    MemorySource,
    MemoryStats,
    MemoryVersion,
    MessageRecord,
    Page,
    PageVersion,
    PreviewAnswer,
    Profile,
    ProfileDiff,
    Proposal,
    ProposalAction,
    ProposalStatus,
    SavedMemory,
    SavedSearch,
    SearchAnswer,
    SearchRun,
    SearchRuns,
    SessionRecord,
    TaskRecord,
    User,
    Whoami,
    Window,
    Workspace,
    WorkspaceDeletion,
)
from reverie_client.options import (
    AgentChanges,
    AskFields,
    BulkAction,
    ContextOptions,
    MemoryChanges,
    MemoryDraft,
    MemoryFields,
    MemoryFilters,
    MessageDraft,
    Moment,
    PageFields,
    ProposalEdit,
    SavedSearchFields,
    SearchOptions,
    WebhookChanges,
)

__all__ = [
    "append_messages",
    "ask_memory",
    "build_context",
    "cancel_dream",
    "change_memories",
    "check_liveness",
    "check_readiness",
    "clear_window",
    "compact_window",
    "count_agent",
    "count_message_tokens",
    "count_session",
    "count_team",
    "count_workspace",
    "create_chat_completion",
    "create_document",
    "create_edge",
    "create_key",
    "create_message",
    "create_page",
    "create_response",
    "create_search",
    "create_webhook",
    "create_workspace",
    "decide_proposal",
    "decide_proposals",
    "delete_agent",
    "delete_document",
    "delete_edge",
    "delete_memory",
    "delete_page",
    "delete_search",
    "delete_session",
    "delete_team",
    "delete_webhook",
    "delete_workspace",
    "diff_profile",
    "discard_dead_letter",
    "enable_webhook",
    "export_user",
    "get_agent",
    "get_bulletin",
    "get_caller",
    "get_document",
    "get_dream",
    "get_engine",
    "get_entity",
    "get_entity_graph",
    "get_graph",
    "get_memory",
    "get_memory_stats",
    "get_model_call",
    "get_page",
    "get_profile",
    "get_proposal",
    "get_reindex",
    "get_rescan",
    "get_search",
    "get_session",
    "get_settings",
    "get_stats",
    "get_task",
    "get_usage",
    "get_window",
    "list_agents",
    "list_audit_entries",
    "list_bulletin_versions",
    "list_dead_letters",
    "list_deletions",
    "list_documents",
    "list_dream_changes",
    "list_dreams",
    "list_embedding_providers",
    "list_entities",
    "list_inbox",
    "list_keys",
    "list_memories",
    "list_memory_history",
    "list_memory_links",
    "list_memory_sources",
    "list_message_memories",
    "list_messages",
    "list_model_calls",
    "list_models",
    "list_page_versions",
    "list_pages",
    "list_rescan_findings",
    "list_search_results",
    "list_searches",
    "list_sessions",
    "list_setting_sources",
    "list_tasks",
    "list_users",
    "list_webhooks",
    "list_workspaces",
    "merge_entity",
    "preview_search",
    "purge_user",
    "put_agent",
    "put_page",
    "put_search",
    "put_task",
    "rate_memory",
    "request_dream",
    "reset_settings",
    "restore_memory",
    "retry_dead_letter",
    "revoke_key",
    "rewrite_bulletin",
    "rewrite_page",
    "rotate_key",
    "run_search",
    "run_searches",
    "save_memories",
    "save_memory",
    "search_memories",
    "split_entity",
    "start_reindex",
    "start_rescan",
    "start_session",
    "summarize_memories",
    "test_webhook",
    "undo_deletion",
    "undo_dream",
    "undo_dream_change",
    "undo_summary",
    "unmerge_entity",
    "update_entity",
    "update_key",
    "update_memory",
    "update_settings",
    "update_webhook",
    "update_workspace",
    "verify_engine",
]


def save_memory(type: str, content: str, **fields: Unpack[MemoryFields]) -> Call[SavedMemory]:
    """Save a memory.

    Answers 201 for a new memory, and 200 when a stored one was reinforced (identical) or updated (same key).
    """
    return Call(
        "POST",
        "/v1/memories",
        SavedMemory,
        body={"type": type, "content": content, **fields},
        agent_in="body",
        user_in="body",
    )


def list_memories(limit: int = 50, **fields: Unpack[MemoryFilters]) -> Call[Page[MemoryRecord]]:
    """List memories.

    Memories visible to the caller. A cursor belongs to its order. `as_of` allows neither `include` nor the order
    `recalled`.
    """
    return Call("GET", "/v1/memories", Page[MemoryRecord], query={"limit": limit, **fields}, agent_in="query")


def save_memories(items: Sequence[MemoryDraft]) -> Call[Page[SavedMemory]]:
    """Save a batch of memories.

    Up to 1,000 memories in one transaction: all or none.
    """
    return Call("POST", "/v1/memories/batch", Page[SavedMemory], body={"items": items})


def change_memories(
    ids: Sequence[Id] | None, action: BulkAction, tags: Sequence[str] = (), filter: Json | None = None
) -> Call[Json]:
    """Change several memories.

    One action on up to 500 memories in one transaction, with the outcome of each.
    """
    return Call(
        "POST",
        "/v1/memories/bulk",
        Json,
        body={"ids": ids, "action": action, "tags": tags, **drop_none({"filter": filter})},
    )


def search_memories(query: str = "", **fields: Unpack[SearchOptions]) -> Call[SearchAnswer]:
    """Search memories.

    Results by descending score. Counts the access to each returned memory.
    """
    return Call(
        "POST",
        "/v1/memories/search",
        SearchAnswer,
        body={"query": query, **fields},
        agent_in="body",
        user_in="body",
        only_reads=True,
    )


def preview_search(
    query: str = "", explain_id: Id | None = None, **fields: Unpack[SearchOptions]
) -> Call[PreviewAnswer]:
    """Preview a search.

    The ranking of a search, explained, without counting access. With `explain_id`, the answer says at which stage
    that memory was lost, and what would bring it back.
    """
    return Call(
        "POST",
        "/v1/memories/search/preview",
        PreviewAnswer,
        body={"query": query, **drop_none({"explain_id": explain_id}), **fields},
        agent_in="body",
        user_in="body",
        only_reads=True,
    )


def get_memory_stats(agent: str | None = None) -> Call[MemoryStats]:
    """Get memory statistics.

    Number and length of the memories visible to the caller, in total and by type.
    """
    return Call("GET", "/v1/memories/stats", MemoryStats, query={"agent": agent}, agent_in="query")


def get_memory(memory_id: Id, include: str | None = None) -> Call[MemoryRecord]:
    """Get a memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}", MemoryRecord, query={"include": include})


def update_memory(memory_id: Id, version: int, **fields: Unpack[MemoryChanges]) -> Call[MemoryRecord]:
    """Update a memory.

    Optimistic locking: 409 when the stored version is newer than `version`.
    """
    return Call("PATCH", f"/v1/memories/{part(memory_id)}", MemoryRecord, body={"version": version, **fields})


def delete_memory(memory_id: Id, hard: bool = False) -> Call[None]:
    """Delete a memory.

    The memory can be restored until `retention.deleted_days` have passed; with `hard` it cannot.
    """
    return Call("DELETE", f"/v1/memories/{part(memory_id)}", None, query={"hard": hard})


def restore_memory(memory_id: Id) -> Call[MemoryRecord]:
    """Restore a deleted memory."""
    return Call("POST", f"/v1/memories/{part(memory_id)}/restore", MemoryRecord)


def rate_memory(memory_id: Id, useful: bool) -> Call[Json]:
    """Rate the usefulness of a memory.

    Raises or lowers the importance by 0.1, within 0 and 1.
    """
    return Call("POST", f"/v1/memories/{part(memory_id)}/feedback", Json, body={"useful": useful})


def list_memory_history(memory_id: Id) -> Call[Page[MemoryVersion]]:
    """List the versions of a memory.

    All versions of the memory, oldest first.
    """
    return Call("GET", f"/v1/memories/{part(memory_id)}/history", Page[MemoryVersion])


def list_memory_sources(memory_id: Id) -> Call[Page[MemorySource]]:
    """List the source messages of a memory."""
    return Call("GET", f"/v1/memories/{part(memory_id)}/sources", Page[MemorySource])


def start_session(session: str | None = None, user: str | None = None, agent: str | None = None) -> Call[SessionRecord]:
    """Start a session.

    The name defaults to a new UUID.
    """
    return Call(
        "POST",
        "/v1/sessions",
        SessionRecord,
        body=drop_none({"session": session, "user": user, "agent": agent}),
        agent_in="body",
        user_in="body",
    )


def list_sessions(
    user: str | None = None, agent: str | None = None, limit: int = 50, q: str | None = None
) -> Call[Page[SessionRecord]]:
    """List sessions.

    Sessions, newest first.
    """
    return Call(
        "GET",
        "/v1/sessions",
        Page[SessionRecord],
        query={"user": user, "agent": agent, "limit": limit, "q": q},
        agent_in="query",
    )


def get_session(session: str, agent: str | None = None) -> Call[SessionRecord]:
    """Get a session."""
    return Call("GET", f"/v1/sessions/{part(session)}", SessionRecord, query={"agent": agent}, agent_in="query")


def append_messages(
    session: str,
    messages: Sequence[MessageDraft],
    user: str | None = None,
    agent: str | None = None,
    searchable: bool = True,
) -> Call[Appended]:
    """Append messages to a session.

    Creates the session on first use. Messages are numbered without gaps.
    """
    return Call(
        "POST",
        f"/v1/sessions/{part(session)}/messages",
        Appended,
        body={"messages": messages, "searchable": searchable, **drop_none({"user": user, "agent": agent})},
        agent_in="body",
        user_in="body",
    )


def list_messages(
    session: str,
    order: Literal["asc", "desc"] = "asc",
    agent: str | None = None,
    limit: int = 50,
    q: str | None = None,
    around: Id | None = None,
) -> Call[Page[MessageRecord]]:
    """List the messages of a session.

    The permanent history, independent of the window.
    """
    return Call(
        "GET",
        f"/v1/sessions/{part(session)}/messages",
        Page[MessageRecord],
        query={"order": order, "agent": agent, "limit": limit, "q": q, "around": around},
        agent_in="query",
    )


def get_window(session: str, agent: str | None = None) -> Call[Window]:
    """Get the window of a session.

    The messages passed to the model verbatim, and the summary of the earlier ones.
    """
    return Call("GET", f"/v1/sessions/{part(session)}/window", Window, query={"agent": agent}, agent_in="query")


def clear_window(session: str, agent: str | None = None) -> Call[None]:
    """Clear the window of a session.

    The window is empty afterwards; the history is kept.
    """
    return Call("DELETE", f"/v1/sessions/{part(session)}/window", None, query={"agent": agent}, agent_in="query")


def compact_window(session: str, agent: str | None = None) -> Call[Json]:
    """Compact the window of a session.

    Summarizes the older half of the window now and returns the new window.
    """
    return Call("POST", f"/v1/sessions/{part(session)}/compact", Json, query={"agent": agent}, agent_in="query")


def list_message_memories(message_id: Id) -> Call[Page[MemoryRecord]]:
    """List the memories derived from a message."""
    return Call("GET", f"/v1/messages/{part(message_id)}/memories", Page[MemoryRecord])


def count_session(session: str, agent: str | None = None) -> Call[Deleted]:
    """Count what this would take: delete a session.

    With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
    """
    return Call(
        "DELETE", f"/v1/sessions/{part(session)}", Deleted, query={"agent": agent, "dry_run": True}, agent_in="query"
    )


def delete_session(session: str, token: str, agent: str | None = None) -> Call[Deleted]:
    """Delete a session.

    With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
    """
    return Call(
        "DELETE", f"/v1/sessions/{part(session)}", Deleted, query={"token": token, "agent": agent}, agent_in="query"
    )


def count_agent(agent: str) -> Call[Deleted]:
    """Count what this would take: delete an agent.

    With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/agents/{part(agent)}", Deleted, query={"dry_run": True})


def delete_agent(agent: str, token: str) -> Call[Deleted]:
    """Delete an agent.

    With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/agents/{part(agent)}", Deleted, query={"token": token})


def count_team(team: str) -> Call[Deleted]:
    """Count what this would take: delete a team.

    With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/teams/{part(team)}", Deleted, query={"dry_run": True})


def delete_team(team: str, token: str) -> Call[Deleted]:
    """Delete a team.

    With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
    keys only.
    """
    return Call("DELETE", f"/v1/teams/{part(team)}", Deleted, query={"token": token})


def list_deletions(limit: int = 50) -> Call[Page[Deletion]]:
    """List deletions.

    Deletions of sessions, agents and teams, newest first; with an agent key, of the agent's own sessions.
    """
    return Call("GET", "/v1/deletions", Page[Deletion], query={"limit": limit})


def undo_deletion(deletion_id: Id) -> Call[Deletion]:
    """Undo a deletion.

    Everything is back as it was, but for what a purge has removed since; memories that were saved again meanwhile
    stay deleted. 409 if the name is taken or the agent is gone.
    """
    return Call("POST", f"/v1/deletions/{part(deletion_id)}/undo", Deletion)


def build_context(message: str, **fields: Unpack[ContextOptions]) -> Call[ContextAnswer]:
    """Build the context of a model call.

    Bulletin, identity, preferences, memories, documents, window and tool results within one token budget.
    """
    return Call(
        "POST",
        "/v1/context",
        ContextAnswer,
        body={"message": message, **fields},
        agent_in="body",
        user_in="body",
        only_reads=True,
    )


def ask_memory(
    question: str, max_tokens: int | None = None, agent: str | None = None, **fields: Unpack[AskFields]
) -> Call[AskAnswer]:
    """Answer a question from memory.

    Returns the answer with the cited memories; without a language model, the best memories only. With `stream`,
    server-sent events: `memories` at once, then `answer`, or `error`.
    """
    return Call(
        "POST",
        "/v1/ask",
        AskAnswer,
        body={"question": question, **drop_none({"max_tokens": max_tokens, "agent": agent}), **fields},
        agent_in="body",
        user_in="body",
    )


def list_agents(limit: int = 50, q: str | None = None) -> Call[Page[AgentRecord]]:
    """List agents.

    Agents in the order of their names.
    """
    return Call("GET", "/v1/agents", Page[AgentRecord], query={"limit": limit, "q": q})


def get_agent(agent: str) -> Call[AgentRecord]:
    """Get an agent."""
    return Call("GET", f"/v1/agents/{part(agent)}", AgentRecord)


def put_agent(agent: str, **fields: Unpack[AgentChanges]) -> Call[AgentRecord]:
    """Create or update an agent.

    Omitted fields keep their value.
    """
    return Call("PUT", f"/v1/agents/{part(agent)}", AgentRecord, body={**fields})


def get_bulletin(agent: str, version: int | None = None, user: str | None = None) -> Call[Bulletin]:
    """Get the bulletin of an agent."""
    return Call("GET", f"/v1/agents/{part(agent)}/bulletin", Bulletin, query={"version": version, "user": user})


def rewrite_bulletin(agent: str, user: str | None = None) -> Call[Bulletin]:
    """Rewrite the bulletin of an agent.

    Generates a new bulletin from the current memories and returns it.
    """
    return Call("POST", f"/v1/agents/{part(agent)}/bulletin", Bulletin, query={"user": user})


def list_bulletin_versions(
    agent: str, compared_to: int | None = None, user: str | None = None, limit: int = 50
) -> Call[Page[BulletinVersion]]:
    """List the bulletins of an agent.

    All versions of the bulletin, newest first, each with the sentences added and removed.
    """
    return Call(
        "GET",
        f"/v1/agents/{part(agent)}/bulletin/versions",
        Page[BulletinVersion],
        query={"compared_to": compared_to, "user": user, "limit": limit},
    )


def request_dream(agent: str, dry_run: bool = False, wait: bool = False) -> Call[Dream]:
    """Request a dream.

    Answers 202 once the dream is queued; with `wait`, 200 after its end.
    """
    return Call("POST", f"/v1/agents/{part(agent)}/dream", Dream, body={"dry_run": dry_run, "wait": wait})


def list_dreams(agent: str | None = None, status: str | None = None, limit: int = 50) -> Call[Page[Dream]]:
    """List dreams.

    Dreams without their changes, newest first.
    """
    return Call(
        "GET", "/v1/dreams", Page[Dream], query={"agent": agent, "status": status, "limit": limit}, agent_in="query"
    )


def get_dream(dream_id: Id) -> Call[Dream]:
    """Get a dream with its changes."""
    return Call("GET", f"/v1/dreams/{part(dream_id)}", Dream)


def undo_dream(dream_id: Id) -> Call[Dream]:
    """Undo a dream.

    Reverts every change of the dream. 409 lists the records changed since.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/undo", Dream)


def list_dream_changes(
    dream_id: Id, action: Sequence[str] | None = None, type: str | None = None, limit: int = 50
) -> Call[Page[Json]]:
    """List the changes of a dream.

    Changes in order, each with the messages and memories that it rests on; with totals by action.
    """
    return Call(
        "GET",
        f"/v1/dreams/{part(dream_id)}/changes",
        Page[Json],
        query={"action": action, "type": type, "limit": limit},
    )


def undo_dream_change(dream_id: Id, n: int) -> Call[Json]:
    """Undo one change of a dream.

    Reverts the change; links of a created memory go with it. 409 gives a `reason`: `dream_not_succeeded`,
    `already_undone`, `not_undoable`, `replaces_others`, `changed_since`, `in_use` or `later_version`.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/changes/{part(n)}/undo", Json)


def cancel_dream(dream_id: Id) -> Call[Dream]:
    """Cancel a dream.

    Ends a queued or running dream without any change: it is `failed`, and its messages stay due. 409 for one that is
    over.
    """
    return Call("POST", f"/v1/dreams/{part(dream_id)}/cancel", Dream)


def summarize_memories(
    older_than_days: float | None = None, dry_run: bool = True, agent: str | None = None, tokens_max: int | None = None
) -> Call[Json]:
    """Summarize old memories.

    Replaces an agent's old, unimportant memories with one summary that has a line of each; a dry run returns the
    candidates. No summary is made that saves less than a third of their tokens. Without a body, as a cron job sends
    it, the memories of the key's agent older than 30 days are summarized, without a dry run.
    """
    return Call(
        "POST",
        "/v1/summarize",
        Json,
        body={
            "dry_run": dry_run,
            **drop_none({"older_than_days": older_than_days, "agent": agent, "tokens_max": tokens_max}),
        },
        agent_in="body",
    )


def undo_summary(memory_id: Id) -> Call[Json]:
    """Undo a summary.

    Makes the memories that a summary of `POST /v1/summarize` replaced current again, and deletes the summary. 409
    lists the memories changed since.
    """
    return Call("POST", f"/v1/summaries/{part(memory_id)}/undo", Json)


def list_inbox(agent: str | None = None, status: ProposalStatus = "proposed", limit: int = 50) -> Call[Page[Proposal]]:
    """List proposals.

    Statements with a confidence below `dream.propose_below`, with the messages they come from, newest first. What a
    memory says by now is left out.
    """
    return Call(
        "GET", "/v1/inbox", Page[Proposal], query={"agent": agent, "status": status, "limit": limit}, agent_in="query"
    )


def decide_proposals(ids: Sequence[Id], action: ProposalAction, **fields: Unpack[ProposalEdit]) -> Call[Page[Decided]]:
    """Decide on several proposals.

    Decides alike on up to 100 proposals, all or none. 409 lists those already decided on.
    """
    return Call("POST", "/v1/inbox", Page[Decided], body={"ids": ids, "action": action, **fields})


def get_proposal(proposal_id: Id) -> Call[Proposal]:
    """Read a proposal.

    A proposal of any status, with the messages it comes from.
    """
    return Call("GET", f"/v1/inbox/{part(proposal_id)}", Proposal)


def decide_proposal(proposal_id: Id, action: ProposalAction, **fields: Unpack[ProposalEdit]) -> Call[Decided]:
    """Decide on a proposal.

    Accepts, edits, rejects or reopens a proposal. Of two decisions at once one holds, and the other is a 409.
    """
    return Call("POST", f"/v1/inbox/{part(proposal_id)}", Decided, body={"action": action, **fields})


def list_tasks(limit: int = 50) -> Call[Page[TaskRecord]]:
    """List tasks.

    Tasks in the order of their names. An agent key sees the tasks with its agent as a declared member.
    """
    return Call("GET", "/v1/tasks", Page[TaskRecord], query={"limit": limit})


def get_task(task: str) -> Call[TaskRecord]:
    """Get a task."""
    return Call("GET", f"/v1/tasks/{part(task)}", TaskRecord)


def put_task(task: str, members: Sequence[str] | None) -> Call[TaskRecord]:
    """Declare the members of a task.

    The members are in effect on the next call. Admin keys only.
    """
    return Call("PUT", f"/v1/tasks/{part(task)}", TaskRecord, body={"members": members})


def create_page(question: str, agent: str | None = None, **fields: Unpack[PageFields]) -> Call[AnsweredPage]:
    """Create a page.

    Answers the question at once, and again at each trigger. At most 100 pages per agent.
    """
    return Call(
        "POST",
        "/v1/pages",
        AnsweredPage,
        body={"question": question, **drop_none({"agent": agent}), **fields},
        agent_in="body",
    )


def list_pages(agent: str | None = None, limit: int = 50) -> Call[Page[AnsweredPage]]:
    """List pages.

    Pages with their answers, newest first.
    """
    return Call("GET", "/v1/pages", Page[AnsweredPage], query={"agent": agent, "limit": limit}, agent_in="query")


def get_page(page_id: Id) -> Call[AnsweredPage]:
    """Get a page.

    The newest answer, without sentences that do not hold any more.
    """
    return Call("GET", f"/v1/pages/{part(page_id)}", AnsweredPage)


def put_page(page_id: Id, question: str, **fields: Unpack[PageFields]) -> Call[AnsweredPage]:
    """Update a page.

    Replaces question, scope, trigger and length, and answers the question at once.
    """
    return Call("PUT", f"/v1/pages/{part(page_id)}", AnsweredPage, body={"question": question, **fields})


def rewrite_page(page_id: Id) -> Call[AnsweredPage]:
    """Rewrite a page.

    Answers the question now. The newest version stays if nothing it is made of has changed.
    """
    return Call("POST", f"/v1/pages/{part(page_id)}", AnsweredPage)


def delete_page(page_id: Id) -> Call[None]:
    """Delete a page.

    Delete a page with all its versions.
    """
    return Call("DELETE", f"/v1/pages/{part(page_id)}", None)


def list_page_versions(page_id: Id, compared_to: int | None = None, limit: int = 50) -> Call[Page[PageVersion]]:
    """List the versions of a page.

    The last 20 versions, newest first, each with the sentences added and removed.
    """
    return Call(
        "GET",
        f"/v1/pages/{part(page_id)}/versions",
        Page[PageVersion],
        query={"compared_to": compared_to, "limit": limit},
    )


def create_search(
    name: str, expected: Sequence[Id], agent: str | None = None, **fields: Unpack[SavedSearchFields]
) -> Call[SavedSearch]:
    """Save a search.

    A query with the memories that it must find, without a first run. At most 100 per agent.
    """
    return Call(
        "POST",
        "/v1/searches",
        SavedSearch,
        body={"name": name, "expected": expected, **drop_none({"agent": agent}), **fields},
        agent_in="body",
    )


def list_searches(agent: str | None = None, limit: int = 50) -> Call[Page[SavedSearch]]:
    """List saved searches.

    Saved searches with their newest recall, newest search first.
    """
    return Call("GET", "/v1/searches", Page[SavedSearch], query={"agent": agent, "limit": limit}, agent_in="query")


def run_searches(agent: str | None = None, overrides: Json | None = None) -> Call[SearchRuns]:
    """Run all saved searches of an agent.

    Searches as the agent, without counting access, and stores a result for each.
    """
    return Call(
        "POST",
        "/v1/searches/run",
        SearchRuns,
        body=drop_none({"agent": agent, "overrides": overrides}),
        agent_in="body",
    )


def get_search(search_id: Id) -> Call[SavedSearch]:
    """Get a saved search.

    The saved search with the present state of its expected memories.
    """
    return Call("GET", f"/v1/searches/{part(search_id)}", SavedSearch)


def put_search(
    search_id: Id, name: str, expected: Sequence[Id], **fields: Unpack[SavedSearchFields]
) -> Call[SavedSearch]:
    """Update a saved search.

    Replaces name, query, options, expected memories and k. Former results stay, under their revision.
    """
    return Call(
        "PUT", f"/v1/searches/{part(search_id)}", SavedSearch, body={"name": name, "expected": expected, **fields}
    )


def delete_search(search_id: Id) -> Call[None]:
    """Delete a saved search.

    Delete a saved search with all its results.
    """
    return Call("DELETE", f"/v1/searches/{part(search_id)}", None)


def run_search(search_id: Id, overrides: Json | None = None) -> Call[SearchRuns]:
    """Run a saved search.

    Searches as the agent, without counting access, and stores the result; an empty list with X-Reverie-No-Memory.
    """
    return Call("POST", f"/v1/searches/{part(search_id)}/run", SearchRuns, body=drop_none({"overrides": overrides}))


def list_search_results(search_id: Id, limit: int = 50) -> Call[Page[SearchRun]]:
    """List the results of a saved search.

    The last 200 results, newest first.
    """
    return Call("GET", f"/v1/searches/{part(search_id)}/results", Page[SearchRun], query={"limit": limit})


def list_entities(
    kind: str | None = None,
    q: str | None = None,
    agent: str | None = None,
    limit: int = 50,
    sort: Literal["newest", "mentions", "name"] | None = None,
) -> Call[Page[Entity]]:
    """List entities.

    Entities visible to the caller. A cursor belongs to its order.
    """
    return Call(
        "GET",
        "/v1/entities",
        Page[Entity],
        query={"kind": kind, "q": q, "agent": agent, "limit": limit, "sort": sort},
        agent_in="query",
    )


def get_entity(entity: Id, agent: str | None = None) -> Call[Entity]:
    """Get an entity."""
    return Call("GET", f"/v1/entities/{part(entity)}", Entity, query={"agent": agent}, agent_in="query")


def get_entity_graph(
    entity: Id, depth: int = 2, agent: str | None = None, memories: bool | None = None, ring: int | None = None
) -> Call[Json]:
    """Get the graph around an entity.

    Entities, edges and memories within `depth` steps of the entity; an entity of the same memories is one step away.
    """
    return Call(
        "GET",
        f"/v1/entities/{part(entity)}/graph",
        Json,
        query={"depth": depth, "agent": agent, "memories": memories, "ring": ring},
        agent_in="query",
    )


def get_graph(
    agent: str | None = None,
    kind: str | None = None,
    q: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    limit: int | None = None,
) -> Call[Json]:
    """Get the graph of entities.

    Most mentioned entities, and pairs of them with memories in common.
    """
    return Call(
        "GET",
        "/v1/graph",
        Json,
        query={"agent": agent, "kind": kind, "q": q, "since": since, "until": until, "limit": limit},
        agent_in="query",
    )


def list_memory_links(memory_id: Id) -> Call[Json]:
    """List the edges of a memory.

    Edges from and to the memory, and what they lead to.
    """
    return Call("GET", f"/v1/memories/{part(memory_id)}/links", Json)


def update_entity(entity_id: Id, changes: Json) -> Call[Json]:
    """Update an entity.

    Omitted fields keep their value.
    """
    return Call("PATCH", f"/v1/entities/{part(entity_id)}", Json, body=changes)


def merge_entity(entity_id: Id, into: Id) -> Call[Json]:
    """Merge an entity into another.

    Returns the remaining entity.
    """
    return Call("POST", f"/v1/entities/{part(entity_id)}/merge", Json, body={"into": into})


def unmerge_entity(entity_id: Id) -> Call[Json]:
    """Undo the merge of an entity."""
    return Call("POST", f"/v1/entities/{part(entity_id)}/unmerge", Json)


def split_entity(entity_id: Id, memory_ids: Sequence[Id], name: str) -> Call[Json]:
    """Split an entity.

    Moves memories to a new entity and returns it.
    """
    return Call("POST", f"/v1/entities/{part(entity_id)}/split", Json, body={"memory_ids": memory_ids, "name": name})


def create_edge(edge: Json) -> Call[Json]:
    """Create an edge.

    Answers 201 for a new edge, and 200 for an existing one.
    """
    return Call("POST", "/v1/edges", Json, body=edge, agent_in="body")


def delete_edge(edge_id: Id) -> Call[None]:
    """Delete an edge."""
    return Call("DELETE", f"/v1/edges/{part(edge_id)}", None)


def create_key(
    role: KeyRole,
    name: str,
    agent: str | None = None,
    scopes: Sequence[KeyScope] | None = None,
    expires_at: Moment | None = None,
    limits: Json | None = None,
    user: str | None = None,
) -> Call[CreatedKey]:
    """Create an API key.

    The secret is returned only here. The key may do, cost and hold no more than that of the request, against whose
    limits it counts too, and lives no longer; 403 names the field that exceeds it.
    """
    return Call(
        "POST",
        "/v1/keys",
        CreatedKey,
        body={
            "role": role,
            "name": name,
            **drop_none({"agent": agent, "scopes": scopes, "expires_at": expires_at, "limits": limits, "user": user}),
        },
    )


def list_keys(limit: int = 50) -> Call[Page[Key]]:
    """List API keys.

    Keys without their secrets, newest first. Last use is written each second, to the minute.
    """
    return Call("GET", "/v1/keys", Page[Key], query={"limit": limit})


def get_caller() -> Call[Whoami]:
    """Get the key of this request.

    Workspace, role and agent of the key.
    """
    return Call("GET", "/v1/whoami", Whoami)


def rotate_key(key_id: Id) -> Call[CreatedKey]:
    """Rotate the secret of an API key.

    The former secret is invalid at once. Scopes and expiry stay as they are. 403 for a key that exceeds that of the
    request, 409 for that of an OAuth client.
    """
    return Call("POST", f"/v1/keys/{part(key_id)}/rotate", CreatedKey)


def update_key(key_id: Id, limits: Json) -> Call[KeyLimits]:
    """Change the limits of an API key.

    In effect at once. 403 for a key that exceeds that of the request, before or after the change.
    """
    return Call("PATCH", f"/v1/keys/{part(key_id)}", KeyLimits, body={"limits": limits})


def revoke_key(key_id: Id) -> Call[None]:
    """Revoke an API key.

    The key is invalid at once, and the keys that it made or consented to; with that of a sign-in, all keys of
    whoever signed in. 409 where no admin key would be left.
    """
    return Call("DELETE", f"/v1/keys/{part(key_id)}", None)


def get_settings() -> Call[Json]:
    """Get the workspace settings.

    With an admin key of the default workspace also `embedding` and `rerank` as in effect, and which environment
    variables win (`locked_by`).
    """
    return Call("GET", "/v1/settings", Json)


def update_settings(settings: Json) -> Call[Json]:
    """Update the workspace settings.

    Omitted sections and fields keep their value. In effect on the next call; `embedding` and `rerank` in all
    processes within five seconds, after a trial of the model.
    """
    return Call("PUT", "/v1/settings", Json, body=settings)


def list_setting_sources() -> Call[Json]:
    """List the workspace settings with their defaults.

    Every setting of the workspace by its dotted name, with its default and whether the workspace chose its value.
    """
    return Call("GET", "/v1/settings/sources", Json)


def reset_settings(names: Sequence[str]) -> Call[Json]:
    """Reset workspace settings to their defaults.

    The settings after the reset. Admin keys only.
    """
    return Call("POST", "/v1/settings/reset", Json, body={"names": names})


def list_audit_entries(
    action: str | None = None,
    actor: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    limit: int = 50,
) -> Call[Page[Json]]:
    """List the audit log.

    Administrative actions, and reads of other agents' data. Newest first. Admin keys only.
    """
    return Call(
        "GET",
        "/v1/audit",
        Page[Json],
        query={"action": action, "actor": actor, "since": since, "until": until, "limit": limit},
    )


def get_usage(
    since: str | None = None, until: str | None = None, by: Literal["day", "key", "agent"] = "day"
) -> Call[Json]:
    """Get the model usage.

    Calls, tokens and cost by purpose, and requests, at most 10,000 rows each. Admin keys only.
    """
    return Call("GET", "/v1/usage", Json, query={"since": since, "until": until, "by": by})


def get_stats(agent: str | None = None, since: str | None = None, until: str | None = None) -> Call[Json]:
    """Get figures by day.

    Memories, dreams and searches of at most 400 days, of an agent or, without one, of the workspace.
    """
    return Call("GET", "/v1/stats", Json, query={"agent": agent, "since": since, "until": until})


def list_model_calls(
    agent: str | None = None,
    dream: Id | None = None,
    purpose: str | None = None,
    outcome: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    limit: int = 50,
) -> Call[Page[Json]]:
    """List model calls.

    Attempts at language models with the beginnings of their texts, newest first, kept by the setting
    `retention.model_calls_days`. Not those of embedders and of the proxy. Admin keys only.
    """
    return Call(
        "GET",
        "/v1/model-calls",
        Page[Json],
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


def get_model_call(call: Id) -> Call[Json]:
    """Read a model call.

    A call with its whole texts. Admin keys only.
    """
    return Call("GET", f"/v1/model-calls/{part(call)}", Json)


def create_workspace(name: str) -> Call[CreatedWorkspace]:
    """Create a workspace.

    With its first admin key. Admin keys of the default workspace only, as all of these.
    """
    return Call("POST", "/v1/workspaces", CreatedWorkspace, body={"name": name})


def list_workspaces(limit: int = 50) -> Call[Page[Workspace]]:
    """List workspaces.

    Workspaces, newest first.
    """
    return Call("GET", "/v1/workspaces", Page[Workspace], query={"limit": limit})


def update_workspace(
    workspace: Id, name: str | None = None, suspended: bool | None = None, limits: Json | None = None
) -> Call[Workspace]:
    """Rename, suspend, resume or limit a workspace.

    While it is suspended, requests with its keys answer 403 `Workspace suspended`, and workers leave it alone. Of
    the default workspace only the limits can be changed (409).
    """
    return Call(
        "PATCH",
        f"/v1/workspaces/{part(workspace)}",
        Workspace,
        body=drop_none({"name": name, "suspended": suspended, "limits": limits}),
    )


def count_workspace(workspace: Id) -> Call[WorkspaceDeletion]:
    """Count what this would take: delete a workspace.

    Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile.
    """
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", WorkspaceDeletion, query={"dry_run": True})


def delete_workspace(workspace: Id, token: str) -> Call[WorkspaceDeletion]:
    """Delete a workspace.

    Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile.
    """
    return Call("DELETE", f"/v1/workspaces/{part(workspace)}", WorkspaceDeletion, query={"token": token})


def list_users(q: str | None = None, agent: str | None = None, limit: int = 50) -> Call[Page[User]]:
    """List users.

    Users whom live memories visible to the caller are about, by name.
    """
    return Call("GET", "/v1/users", Page[User], query={"q": q, "agent": agent, "limit": limit}, agent_in="query")


def get_profile(user: str, as_of: Moment | None = None, agent: str | None = None) -> Call[Profile]:
    """Get the profile of a user.

    What holds about a user by memories visible to the caller. Hearsay is left out. A user of whom nothing is known
    has no fields.
    """
    return Call(
        "GET", f"/v1/users/{part(user)}/profile", Profile, query={"as_of": as_of, "agent": agent}, agent_in="query"
    )


def diff_profile(user: str, since: Moment, to: Moment | None = None, agent: str | None = None) -> Call[ProfileDiff]:
    """Compare the profile of a user at two times.

    What changed in the profile by memories visible to the caller: values added, removed and changed, and values that
    other memories say.
    """
    return Call(
        "GET",
        f"/v1/users/{part(user)}/profile/diff",
        ProfileDiff,
        query={"from": since, "to": to, "agent": agent},
        agent_in="query",
    )


def purge_user(user: str) -> Call[Json]:
    """Purge a user.

    Irreversibly deletes all data about and from a user, and returns a receipt.
    """
    return Call("POST", f"/v1/users/{part(user)}/purge", Json)


def export_user(user: str) -> Call[Any]:
    """Export the data of a user.

    All data about and from the user (subject access request).
    """
    return Call("GET", f"/v1/users/{part(user)}/export", Any)


def create_chat_completion(request: Json) -> Call[Json]:
    """Create a chat completion.

    OpenAI's chat completion with recalled memories added to the request and the turn stored.

    404 unless the setting `proxy.enabled` is on; 403 for a reader key, and for a model not listed in `proxy.models`.
    Fields that are not of the format are dropped; else, with X-Reverie-No-Memory, the request is passed on byte for
    byte. The response header X-Reverie-Memory is on, off, degraded or failed; X-Reverie-Memory-Viewer is for whom it
    was recalled: users as a JSON array, or `"nobody"` without a user or a session with members.
    """
    return Call("POST", "/v1/chat/completions", Json, body={**request, "stream": False})


def create_response(request: Json) -> Call[Json]:
    """Create a response.

    OpenAI's response with recalled memories added to `instructions` and the turn stored.

    As with chat completions; `background` is a 422. `previous_response_id`, `conversation` and `store` are passed
    on: a session then holds what came through the proxy, and is named by X-Reverie-Session, else by `conversation`.
    """
    return Call("POST", "/v1/responses", Json, body={**request, "stream": False})


def create_message(request: Json) -> Call[Json]:
    """Create a message.

    Anthropic's message with recalled memories added to `system` and the turn stored.

    As with chat completions. The API key is taken from `x-api-key` as well; `anthropic-version` and `anthropic-beta`
    are passed on.
    """
    return Call("POST", "/v1/messages", Json, body={**request, "stream": False})


def count_message_tokens(request: Json) -> Call[Json]:
    """Count the tokens of a message.

    Anthropic's count of the tokens of a message, without the memory block; an estimate where the model is of another
    provider. Nothing is recalled and nothing stored.
    """
    return Call("POST", "/v1/messages/count_tokens", Json, body=request, only_reads=True)


def list_models() -> Call[Json]:
    """List the models of the proxy.

    Models that may be called: those that `proxy.models` names, and those of the models' servers that it allows. In
    Anthropic's shape for requests with `anthropic-version`, else in OpenAI's.
    """
    return Call("GET", "/v1/models", Json)


def create_document(
    title: str,
    text: str,
    user: str | None = None,
    metadata: Json | None = None,
    agent: str | None = None,
    owners: Sequence[str] | None = None,
) -> Call[Document]:
    """Create a document.

    Text or Markdown, split into chunks, embedded and searchable.
    """
    return Call(
        "POST",
        "/v1/documents",
        Document,
        body={
            "title": title,
            "text": text,
            **drop_none({"user": user, "metadata": metadata, "agent": agent, "owners": owners}),
        },
        agent_in="body",
        user_in="body",
    )


def list_documents(
    user: str | None = None, agent: str | None = None, limit: int = 50, about: str | None = None
) -> Call[Page[DocumentHead]]:
    """List documents.

    Documents without their text, newest first.
    """
    return Call(
        "GET",
        "/v1/documents",
        Page[DocumentHead],
        query={"user": user, "agent": agent, "limit": limit, "about": about},
        agent_in="query",
    )


def get_document(document_id: Id) -> Call[Document]:
    """Get a document."""
    return Call("GET", f"/v1/documents/{part(document_id)}", Document)


def delete_document(document_id: Id) -> Call[None]:
    """Delete a document.

    Deletes the document and its chunks permanently.
    """
    return Call("DELETE", f"/v1/documents/{part(document_id)}", None)


def get_engine() -> Call[Json]:
    """Get the state of the engine.

    Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of
    the default workspace. While the database does not answer, 503 lists the `checks` of `GET /readyz`, for any key.
    """
    return Call("GET", "/v1/engine", Json)


def list_embedding_providers() -> Call[Any]:
    """List embedding providers.

    All values of EMBEDDING_MODEL and their availability for admin keys of the default workspace; for other keys only
    the one in use.
    """
    return Call("GET", "/v1/embedding-providers", Any)


def verify_engine() -> Call[Json]:
    """Run an end-to-end test.

    Writes a memory, finds it by keyword and by vector, and deletes it.
    """
    return Call("POST", "/v1/verify", Json)


def start_reindex(force: bool = False) -> Call[Json]:
    """Start reindexing.

    The worker embeds all texts without a vector or, with `force`, all texts.
    """
    return Call("POST", "/v1/reindex", Json, body={"force": force})


def get_reindex() -> Call[Json]:
    """Get the progress of the last reindexing."""
    return Call("GET", "/v1/reindex", Json)


def start_rescan(dry_run: bool = True) -> Call[Json]:
    """Scan stored records for secrets.

    The worker lists or, without `dry_run`, masks all stored secrets of the workspace, and personal data where
    `pii.mode` masks it. One scan at a time. Admin keys only.
    """
    return Call("POST", "/v1/rescan", Json, body={"dry_run": dry_run})


def get_rescan() -> Call[Json]:
    """Get the progress of the last scan for secrets.

    Progress and counts, without values. Admin keys only.
    """
    return Call("GET", "/v1/rescan", Json)


def list_rescan_findings(limit: int = 50) -> Call[Page[Json]]:
    """List the findings of the last scan for secrets.

    Fields with secrets found (dry run) or masked, without values. Admin keys only.
    """
    return Call("GET", "/v1/rescan/findings", Page[Json], query={"limit": limit})


def list_dead_letters(limit: int = 50) -> Call[Page[Json]]:
    """List dead letters.

    Texts excluded from processing after repeated worker crashes, newest first. Admin keys only.
    """
    return Call("GET", "/v1/dead-letters", Page[Json], query={"limit": limit})


def retry_dead_letter(dead_letter_id: Id) -> Call[Json]:
    """Retry a dead letter.

    One more attempt; a message is dreamed about exactly once. Admin keys only.
    """
    return Call("POST", f"/v1/dead-letters/{part(dead_letter_id)}/retry", Json)


def discard_dead_letter(dead_letter_id: Id) -> Call[None]:
    """Discard a dead letter.

    Excludes the text from processing permanently. A message stays in the history of its session. Admin keys only.
    """
    return Call("DELETE", f"/v1/dead-letters/{part(dead_letter_id)}", None)


def create_webhook(webhook: Json) -> Call[Json]:
    """Create a webhook.

    Events from now on are sent to the URL. The signing secret is returned only here. Admin keys only.
    """
    return Call("POST", "/v1/webhooks", Json, body=webhook)


def list_webhooks(limit: int = 50) -> Call[Page[Json]]:
    """List webhooks.

    Webhooks with the state of their delivery, newest first. Admin keys only.
    """
    return Call("GET", "/v1/webhooks", Page[Json], query={"limit": limit})


def update_webhook(webhook_id: Id, **fields: Unpack[WebhookChanges]) -> Call[Json]:
    """Update a webhook.

    Omitted fields keep their value. A change is in effect at once; an event in transit to the former URL is sent
    again. A new signing secret is returned only here. Admin keys only.
    """
    return Call("PATCH", f"/v1/webhooks/{part(webhook_id)}", Json, body={**fields})


def delete_webhook(webhook_id: Id) -> Call[None]:
    """Delete a webhook.

    Undelivered events are not sent any more. Admin keys only.
    """
    return Call("DELETE", f"/v1/webhooks/{part(webhook_id)}", None)


def test_webhook(webhook_id: Id) -> Call[Json]:
    """Test a webhook.

    Sends one signed event of type `ping` now, also to a disabled webhook, without retry. The state of the webhook
    does not change. Admin keys only.
    """
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/test", Json)


def enable_webhook(webhook_id: Id) -> Call[Json]:
    """Enable a disabled webhook.

    Delivery resumes at once with the first undelivered event. Admin keys only.
    """
    return Call("POST", f"/v1/webhooks/{part(webhook_id)}/enable", Json)


def check_liveness() -> Call[Json]:
    """Check the liveness of the process."""
    return Call("GET", "/healthz", Json)


def check_readiness() -> Call[Json]:
    """Check the readiness of the service.

    503 without a database, or with a schema of another release. `degraded` lists the other failing parts.
    """
    return Call("GET", "/readyz", Json)
