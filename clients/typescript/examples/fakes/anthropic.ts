/** A client of Anthropic for the example of the memory tool, whose model writes a file and answers of what it reads. */

import Anthropic from "@anthropic-ai/sdk";
import { answer } from "./answer.js";

const PATH = "/memories/ana.md";
let asked = "";

export const client = new Anthropic({
  apiKey: "none",
  fetch: async (_, init) => {
    const { messages } = JSON.parse(`${init?.body}`) as { messages: { content: string | { content?: string }[] }[] };
    const last = messages.at(-1)?.content ?? "";
    if (typeof last !== "string") return message({ type: "text", text: answer(read(`${last[0]?.content}`), asked) });
    asked = last;
    return message({ type: "tool_use", id: "1", name: "memory", input: command() });
  },
});

function command() {
  if (asked.endsWith("?")) return { command: "view", path: PATH };
  return { command: "create", path: PATH, file_text: asked };
}

/** What a tool answered, without the numbers of its lines. */
function read(result: string): string {
  return result.replaceAll(/^ *\d+\t/gm, "");
}

function message(block: { type: "text"; text: string } | { type: "tool_use"; [field: string]: unknown }): Response {
  const reason = block.type === "text" ? "end_turn" : "tool_use";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const fields = { id: "1", type: "message", role: "assistant", model: "none", usage };
  return Response.json({ ...fields, content: [block], stop_reason: reason });
}
