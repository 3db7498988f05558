/** The calls with a logic of their own. */

import { post } from "../call.js";
import type { Body, Fields, MessageDraft } from "../types.js";

/** Delete, restore, pin or tag up to 500 memories, given by ids or by a filter: what became of each. */
export function changeMemories(
  chosen: string[] | Pick<Body<"change_memories">, "filter">,
  action: Body<"change_memories">["action"],
  tags?: string[],
) {
  const memories = Array.isArray(chosen) ? { ids: chosen } : chosen;
  return post<"change_memories">("/v1/memories/bulk", { ...memories, action, tags });
}

/** Count what a filter matches (the answer has a `token`); with that token, delete these memories. */
export function deleteMemories(filter: Body<"delete_memories">["filter"], token?: string) {
  return post<"delete_memories">(
    "/v1/memories/delete",
    token === undefined ? { filter, dry_run: true } : { filter, token },
  );
}

/** What a dream would make of a text or of messages, or the `prompts` for it; nothing is stored. */
export function extractMemories(
  said: string | MessageDraft[],
  fields?: Fields<"extract_memories", "text" | "messages">,
) {
  const source = typeof said === "string" ? { text: said } : { messages: said };
  return post<"extract_memories">(
    "/v1/extract",
    { ...source, ...fields },
    { agentIn: "body", userIn: "body", onlyReads: true },
  );
}
