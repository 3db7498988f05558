/** Conversations, and what goes to a model. */

import { get, list, path, post, remove } from "../call.js";
import type { Body, ContextOptions, Fields, MessageDraft, Query } from "../types.js";

/** Start a session; without a name it gets a fresh UUID. */
export function startSession(fields?: Body<"start_session">) {
  return post<"start_session">("/v1/sessions", { ...fields }, { agentIn: "body" });
}

/** Sessions, newest first. */
export function listSessions(query?: Query<"list_sessions">) {
  return list<"list_sessions">("/v1/sessions", query, { agentIn: "query" });
}

/** One session. */
export function getSession(session: string, query?: Query<"get_session">) {
  return get<"get_session">(path`/v1/sessions/${session}`, { query, agentIn: "query" });
}

/** Append turns to a session, made on first use; not `searchable`, they are neither embedded nor found. */
export function appendMessages(
  session: string,
  messages: MessageDraft[],
  fields?: Fields<"append_messages", "messages">,
) {
  const body = { messages, ...fields };
  return post<"append_messages">(path`/v1/sessions/${session}/messages`, body, { agentIn: "body" });
}

/** The permanent history of a session. */
export function listMessages(session: string, query?: Query<"list_messages">) {
  return list<"list_messages">(path`/v1/sessions/${session}/messages`, query, { agentIn: "query" });
}

/** The turns of a session that still go to the model verbatim. */
export function window(session: string, query?: Query<"get_window">) {
  return get<"get_window">(path`/v1/sessions/${session}/window`, { query, agentIn: "query" });
}

/** Clear the window only. */
export function clearWindow(session: string, query?: Query<"clear_window">) {
  return remove<"clear_window">(path`/v1/sessions/${session}/window`, { query, agentIn: "query" });
}

/** Fold the older half of a window into a summary. */
export function compact(session: string, query?: Query<"compact_window">) {
  return post<"compact_window">(path`/v1/sessions/${session}/compact`, undefined, { query, agentIn: "query" });
}

/** The memories made of a message. */
export function messageMemories(messageId: string) {
  return get<"list_message_memories">(path`/v1/messages/${messageId}/memories`);
}

/** What goes to a model on this turn. */
export function context(message: string, options?: ContextOptions) {
  const sent = { agentIn: "body", onlyReads: true } as const;
  return post<"build_context">("/v1/context", { message, ...options }, sent);
}

/**
 * An answer from memory, with the memories it rests on; with a `response_schema`, as `data` too. `askStream` gives the
 * memories before the answer is there.
 */
export function ask(question: string, fields?: Fields<"ask_memory", "question" | "stream">) {
  return post<"ask_memory">("/v1/ask", { question, ...fields }, { agentIn: "body" });
}

/** What a dream would make of a text or of messages, or the `prompts` for it; nothing is stored. */
export function extract(said: string | MessageDraft[], fields?: Fields<"extract_memories", "text" | "messages">) {
  const source = typeof said === "string" ? { text: said } : { messages: said };
  return post<"extract_memories">("/v1/extract", { ...source, ...fields }, { agentIn: "body", onlyReads: true });
}
