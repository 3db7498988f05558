/** Pages: standing questions, and the versions of their answers. */

import { get, list, path, post, put, remove } from "../call.js";
import type { Fields, Query } from "../types.js";

/** Ask a question for good: it is answered now, and again at each `trigger`. */
export function createPage(question: string, fields?: Fields<"create_page", "question">) {
  return post<"create_page">("/v1/pages", { question, ...fields }, { agentIn: "body" });
}

/** Pages with their answers, newest first. */
export function listPages(query?: Query<"list_pages">) {
  return list<"list_pages">("/v1/pages", query, { agentIn: "query" });
}

/** One page, without the sentences that do not hold any more. */
export function getPage(pageId: string) {
  return get<"get_page">(path`/v1/pages/${pageId}`);
}

/** Replace question, scope, trigger and length; the question is answered at once. */
export function putPage(pageId: string, question: string, fields?: Fields<"put_page", "question">) {
  return put<"put_page">(path`/v1/pages/${pageId}`, { question, ...fields });
}

/** Answer the question now. */
export function rewritePage(pageId: string) {
  return post<"rewrite_page">(path`/v1/pages/${pageId}`);
}

/** Remove a page with its versions. */
export function deletePage(pageId: string) {
  return remove<"delete_page">(path`/v1/pages/${pageId}`);
}

/** The versions of a page, newest first, each compared with the one before or with the one of that number. */
export function listPageVersions(pageId: string, query?: Query<"list_page_versions">) {
  return list<"list_page_versions">(path`/v1/pages/${pageId}/versions`, query);
}
