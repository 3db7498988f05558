/** What the tests of the entry points for frameworks share. */

import { AgentMemory, type AgentMemoryOptions, Reverie } from "@reverie/client";

export const NOWHERE = "http://127.0.0.1:9";

/** A memory in a conversation that nobody else uses, and the warnings it gives. */
export function remembering(options: AgentMemoryOptions = {}) {
  const warnings: string[] = [];
  const agent = `agent-${crypto.randomUUID()}`;
  const memory = new AgentMemory({ agent, user: "ana", warn: (said) => warnings.push(said), ...options });
  return { memory, warnings };
}

/** The texts of a conversation, oldest first, as the server has them. */
export async function turnsOf({ agent, session }: AgentMemory): Promise<unknown[]> {
  const turns: unknown[] = [];
  for await (const { role, content } of new Reverie({ agent }).listMessages(session)) turns.push([role, content]);
  return turns;
}

/** `fetch` whose first answers to requests for this path are lost on the way: the server has done what they ask. */
export function losing(path: string, times: number): typeof fetch {
  let lost = 0;
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!`${input}`.endsWith(path) || lost === times) return answer;
    lost += 1;
    throw new TypeError("the connection broke");
  };
}
