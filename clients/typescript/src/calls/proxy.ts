/** The proxy: models of others, with memory, in the wire formats of their vendors. */

import type { Call } from "../call.js";
import type { Headers } from "../types.js";

/** A request, or an answer, in the wire format of a vendor. */
export type WireFormat = Record<string, unknown>;

/** A chat completion with memory (the shape of OpenAI's Chat Completions); `createChatCompletionStream` gives it as it comes. */
export function createChatCompletion(
  request: WireFormat,
  headers?: Headers<"create_chat_completion">,
): Call<WireFormat> {
  const body = { ...request, stream: false };
  return { method: "POST", path: "/v1/chat/completions", body, headers, agentIn: "header", userIn: "header" };
}

/** A response with memory (the shape of OpenAI's Responses); `createResponseStream` gives it as it comes. */
export function createResponse(request: WireFormat, headers?: Headers<"create_response">): Call<WireFormat> {
  return {
    method: "POST",
    path: "/v1/responses",
    body: { ...request, stream: false },
    headers,
    agentIn: "header",
    userIn: "header",
  };
}

/** A message with memory (the shape of Anthropic's Messages); `createMessageStream` gives it as it comes. */
export function createMessage(request: WireFormat, headers?: Headers<"create_message">): Call<WireFormat> {
  return {
    method: "POST",
    path: "/v1/messages",
    body: { ...request, stream: false },
    headers,
    agentIn: "header",
    userIn: "header",
  };
}

/** How many tokens a request for a message has, without what memory adds (Anthropic's shape). */
export function countMessageTokens(request: WireFormat): Call<WireFormat> {
  return { method: "POST", path: "/v1/messages/count_tokens", body: request, onlyReads: true };
}
