/** The Vercel AI SDK: a middleware that recalls before the model is called and remembers after it, and tools. */

import { jsonSchema, type LanguageModelMiddleware, type Tool, tool } from "ai";
import type { AgentMemory } from "../agent-memory.js";
import { textOf } from "../text.js";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Generated = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;
type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = Streamed["stream"] extends ReadableStream<infer Part> ? Part : never;

export interface MiddlewareOptions {
  /**
   * Takes what is still to be sent when an answer is there, such as `waitUntil` of a serverless platform. Without it an
   * answer ends when its turns are stored.
   */
  waitUntil?: (sent: Promise<unknown>) => void;
}

/**
 * Memory for any model. A call may name another conversation in `providerOptions.reverie`: `{ session, user }`.
 *
 * The user's turn and the text of the answer are remembered; a call that fails, and a stream that breaks off, leave
 * nothing. Where Reverie fails, the model is called as without it, and a warning says so.
 */
export function reverieMiddleware(memory: AgentMemory, { waitUntil }: MiddlewareOptions = {}): LanguageModelMiddleware {
  async function remember(params: Params, answer: string): Promise<void> {
    const last = params.prompt.at(-1);
    const asked = last?.role === "user" ? textOf(last.content) : "";
    const sent = meant(memory, params).remember([
      { role: "user", content: asked },
      { role: "assistant", content: answer },
    ]);
    if (waitUntil) waitUntil(sent);
    else await sent;
  }

  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const asked = [...params.prompt].reverse().find(({ role }) => role === "user");
      const known = await meant(memory, params).recall(textOf(asked?.content));
      return known ? { ...params, prompt: informed(params.prompt, known) } : params;
    },
    async wrapGenerate({ doGenerate, params }): Promise<Generated> {
      const generated = await doGenerate();
      await remember(params, textOf(generated.content.filter(({ type }) => type === "text")));
      return generated;
    },
    async wrapStream({ doStream, params }): Promise<Streamed> {
      const { stream, ...rest } = await doStream();
      let answer = "";
      const kept = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          if (part.type === "text-delta") answer += part.delta;
          controller.enqueue(part);
        },
        flush: () => remember(params, answer),
      });
      return { stream: stream.pipeThrough(kept), ...rest };
    },
  };
}

/** Tools with which a model saves and searches by itself: `save_memory` and `search_memory`. */
export function memoryTools(memory: AgentMemory): Record<string, Tool<Record<string, string>, string>> {
  return Object.fromEntries(
    memory.tools().map(({ name, description, argument, about, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, string>>({
          type: "object",
          properties: { [argument]: { type: "string", description: about } },
          required: [argument],
          additionalProperties: false,
        }),
        execute: (input) => run(`${input[argument]}`),
      }),
    ]),
  );
}

/** The conversation of a call. */
function meant(memory: AgentMemory, { providerOptions }: Params): AgentMemory {
  const { session, user } = { ...providerOptions?.reverie } as { session?: string; user?: string };
  return session || user ? memory.inSession(session ?? memory.session, user) : memory;
}

/** A prompt with what is known after its instructions. */
function informed(prompt: Params["prompt"], known: string): Params["prompt"] {
  const instructions = prompt.findIndex(({ role }) => role !== "system");
  return [...prompt.slice(0, instructions), { role: "system", content: known }, ...prompt.slice(instructions)];
}
