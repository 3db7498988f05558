// Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients.

/** A function for each method of the client, which makes its call. */

import { get, list, patch, path, post, put, remove } from "../call.js";
import type { Body, Fields, Query } from "../types.js";

/**
 * Save a memory.
 *
 * Answers 201 for a new memory, and 200 when a stored one was reinforced (identical) or updated (same key).
 */
export function saveMemory(type: string, content: string, fields?: Fields<"save_memory", "type" | "content">) {
  return post<"save_memory">("/v1/memories", { type, content, ...fields }, { agentIn: "body", userIn: "body" });
}

/**
 * List memories.
 *
 * Memories visible to the caller. A cursor belongs to its order. `as_of` allows neither `include` nor the order
 * `recalled`.
 */
export function listMemories(query?: Query<"list_memories">) {
  return list<"list_memories">("/v1/memories", query, { agentIn: "query" });
}

/**
 * Save a batch of memories.
 *
 * Up to 1,000 memories in one transaction: all or none.
 */
export function saveMemories(items: Body<"save_memories">["items"]) {
  return post<"save_memories">("/v1/memories/batch", { items });
}

/**
 * Search memories.
 *
 * Results by descending score. Counts the access to each returned memory.
 */
export function searchMemories(query: string, fields?: Fields<"search_memories", "query">) {
  return post<"search_memories">(
    "/v1/memories/search",
    { query, ...fields },
    { agentIn: "body", userIn: "body", onlyReads: true },
  );
}

/**
 * Preview a search.
 *
 * The ranking of a search, explained, without counting access. With `explain_id`, the answer says at which stage that
 * memory was lost, and what would bring it back.
 */
export function previewSearch(query: string, fields?: Fields<"preview_search", "query">) {
  return post<"preview_search">(
    "/v1/memories/search/preview",
    { query, ...fields },
    { agentIn: "body", userIn: "body", onlyReads: true },
  );
}

/**
 * Get memory statistics.
 *
 * Number and length of the memories visible to the caller, in total and by type.
 */
export function getMemoryStats(query?: Query<"get_memory_stats">) {
  return get<"get_memory_stats">("/v1/memories/stats", { query, agentIn: "query" });
}

/** Get a memory. */
export function getMemory(memoryId: string, query?: Query<"get_memory">) {
  return get<"get_memory">(path`/v1/memories/${memoryId}`, { query });
}

/**
 * Update a memory.
 *
 * Optimistic locking: 409 when the stored version is newer than `version`.
 */
export function updateMemory(memoryId: string, version: number, fields?: Fields<"update_memory", "version">) {
  return patch<"update_memory">(path`/v1/memories/${memoryId}`, { version, ...fields });
}

/**
 * Delete a memory.
 *
 * The memory can be restored until `retention.deleted_days` have passed; with `hard` it cannot.
 */
export function deleteMemory(memoryId: string, query?: Query<"delete_memory">) {
  return remove<"delete_memory">(path`/v1/memories/${memoryId}`, { query });
}

/** Restore a deleted memory. */
export function restoreMemory(memoryId: string) {
  return post<"restore_memory">(path`/v1/memories/${memoryId}/restore`);
}

/**
 * Rate the usefulness of a memory.
 *
 * Raises or lowers the importance by 0.1, within 0 and 1.
 */
export function rateMemory(memoryId: string, useful: boolean) {
  return post<"rate_memory">(path`/v1/memories/${memoryId}/feedback`, { useful });
}

/**
 * List the versions of a memory.
 *
 * All versions of the memory, oldest first.
 */
export function listMemoryHistory(memoryId: string) {
  return get<"list_memory_history">(path`/v1/memories/${memoryId}/history`);
}

/** List the source messages of a memory. */
export function listMemorySources(memoryId: string) {
  return get<"list_memory_sources">(path`/v1/memories/${memoryId}/sources`);
}

/**
 * Start a session.
 *
 * The name defaults to a new UUID.
 */
export function startSession(fields?: Body<"start_session">) {
  return post<"start_session">("/v1/sessions", { ...fields }, { agentIn: "body", userIn: "body" });
}

/**
 * List sessions.
 *
 * Sessions, newest first.
 */
export function listSessions(query?: Query<"list_sessions">) {
  return list<"list_sessions">("/v1/sessions", query, { agentIn: "query" });
}

/** Get a session. */
export function getSession(session: string, query?: Query<"get_session">) {
  return get<"get_session">(path`/v1/sessions/${session}`, { query, agentIn: "query" });
}

/**
 * Append messages to a session.
 *
 * Creates the session on first use. Messages are numbered without gaps.
 */
export function appendMessages(
  session: string,
  messages: Body<"append_messages">["messages"],
  fields?: Fields<"append_messages", "messages">,
) {
  return post<"append_messages">(
    path`/v1/sessions/${session}/messages`,
    { messages, ...fields },
    { agentIn: "body", userIn: "body" },
  );
}

/**
 * List the messages of a session.
 *
 * The permanent history, independent of the window.
 */
export function listMessages(session: string, query?: Query<"list_messages">) {
  return list<"list_messages">(path`/v1/sessions/${session}/messages`, query, { agentIn: "query" });
}

/**
 * Get the window of a session.
 *
 * The messages passed to the model verbatim, and the summary of the earlier ones.
 */
export function getWindow(session: string, query?: Query<"get_window">) {
  return get<"get_window">(path`/v1/sessions/${session}/window`, { query, agentIn: "query" });
}

/**
 * Clear the window of a session.
 *
 * The window is empty afterwards; the history is kept.
 */
export function clearWindow(session: string, query?: Query<"clear_window">) {
  return remove<"clear_window">(path`/v1/sessions/${session}/window`, { query, agentIn: "query" });
}

/**
 * Compact the window of a session.
 *
 * Summarizes the older half of the window now and returns the new window.
 */
export function compactWindow(session: string, query?: Query<"compact_window">) {
  return post<"compact_window">(path`/v1/sessions/${session}/compact`, undefined, { query, agentIn: "query" });
}

/** List the memories derived from a message. */
export function listMessageMemories(messageId: string) {
  return get<"list_message_memories">(path`/v1/messages/${messageId}/memories`);
}

/**
 * Count what this would take: delete a session.
 *
 * With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of the
 * answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
 */
export function countSession(session: string, query?: Pick<Query<"delete_session">, "agent">) {
  return remove<"delete_session">(path`/v1/sessions/${session}`, {
    query: { ...query, dry_run: true },
    agentIn: "query",
  });
}

/**
 * Delete a session.
 *
 * With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of the
 * answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`.
 */
export function deleteSession(session: string, token: string, query?: Pick<Query<"delete_session">, "agent">) {
  return remove<"delete_session">(path`/v1/sessions/${session}`, { query: { token, ...query }, agentIn: "query" });
}

/**
 * Count what this would take: delete an agent.
 *
 * With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys stay,
 * and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin keys
 * only.
 */
export function countAgent(agent: string) {
  return remove<"delete_agent">(path`/v1/agents/${agent}`, { query: { dry_run: true } });
}

/**
 * Delete an agent.
 *
 * With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys stay,
 * and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin keys
 * only.
 */
export function deleteAgent(agent: string, token: string) {
  return remove<"delete_agent">(path`/v1/agents/${agent}`, { query: { token } });
}

/**
 * Count what this would take: delete a team.
 *
 * With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
 * keys only.
 */
export function countTeam(team: string) {
  return remove<"delete_team">(path`/v1/teams/${team}`, { query: { dry_run: true } });
}

/**
 * Delete a team.
 *
 * With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a session. Admin
 * keys only.
 */
export function deleteTeam(team: string, token: string) {
  return remove<"delete_team">(path`/v1/teams/${team}`, { query: { token } });
}

/**
 * List deletions.
 *
 * Deletions of sessions, agents and teams, newest first; with an agent key, of the agent's own sessions.
 */
export function listDeletions(query?: Query<"list_deletions">) {
  return list<"list_deletions">("/v1/deletions", query);
}

/**
 * Undo a deletion.
 *
 * Everything is back as it was, but for what a purge has removed since; memories that were saved again meanwhile stay
 * deleted. 409 if the name is taken or the agent is gone.
 */
export function undoDeletion(deletionId: string) {
  return post<"undo_deletion">(path`/v1/deletions/${deletionId}/undo`);
}

/**
 * Build the context of a model call.
 *
 * Bulletin, identity, preferences, memories, documents, window and tool results within one token budget.
 */
export function buildContext(message: string, fields?: Fields<"build_context", "message">) {
  return post<"build_context">(
    "/v1/context",
    { message, ...fields },
    { agentIn: "body", userIn: "body", onlyReads: true },
  );
}

/**
 * Answer a question from memory.
 *
 * Returns the answer with the cited memories; without a language model, the best memories only. With `stream`,
 * server-sent events: `memories` at once, then `answer`, or `error`.
 */
export function askMemory(question: string, fields?: Fields<"ask_memory", "question" | "stream">) {
  return post<"ask_memory">("/v1/ask", { question, ...fields }, { agentIn: "body", userIn: "body" });
}

/**
 * List agents.
 *
 * Agents in the order of their names.
 */
export function listAgents(query?: Query<"list_agents">) {
  return list<"list_agents">("/v1/agents", query);
}

/** Get an agent. */
export function getAgent(agent: string) {
  return get<"get_agent">(path`/v1/agents/${agent}`);
}

/**
 * Create or update an agent.
 *
 * Omitted fields keep their value.
 */
export function putAgent(agent: string, fields?: Body<"put_agent">) {
  return put<"put_agent">(path`/v1/agents/${agent}`, { ...fields });
}

/** Get the bulletin of an agent. */
export function getBulletin(agent: string, query?: Query<"get_bulletin">) {
  return get<"get_bulletin">(path`/v1/agents/${agent}/bulletin`, { query });
}

/**
 * Rewrite the bulletin of an agent.
 *
 * Generates a new bulletin from the current memories and returns it.
 */
export function rewriteBulletin(agent: string, query?: Query<"rewrite_bulletin">) {
  return post<"rewrite_bulletin">(path`/v1/agents/${agent}/bulletin`, undefined, { query });
}

/**
 * List the bulletins of an agent.
 *
 * All versions of the bulletin, newest first, each with the sentences added and removed.
 */
export function listBulletinVersions(agent: string, query?: Query<"list_bulletin_versions">) {
  return list<"list_bulletin_versions">(path`/v1/agents/${agent}/bulletin/versions`, query);
}

/**
 * Request a dream.
 *
 * Answers 202 once the dream is queued; with `wait`, 200 after its end.
 */
export function requestDream(agent: string, fields?: Body<"request_dream">) {
  return post<"request_dream">(path`/v1/agents/${agent}/dream`, { ...fields });
}

/**
 * List dreams.
 *
 * Dreams without their changes, newest first.
 */
export function listDreams(query?: Query<"list_dreams">) {
  return list<"list_dreams">("/v1/dreams", query, { agentIn: "query" });
}

/** Get a dream with its changes. */
export function getDream(dreamId: string) {
  return get<"get_dream">(path`/v1/dreams/${dreamId}`);
}

/**
 * Undo a dream.
 *
 * Reverts every change of the dream. 409 lists the records changed since.
 */
export function undoDream(dreamId: string) {
  return post<"undo_dream">(path`/v1/dreams/${dreamId}/undo`);
}

/**
 * List the changes of a dream.
 *
 * Changes in order, each with the messages and memories that it rests on; with totals by action.
 */
export function listDreamChanges(dreamId: string, query?: Query<"list_dream_changes">) {
  return list<"list_dream_changes">(path`/v1/dreams/${dreamId}/changes`, query);
}

/**
 * Undo one change of a dream.
 *
 * Reverts the change; links of a created memory go with it. 409 gives a `reason`: `dream_not_succeeded`,
 * `already_undone`, `not_undoable`, `replaces_others`, `changed_since`, `in_use` or `later_version`.
 */
export function undoDreamChange(dreamId: string, n: number) {
  return post<"undo_dream_change">(path`/v1/dreams/${dreamId}/changes/${String(n)}/undo`);
}

/**
 * Cancel a dream.
 *
 * Ends a queued or running dream without any change: it is `failed`, and its messages stay due. 409 for one that is
 * over.
 */
export function cancelDream(dreamId: string) {
  return post<"cancel_dream">(path`/v1/dreams/${dreamId}/cancel`);
}

/**
 * Summarize old memories.
 *
 * Replaces an agent's old, unimportant memories with one summary that has a line of each; a dry run returns the
 * candidates. No summary is made that saves less than a third of their tokens. Without a body, as a cron job sends it,
 * the memories of the key's agent older than 30 days are summarized, without a dry run.
 */
export function summarizeMemories(fields?: Body<"summarize_memories">) {
  return post<"summarize_memories">("/v1/summarize", { ...fields }, { agentIn: "body" });
}

/**
 * Undo a summary.
 *
 * Makes the memories that a summary of `POST /v1/summarize` replaced current again, and deletes the summary. 409 lists
 * the memories changed since.
 */
export function undoSummary(memoryId: string) {
  return post<"undo_summary">(path`/v1/summaries/${memoryId}/undo`);
}

/**
 * List proposals.
 *
 * Statements with a confidence below `dream.propose_below`, with the messages they come from, newest first. What a
 * memory says by now is left out.
 */
export function listInbox(query?: Query<"list_inbox">) {
  return list<"list_inbox">("/v1/inbox", query, { agentIn: "query" });
}

/**
 * Decide on several proposals.
 *
 * Decides alike on up to 100 proposals, all or none. 409 lists those already decided on.
 */
export function decideProposals(
  ids: string[],
  action: Body<"decide_proposals">["action"],
  fields?: Fields<"decide_proposals", "ids" | "action">,
) {
  return post<"decide_proposals">("/v1/inbox", { ids, action, ...fields });
}

/**
 * Read a proposal.
 *
 * A proposal of any status, with the messages it comes from.
 */
export function getProposal(proposalId: string) {
  return get<"get_proposal">(path`/v1/inbox/${proposalId}`);
}

/**
 * Decide on a proposal.
 *
 * Accepts, edits, rejects or reopens a proposal. Of two decisions at once one holds, and the other is a 409.
 */
export function decideProposal(
  proposalId: string,
  action: Body<"decide_proposal">["action"],
  fields?: Fields<"decide_proposal", "action">,
) {
  return post<"decide_proposal">(path`/v1/inbox/${proposalId}`, { action, ...fields });
}

/**
 * List tasks.
 *
 * Tasks in the order of their names. An agent key sees the tasks with its agent as a declared member.
 */
export function listTasks(query?: Query<"list_tasks">) {
  return list<"list_tasks">("/v1/tasks", query);
}

/** Get a task. */
export function getTask(task: string) {
  return get<"get_task">(path`/v1/tasks/${task}`);
}

/**
 * Declare the members of a task.
 *
 * The members are in effect on the next call. Admin keys only.
 */
export function putTask(task: string, members: string[] | null) {
  return put<"put_task">(path`/v1/tasks/${task}`, { members });
}

/**
 * Create a page.
 *
 * Answers the question at once, and again at each trigger. At most 100 pages per agent.
 */
export function createPage(question: string, fields?: Fields<"create_page", "question">) {
  return post<"create_page">("/v1/pages", { question, ...fields }, { agentIn: "body" });
}

/**
 * List pages.
 *
 * Pages with their answers, newest first.
 */
export function listPages(query?: Query<"list_pages">) {
  return list<"list_pages">("/v1/pages", query, { agentIn: "query" });
}

/**
 * Get a page.
 *
 * The newest answer, without sentences that do not hold any more.
 */
export function getPage(pageId: string) {
  return get<"get_page">(path`/v1/pages/${pageId}`);
}

/**
 * Update a page.
 *
 * Replaces question, scope, trigger and length, and answers the question at once.
 */
export function putPage(pageId: string, question: string, fields?: Fields<"put_page", "question">) {
  return put<"put_page">(path`/v1/pages/${pageId}`, { question, ...fields });
}

/**
 * Rewrite a page.
 *
 * Answers the question now. The newest version stays if nothing it is made of has changed.
 */
export function rewritePage(pageId: string) {
  return post<"rewrite_page">(path`/v1/pages/${pageId}`);
}

/**
 * Delete a page.
 *
 * Delete a page with all its versions.
 */
export function deletePage(pageId: string) {
  return remove<"delete_page">(path`/v1/pages/${pageId}`);
}

/**
 * List the versions of a page.
 *
 * The last 20 versions, newest first, each with the sentences added and removed.
 */
export function listPageVersions(pageId: string, query?: Query<"list_page_versions">) {
  return list<"list_page_versions">(path`/v1/pages/${pageId}/versions`, query);
}

/**
 * Save a search.
 *
 * A query with the memories that it must find, without a first run. At most 100 per agent.
 */
export function createSearch(name: string, expected: string[], fields?: Fields<"create_search", "name" | "expected">) {
  return post<"create_search">("/v1/searches", { name, expected, ...fields }, { agentIn: "body" });
}

/**
 * List saved searches.
 *
 * Saved searches with their newest recall, newest search first.
 */
export function listSearches(query?: Query<"list_searches">) {
  return list<"list_searches">("/v1/searches", query, { agentIn: "query" });
}

/**
 * Run all saved searches of an agent.
 *
 * Searches as the agent, without counting access, and stores a result for each.
 */
export function runSearches(fields?: Body<"run_searches">) {
  return post<"run_searches">("/v1/searches/run", { ...fields }, { agentIn: "body" });
}

/**
 * Get a saved search.
 *
 * The saved search with the present state of its expected memories.
 */
export function getSearch(searchId: string) {
  return get<"get_search">(path`/v1/searches/${searchId}`);
}

/**
 * Update a saved search.
 *
 * Replaces name, query, options, expected memories and k. Former results stay, under their revision.
 */
export function putSearch(
  searchId: string,
  name: string,
  expected: string[],
  fields?: Fields<"put_search", "name" | "expected">,
) {
  return put<"put_search">(path`/v1/searches/${searchId}`, { name, expected, ...fields });
}

/**
 * Delete a saved search.
 *
 * Delete a saved search with all its results.
 */
export function deleteSearch(searchId: string) {
  return remove<"delete_search">(path`/v1/searches/${searchId}`);
}

/**
 * Run a saved search.
 *
 * Searches as the agent, without counting access, and stores the result; an empty list with X-Reverie-No-Memory.
 */
export function runSearch(searchId: string, overrides?: Body<"run_search">["overrides"]) {
  return post<"run_search">(path`/v1/searches/${searchId}/run`, { overrides });
}

/**
 * List the results of a saved search.
 *
 * The last 200 results, newest first.
 */
export function listSearchResults(searchId: string, query?: Query<"list_search_results">) {
  return list<"list_search_results">(path`/v1/searches/${searchId}/results`, query);
}

/**
 * List entities.
 *
 * Entities visible to the caller. A cursor belongs to its order.
 */
export function listEntities(query?: Query<"list_entities">) {
  return list<"list_entities">("/v1/entities", query, { agentIn: "query" });
}

/** Get an entity. */
export function getEntity(entity: string, query?: Query<"get_entity">) {
  return get<"get_entity">(path`/v1/entities/${entity}`, { query, agentIn: "query" });
}

/**
 * Get the graph around an entity.
 *
 * Entities, edges and memories within `depth` steps of the entity; an entity of the same memories is one step away.
 */
export function getEntityGraph(entity: string, query?: Query<"get_entity_graph">) {
  return get<"get_entity_graph">(path`/v1/entities/${entity}/graph`, { query, agentIn: "query" });
}

/**
 * Get the graph of entities.
 *
 * Most mentioned entities, and pairs of them with memories in common.
 */
export function getGraph(query?: Query<"get_graph">) {
  return get<"get_graph">("/v1/graph", { query, agentIn: "query" });
}

/**
 * List the edges of a memory.
 *
 * Edges from and to the memory, and what they lead to.
 */
export function listMemoryLinks(memoryId: string) {
  return get<"list_memory_links">(path`/v1/memories/${memoryId}/links`);
}

/**
 * Update an entity.
 *
 * Omitted fields keep their value.
 */
export function updateEntity(entityId: string, changes: Body<"update_entity">) {
  return patch<"update_entity">(path`/v1/entities/${entityId}`, changes);
}

/**
 * Merge an entity into another.
 *
 * Returns the remaining entity.
 */
export function mergeEntity(entityId: string, into: string) {
  return post<"merge_entity">(path`/v1/entities/${entityId}/merge`, { into });
}

/** Undo the merge of an entity. */
export function unmergeEntity(entityId: string) {
  return post<"unmerge_entity">(path`/v1/entities/${entityId}/unmerge`);
}

/**
 * Split an entity.
 *
 * Moves memories to a new entity and returns it.
 */
export function splitEntity(entityId: string, memoryIds: string[], name: string) {
  return post<"split_entity">(path`/v1/entities/${entityId}/split`, { memory_ids: memoryIds, name });
}

/**
 * Create an edge.
 *
 * Answers 201 for a new edge, and 200 for an existing one.
 */
export function createEdge(edge: Body<"create_edge">) {
  return post<"create_edge">("/v1/edges", edge, { agentIn: "body" });
}

/** Delete an edge. */
export function deleteEdge(edgeId: string) {
  return remove<"delete_edge">(path`/v1/edges/${edgeId}`);
}

/**
 * Create an API key.
 *
 * The secret is returned only here. The key may do, cost and hold no more than that of the request, against whose
 * limits it counts too, and lives no longer; 403 names the field that exceeds it.
 */
export function createKey(
  role: Body<"create_key">["role"],
  name: string,
  fields?: Fields<"create_key", "role" | "name">,
) {
  return post<"create_key">("/v1/keys", { role, name, ...fields });
}

/**
 * List API keys.
 *
 * Keys without their secrets, newest first. Last use is written each second, to the minute.
 */
export function listKeys(query?: Query<"list_keys">) {
  return list<"list_keys">("/v1/keys", query);
}

/**
 * Get the key of this request.
 *
 * Workspace, role and agent of the key.
 */
export function getCaller() {
  return get<"get_caller">("/v1/whoami");
}

/**
 * Rotate the secret of an API key.
 *
 * The former secret is invalid at once. Scopes and expiry stay as they are. 403 for a key that exceeds that of the
 * request, 409 for that of an OAuth client.
 */
export function rotateKey(keyId: string) {
  return post<"rotate_key">(path`/v1/keys/${keyId}/rotate`);
}

/**
 * Change the limits of an API key.
 *
 * In effect at once. 403 for a key that exceeds that of the request, before or after the change.
 */
export function updateKey(keyId: string, limits: Body<"update_key">["limits"]) {
  return patch<"update_key">(path`/v1/keys/${keyId}`, { limits });
}

/**
 * Revoke an API key.
 *
 * The key is invalid at once, and the keys that it made or consented to; with that of a sign-in, all keys of whoever
 * signed in. 409 where no admin key would be left.
 */
export function revokeKey(keyId: string) {
  return remove<"revoke_key">(path`/v1/keys/${keyId}`);
}

/**
 * Get the workspace settings.
 *
 * With an admin key of the default workspace also `embedding` and `rerank` as in effect, and which environment
 * variables win (`locked_by`).
 */
export function getSettings() {
  return get<"get_settings">("/v1/settings");
}

/**
 * Update the workspace settings.
 *
 * Omitted sections and fields keep their value. In effect on the next call; `embedding` and `rerank` in all processes
 * within five seconds, after a trial of the model.
 */
export function updateSettings(settings: Body<"update_settings">) {
  return put<"update_settings">("/v1/settings", settings);
}

/**
 * List the workspace settings with their defaults.
 *
 * Every setting of the workspace by its dotted name, with its default and whether the workspace chose its value.
 */
export function listSettingSources() {
  return get<"list_setting_sources">("/v1/settings/sources");
}

/**
 * Reset workspace settings to their defaults.
 *
 * The settings after the reset. Admin keys only.
 */
export function resetSettings(names: string[]) {
  return post<"reset_settings">("/v1/settings/reset", { names });
}

/**
 * List the audit log.
 *
 * Administrative actions, and reads of other agents' data. Newest first. Admin keys only.
 */
export function listAuditEntries(query?: Query<"list_audit_entries">) {
  return list<"list_audit_entries">("/v1/audit", query);
}

/**
 * Get the model usage.
 *
 * Calls, tokens and cost by purpose, and requests, at most 10,000 rows each. Admin keys only.
 */
export function getUsage(query?: Query<"get_usage">) {
  return get<"get_usage">("/v1/usage", { query });
}

/**
 * Get figures by day.
 *
 * Memories, dreams and searches of at most 400 days, of an agent or, without one, of the workspace.
 */
export function getStats(query?: Query<"get_stats">) {
  return get<"get_stats">("/v1/stats", { query });
}

/**
 * List model calls.
 *
 * Attempts at language models with the beginnings of their texts, newest first, kept by the setting
 * `retention.model_calls_days`. Not those of embedders and of the proxy. Admin keys only.
 */
export function listModelCalls(query?: Query<"list_model_calls">) {
  return list<"list_model_calls">("/v1/model-calls", query);
}

/**
 * Read a model call.
 *
 * A call with its whole texts. Admin keys only.
 */
export function getModelCall(call: string) {
  return get<"get_model_call">(path`/v1/model-calls/${call}`);
}

/**
 * Create a workspace.
 *
 * With its first admin key. Admin keys of the default workspace only, as all of these.
 */
export function createWorkspace(name: string) {
  return post<"create_workspace">("/v1/workspaces", { name });
}

/**
 * List workspaces.
 *
 * Workspaces, newest first.
 */
export function listWorkspaces(query?: Query<"list_workspaces">) {
  return list<"list_workspaces">("/v1/workspaces", query);
}

/**
 * Rename, suspend, resume or limit a workspace.
 *
 * While it is suspended, requests with its keys answer 403 `Workspace suspended`, and workers leave it alone. Of the
 * default workspace only the limits can be changed (409).
 */
export function updateWorkspace(workspace: string, fields?: Body<"update_workspace">) {
  return patch<"update_workspace">(path`/v1/workspaces/${workspace}`, { ...fields });
}

/**
 * Count what this would take: delete a workspace.
 *
 * Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then send
 * the token of the answer; 409 if the counts have changed meanwhile.
 */
export function countWorkspace(workspace: string) {
  return remove<"delete_workspace">(path`/v1/workspaces/${workspace}`, { query: { dry_run: true } });
}

/**
 * Delete a workspace.
 *
 * Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then send
 * the token of the answer; 409 if the counts have changed meanwhile.
 */
export function deleteWorkspace(workspace: string, token: string) {
  return remove<"delete_workspace">(path`/v1/workspaces/${workspace}`, { query: { token } });
}

/**
 * List users.
 *
 * Users whom live memories visible to the caller are about, by name.
 */
export function listUsers(query?: Query<"list_users">) {
  return list<"list_users">("/v1/users", query, { agentIn: "query" });
}

/**
 * Get the profile of a user.
 *
 * What holds about a user by memories visible to the caller. Hearsay is left out. A user of whom nothing is known has
 * no fields.
 */
export function getProfile(user: string, query?: Query<"get_profile">) {
  return get<"get_profile">(path`/v1/users/${user}/profile`, { query, agentIn: "query" });
}

/**
 * Compare the profile of a user at two times.
 *
 * What changed in the profile by memories visible to the caller: values added, removed and changed, and values that
 * other memories say.
 */
export function diffProfile(
  user: string,
  since: Query<"diff_profile">["from"],
  query?: Pick<Query<"diff_profile">, "to" | "agent">,
) {
  return get<"diff_profile">(path`/v1/users/${user}/profile/diff`, {
    query: { from: since, ...query },
    agentIn: "query",
  });
}

/**
 * Purge a user.
 *
 * Irreversibly deletes all data about and from a user, and returns a receipt.
 */
export function purgeUser(user: string) {
  return post<"purge_user">(path`/v1/users/${user}/purge`);
}

/**
 * Export the data of a user.
 *
 * All data about and from the user (subject access request).
 */
export function exportUser(user: string) {
  return get<"export_user">(path`/v1/users/${user}/export`);
}

/**
 * List the models of the proxy.
 *
 * Models that may be called: those that `proxy.models` names, and those of the models' servers that it allows. In
 * Anthropic's shape for requests with `anthropic-version`, else in OpenAI's.
 */
export function listModels() {
  return get<"list_models">("/v1/models");
}

/**
 * Create a document.
 *
 * Text or Markdown, split into chunks, embedded and searchable.
 */
export function createDocument(title: string, text: string, fields?: Fields<"create_document", "title" | "text">) {
  return post<"create_document">("/v1/documents", { title, text, ...fields }, { agentIn: "body", userIn: "body" });
}

/**
 * List documents.
 *
 * Documents without their text, newest first.
 */
export function listDocuments(query?: Query<"list_documents">) {
  return list<"list_documents">("/v1/documents", query, { agentIn: "query" });
}

/** Get a document. */
export function getDocument(documentId: string) {
  return get<"get_document">(path`/v1/documents/${documentId}`);
}

/**
 * Delete a document.
 *
 * Deletes the document and its chunks permanently.
 */
export function deleteDocument(documentId: string) {
  return remove<"delete_document">(path`/v1/documents/${documentId}`);
}

/**
 * Get the state of the engine.
 *
 * Checked at the time of the request. Versions, sizes, hosts and error messages are null except for admin keys of the
 * default workspace. While the database does not answer, 503 lists the `checks` of `GET /readyz`, for any key.
 */
export function getEngine() {
  return get<"get_engine">("/v1/engine");
}

/**
 * List embedding providers.
 *
 * All values of EMBEDDING_MODEL and their availability for admin keys of the default workspace; for other keys only the
 * one in use.
 */
export function listEmbeddingProviders() {
  return get<"list_embedding_providers">("/v1/embedding-providers");
}

/**
 * Run an end-to-end test.
 *
 * Writes a memory, finds it by keyword and by vector, and deletes it.
 */
export function verifyEngine() {
  return post<"verify_engine">("/v1/verify");
}

/**
 * Start reindexing.
 *
 * The worker embeds all texts without a vector or, with `force`, all texts.
 */
export function startReindex(fields?: Body<"start_reindex">) {
  return post<"start_reindex">("/v1/reindex", { ...fields });
}

/** Get the progress of the last reindexing. */
export function getReindex() {
  return get<"get_reindex">("/v1/reindex");
}

/**
 * Scan stored records for secrets.
 *
 * The worker lists or, without `dry_run`, masks all stored secrets of the workspace, and personal data where `pii.mode`
 * masks it. One scan at a time. Admin keys only.
 */
export function startRescan(fields?: Body<"start_rescan">) {
  return post<"start_rescan">("/v1/rescan", { ...fields });
}

/**
 * Get the progress of the last scan for secrets.
 *
 * Progress and counts, without values. Admin keys only.
 */
export function getRescan() {
  return get<"get_rescan">("/v1/rescan");
}

/**
 * List the findings of the last scan for secrets.
 *
 * Fields with secrets found (dry run) or masked, without values. Admin keys only.
 */
export function listRescanFindings(query?: Query<"list_rescan_findings">) {
  return list<"list_rescan_findings">("/v1/rescan/findings", query);
}

/**
 * List dead letters.
 *
 * Texts excluded from processing after repeated worker crashes, newest first. Admin keys only.
 */
export function listDeadLetters(query?: Query<"list_dead_letters">) {
  return list<"list_dead_letters">("/v1/dead-letters", query);
}

/**
 * Retry a dead letter.
 *
 * One more attempt; a message is dreamed about exactly once. Admin keys only.
 */
export function retryDeadLetter(deadLetterId: string) {
  return post<"retry_dead_letter">(path`/v1/dead-letters/${deadLetterId}/retry`);
}

/**
 * Discard a dead letter.
 *
 * Excludes the text from processing permanently. A message stays in the history of its session. Admin keys only.
 */
export function discardDeadLetter(deadLetterId: string) {
  return remove<"discard_dead_letter">(path`/v1/dead-letters/${deadLetterId}`);
}

/**
 * Create a webhook.
 *
 * Events from now on are sent to the URL. The signing secret is returned only here. Admin keys only.
 */
export function createWebhook(webhook: Body<"create_webhook">) {
  return post<"create_webhook">("/v1/webhooks", webhook);
}

/**
 * List webhooks.
 *
 * Webhooks with the state of their delivery, newest first. Admin keys only.
 */
export function listWebhooks(query?: Query<"list_webhooks">) {
  return list<"list_webhooks">("/v1/webhooks", query);
}

/**
 * Update a webhook.
 *
 * Omitted fields keep their value. A change is in effect at once; an event in transit to the former URL is sent again.
 * A new signing secret is returned only here. Admin keys only.
 */
export function updateWebhook(webhookId: string, fields?: Body<"update_webhook">) {
  return patch<"update_webhook">(path`/v1/webhooks/${webhookId}`, { ...fields });
}

/**
 * Delete a webhook.
 *
 * Undelivered events are not sent any more. Admin keys only.
 */
export function deleteWebhook(webhookId: string) {
  return remove<"delete_webhook">(path`/v1/webhooks/${webhookId}`);
}

/**
 * Test a webhook.
 *
 * Sends one signed event of type `ping` now, also to a disabled webhook, without retry. The state of the webhook does
 * not change. Admin keys only.
 */
export function testWebhook(webhookId: string) {
  return post<"test_webhook">(path`/v1/webhooks/${webhookId}/test`);
}

/**
 * Enable a disabled webhook.
 *
 * Delivery resumes at once with the first undelivered event. Admin keys only.
 */
export function enableWebhook(webhookId: string) {
  return post<"enable_webhook">(path`/v1/webhooks/${webhookId}/enable`);
}

/** Check the liveness of the process. */
export function checkLiveness() {
  return get<"check_liveness">("/healthz");
}

/**
 * Check the readiness of the service.
 *
 * 503 without a database, or with a schema of another release. `degraded` lists the other failing parts.
 */
export function checkReadiness() {
  return get<"check_readiness">("/readyz");
}
