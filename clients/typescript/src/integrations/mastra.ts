/** Mastra: a processor that recalls before an agent's model is called and remembers after it, and tools. */

import { parseMemoryRequestContext } from "@mastra/core/memory";
import type { ProcessInputArgs, ProcessInputResult, ProcessOutputResultArgs, Processor } from "@mastra/core/processors";
import { createTool, type Tool } from "@mastra/core/tools";
import type { AgentMemory } from "../agent-memory.js";
import { textOf } from "../text.js";

type Context = ProcessInputArgs["requestContext"];
type Messages = ProcessInputArgs["messages"];

/**
 * Goes among both the `inputProcessors` and the `outputProcessors` of an agent. The thread of a run is the conversation
 * and its resource the user, where a run names them in `memory`; else they are those of the `AgentMemory`.
 *
 * A run that fails leaves nothing. Where Reverie fails, the agent goes on without it, and a warning says so.
 */
export class ReverieProcessor implements Processor<"reverie"> {
  readonly id = "reverie";

  constructor(private readonly memory: AgentMemory) {}

  /** Add what is known that bears on the user's message to the instructions. */
  async processInput({ messages, systemMessages, requestContext }: ProcessInputArgs): Promise<ProcessInputResult> {
    const known = await meant(this.memory, requestContext).recall(askedIn(messages));
    if (known) systemMessages = [...systemMessages, { role: "system", content: known }];
    return { messages, systemMessages };
  }

  /** Remember what the user said and the text of the answer. */
  async processOutputResult(args: ProcessOutputResultArgs): Promise<Messages> {
    const { messages, messageList, result, requestContext } = args;
    await meant(this.memory, requestContext).remember([
      { role: "user", content: askedIn(messageList.get.input.db()) },
      { role: "assistant", content: result.text },
    ]);
    return messages;
  }
}

/** Tools with which an agent saves and searches by itself, for the user of its run: `save_memory` and `search_memory`. */
export function memoryTools(memory: AgentMemory): Record<string, Tool<unknown, unknown>> {
  return Object.fromEntries(
    memory.tools().map(({ name, description, argument, about }, index) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: {
          type: "object",
          properties: { [argument]: { type: "string", description: about } },
          required: [argument],
          additionalProperties: false,
        },
        execute: async (input, context) =>
          meant(memory, context?.requestContext)
            .tools()
            [index]?.run(`${(input as Record<string, unknown>)[argument]}`),
      }),
    ]),
  );
}

/** The conversation of a run. */
function meant(memory: AgentMemory, context: Context): AgentMemory {
  const { thread, resourceId } = parseMemoryRequestContext(context) ?? {};
  return thread || resourceId ? memory.inSession(thread?.id ?? memory.session, resourceId) : memory;
}

/** What the last message of the user says. */
function askedIn(messages: Messages): string {
  const asked = [...messages].reverse().find(({ role }) => role === "user");
  return textOf(asked?.content.parts.filter(({ type }) => type === "text"));
}
