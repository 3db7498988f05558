/** A model for the example of the Vercel AI SDK, which answers of its prompt alone. */

import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { answer } from "./answer.js";

type Call = Parameters<MockLanguageModelV3["doGenerate"]>[0];
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const END = { usage: USAGE, finishReason: { unified: "stop", raw: "stop" } } as const;

export const model = new MockLanguageModelV3({
  doGenerate: async (call) => ({ content: [{ type: "text", text: said(call) }], warnings: [], ...END }),
  doStream: async (call) => ({
    stream: simulateReadableStream({
      chunks: [
        { type: "text-start", id: "1" },
        ...said(call)
          .split(/(?<= )/)
          .map((delta) => ({ type: "text-delta", id: "1", delta }) as const),
        { type: "text-end", id: "1" },
        { type: "finish", ...END },
      ],
    }),
  }),
});

function said({ prompt }: Call): string {
  const texts = prompt.map(({ content }) =>
    typeof content === "string"
      ? content
      : content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"),
  );
  return answer(texts.join("\n"), texts.at(-1) ?? "");
}
