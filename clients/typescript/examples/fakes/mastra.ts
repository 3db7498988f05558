/** A model for the example of Mastra, which answers of its prompt alone. */

import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { answer } from "./answer.js";

type Call = Parameters<MastraLanguageModelV2Mock["doStream"]>[0];
const END = { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, finishReason: "stop" } as const;

export const model = new MastraLanguageModelV2Mock({
  doGenerate: async (call) => ({ content: [{ type: "text", text: said(call) }], warnings: [], ...END }),
  doStream: async (call) => ({
    stream: new ReadableStream({
      start(stream) {
        stream.enqueue({ type: "text-start", id: "1" });
        stream.enqueue({ type: "text-delta", id: "1", delta: said(call) });
        stream.enqueue({ type: "text-end", id: "1" });
        stream.enqueue({ type: "finish", ...END });
        stream.close();
      },
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
