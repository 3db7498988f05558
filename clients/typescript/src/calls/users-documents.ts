/** People and documents. */

import { get, list, path, post, remove } from "../call.js";
import type { Fields, Query } from "../types.js";

/** Whom memories are about, by name. */
export function listUsers(query?: Query<"list_users">) {
  return list<"list_users">("/v1/users", query, { agentIn: "query" });
}

/** What holds about a person, now or at a moment in the past. */
export function profile(user: string, query?: Query<"get_profile">) {
  return get<"get_profile">(path`/v1/users/${user}/profile`, { query, agentIn: "query" });
}

/** What changed in what holds about a person between two moments, the later of them now by default. */
export function profileDiff(user: string, since: string, query?: Omit<Query<"diff_profile">, "from">) {
  return get<"diff_profile">(path`/v1/users/${user}/profile/diff`, {
    query: { from: since, ...query },
    agentIn: "query",
  });
}

/** Forget a person for good; the answer is the receipt. */
export function purgeUser(user: string) {
  return post<"purge_user">(path`/v1/users/${user}/purge`);
}

/** All that is held about a person. */
export function exportUser(user: string) {
  return get<"export_user">(path`/v1/users/${user}/export`);
}

/** Take a document in: cut into parts, embedded, searchable. */
export function addDocument(title: string, text: string, fields?: Fields<"create_document", "title" | "text">) {
  return post<"create_document">("/v1/documents", { title, text, ...fields }, { agentIn: "body" });
}

/** Documents without their text, newest first. */
export function listDocuments(query?: Query<"list_documents">) {
  return list<"list_documents">("/v1/documents", query, { agentIn: "query" });
}

/** One document. */
export function getDocument(documentId: string) {
  return get<"get_document">(path`/v1/documents/${documentId}`);
}

/** Remove a document. */
export function deleteDocument(documentId: string) {
  return remove<"delete_document">(path`/v1/documents/${documentId}`);
}
