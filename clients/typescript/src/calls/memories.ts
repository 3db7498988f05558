/** Memories: save, find, change, delete. */

import { get, list, patch, path, post, remove } from "../call.js";
import type { Body, Fields, MemoryDraft, MemoryType, PreviewOptions, Query, SearchOptions } from "../types.js";

/** Save a memory; one that repeats another reinforces it, one with a known `key` updates it. */
export function saveMemory(type: MemoryType, content: string, fields?: Fields<"save_memory", "type" | "content">) {
  return post<"save_memory">("/v1/memories", { type, content, ...fields }, { agentIn: "body" });
}

/** Save up to 1,000 memories, all or none. Each names its agent, unless the key does. */
export function saveMemories(items: MemoryDraft[]) {
  return post<"save_memories">("/v1/memories/batch", { items });
}

/** Delete, restore, pin or tag up to 500 memories, given by ids or by a filter: what became of each. */
export function changeMemories(
  chosen: string[] | Pick<Body<"change_memories">, "filter">,
  action: Body<"change_memories">["action"],
  tags?: string[],
) {
  const memories = Array.isArray(chosen) ? { ids: chosen } : chosen;
  return post<"change_memories">("/v1/memories/bulk", { ...memories, action, tags });
}

/** Memories, newest first unless `sort` says otherwise. */
export function listMemories(query?: Omit<Query<"list_memories">, "where"> & { where?: Record<string, unknown> }) {
  const { where, ...rest } = query ?? {};
  const filter = where === undefined ? {} : { where: JSON.stringify(where) };
  return list<"list_memories">("/v1/memories", { ...rest, ...filter }, { agentIn: "query" });
}

/** How many memories may be seen, of which types, and what of them. */
export function memoryStats(query?: Query<"get_memory_stats">) {
  return get<"get_memory_stats">("/v1/memories/stats", { query, agentIn: "query" });
}

/** One memory. */
export function getMemory(memoryId: string, query?: Query<"get_memory">) {
  return get<"get_memory">(path`/v1/memories/${memoryId}`, { query });
}

/** Change a memory as last seen at `version`. Rejects with Conflict when it has changed since. */
export function changeMemory(memoryId: string, version: number, changes?: Fields<"update_memory", "version">) {
  return patch<"update_memory">(path`/v1/memories/${memoryId}`, { version, ...changes });
}

/** Delete a memory; it can be restored for a while. */
export function deleteMemory(memoryId: string) {
  return remove<"delete_memory">(path`/v1/memories/${memoryId}`);
}

/** Count what a filter matches (the answer has a `token`); with that token, delete these memories. */
export function deleteMemories(filter: Body<"delete_memories">["filter"], token?: string) {
  return post<"delete_memories">(
    "/v1/memories/delete",
    token === undefined ? { filter, dry_run: true } : { filter, token },
  );
}

/** Bring a deleted memory back. */
export function restoreMemory(memoryId: string) {
  return post<"restore_memory">(path`/v1/memories/${memoryId}/restore`);
}

/** Every version of a memory, oldest first. */
export function memoryHistory(memoryId: string) {
  return get<"list_memory_history">(path`/v1/memories/${memoryId}/history`);
}

/** The messages a memory was made of. */
export function memorySources(memoryId: string) {
  return get<"list_memory_sources">(path`/v1/memories/${memoryId}/sources`);
}

/** The edges of a memory, and the entities and memories at their other ends. */
export function memoryLinks(memoryId: string) {
  return get<"list_memory_links">(path`/v1/memories/${memoryId}/links`);
}

/** Memories found by words, meaning or both, best first. */
export function search(query: string, options?: SearchOptions) {
  const sent = { agentIn: "body", onlyReads: true } as const;
  return post<"search_memories">("/v1/memories/search", { query, ...options }, sent);
}

/** As `search`, explained, and nothing is counted. */
export function preview(query: string, options?: PreviewOptions) {
  const sent = { agentIn: "body", onlyReads: true } as const;
  return post<"preview_search">("/v1/memories/search/preview", { query, ...options }, sent);
}

/** Say whether a memory was of use. */
export function feedback(memoryId: string, useful: boolean) {
  return post<"rate_memory">(path`/v1/memories/${memoryId}/feedback`, { useful });
}

/** Fold old memories of little importance into one, by age or until all fit `tokens_max`; a dry run names them only. */
export function summarize(fields?: Body<"summarize_memories">) {
  return post<"summarize_memories">("/v1/summarize", { ...fields }, { agentIn: "body" });
}

/** Delete a summary, and make the memories that it replaced current again. */
export function undoSummary(memoryId: string) {
  return post<"undo_summary">(path`/v1/summaries/${memoryId}/undo`);
}
