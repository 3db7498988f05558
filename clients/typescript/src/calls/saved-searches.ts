/** Saved searches: queries with the memories that they must find, run as tests. */

import { get, list, path, post, put, remove } from "../call.js";
import type { Body, Fields, Query } from "../types.js";

type Overrides = Body<"run_search">["overrides"];

/** Save a search: its query and options, and the ids of the memories that must be among its first `k` results. */
export function createSearch(name: string, expected: string[], fields?: Fields<"create_search", "name" | "expected">) {
  return post<"create_search">("/v1/searches", { name, expected, ...fields }, { agentIn: "body" });
}

/** Saved searches with their newest recall, newest search first. */
export function listSearches(query?: Query<"list_searches">) {
  return list<"list_searches">("/v1/searches", query, { agentIn: "query" });
}

/** One saved search, with what became of its expected memories. */
export function getSearch(searchId: string) {
  return get<"get_search">(path`/v1/searches/${searchId}`);
}

/** Replace name, query, options, expected memories and k. */
export function putSearch(
  searchId: string,
  name: string,
  expected: string[],
  fields?: Fields<"put_search", "name" | "expected">,
) {
  return put<"put_search">(path`/v1/searches/${searchId}`, { name, expected, ...fields });
}

/** Remove a saved search with its results. */
export function deleteSearch(searchId: string) {
  return remove<"delete_search">(path`/v1/searches/${searchId}`);
}

/** Run a saved search, with `overrides` in place of its own options, and store the result. */
export function runSearch(searchId: string, overrides?: Overrides) {
  return post<"run_search">(path`/v1/searches/${searchId}/run`, { overrides });
}

/** Run all saved searches of an agent and store their results. */
export function runSearches(fields?: Fields<"run_searches">) {
  return post<"run_searches">("/v1/searches/run", { ...fields }, { agentIn: "body" });
}

/** The results of a saved search, newest first. */
export function listSearchResults(searchId: string, query?: Query<"list_search_results">) {
  return list<"list_search_results">(path`/v1/searches/${searchId}/results`, query);
}
