/** A model for the example of the OpenAI Agents SDK, which answers of its prompt alone. */

import { type Model, type ModelRequest, type ModelResponse, Usage } from "@openai/agents";
import { answer } from "./answer.js";

export const model: Model = {
  getResponse: async (request) => response(said(request)),
  getStreamedResponse() {
    throw new Error("this model does not stream");
  },
};

function said({ systemInstructions, input }: ModelRequest): string {
  const items = typeof input === "string" ? [{ content: input }] : input;
  const texts = items.map((item) => ("content" in item ? textOf(item.content) : ""));
  return answer([systemInstructions ?? "", ...texts].join("\n"), texts.at(-1) ?? "");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text }) => text ?? "").join("\n");
}

function response(text: string): ModelResponse {
  const content = [{ type: "output_text", text } as const];
  return { usage: new Usage(), output: [{ type: "message", role: "assistant", status: "completed", content }] };
}
