/**
 * The OpenAI Agents SDK: a session whose history is in Reverie, what all other sessions taught, and tools.
 *
 * Items are messages of the conversation, so dreams make memories of them and searches find them. Messages are permanent:
 * `popItem` and `clearSession` note that what is before them is not given to the model again.
 */

import { type AgentInputItem, type CallModelInputFilter, type FunctionTool, type Session, tool } from "@openai/agents";
import type { AgentMemory } from "../agent-memory.js";
import { textOf } from "../text.js";
import type { MessageDraft, MessageRecord } from "../types.js";

/** The field of a content part that keeps what else its item has, and of a note. */
const OWN = "openai_agents";
const POPPED = "popped";
const CLEARED = "cleared";
const ROLES = ["user", "assistant", "system"];

interface Part {
  [OWN]?: Record<string, unknown> & { as_text?: boolean };
  [field: string]: unknown;
}

/** The session of an `AgentMemory`. Its methods never reject for a server that fails: they warn. */
export class ReverieSession implements Session {
  constructor(private readonly memory: AgentMemory) {}

  /** `callModelInputFilter` of a run: adds what is known that bears on the user's message to the instructions. */
  readonly recall: CallModelInputFilter = async ({ modelData }) => {
    const said = [...modelData.input].reverse().find((item) => "role" in item && item.role === "user");
    const known = said && "content" in said ? await this.memory.recall(textOf(said.content)) : "";
    const instructions = [modelData.instructions, known].filter(Boolean).join("\n\n") || undefined;
    return { ...modelData, instructions };
  };

  async getSessionId(): Promise<string> {
    return this.memory.session;
  }

  /** The last items, oldest first; all of them without a limit. */
  async getItems(limit = Number.POSITIVE_INFINITY): Promise<AgentInputItem[]> {
    return (await this.memory.attempt("read", () => this.#items(limit))) ?? [];
  }

  /** Append items to the history. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.memory.remember(items.map(turnOf));
  }

  /** Take the last item back, and return it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const [last] = await this.getItems(1);
    if (last) await this.#note(POPPED);
    return last;
  }

  /** Start a new history. */
  async clearSession(): Promise<void> {
    await this.#note(CLEARED);
  }

  async #note(what: string): Promise<void> {
    await this.memory.remember([{ role: "system", content: { [OWN]: what } }]);
  }

  async #items(limit: number): Promise<AgentInputItem[]> {
    const found: AgentInputItem[] = [];
    let popped = 0;
    for await (const record of this.memory.newestFirst()) {
      const note = (record.content as { [OWN]?: unknown })[OWN];
      if (note === CLEARED || found.length >= limit) break;
      if (note === POPPED) popped += 1;
      else if (popped) popped -= 1;
      else found.push(itemOf(record));
    }
    return found.reverse();
  }
}

/** Tools with which an agent saves and searches by itself: `save_memory` and `search_memory`. */
export function memoryTools(memory: AgentMemory): FunctionTool[] {
  return memory.tools().map(({ name, description, argument, about, run }) =>
    tool({
      name,
      description,
      parameters: {
        type: "object",
        properties: { [argument]: { type: "string", description: about } },
        required: [argument],
        additionalProperties: false,
      },
      execute: (input) => run(`${(input as Record<string, unknown>)[argument]}`),
    }),
  );
}

/** An item as a message: its text or its parts, so that dreams read them, where it has some. */
function turnOf(item: AgentInputItem): MessageDraft {
  const { role, content, ...rest } = item as { role?: string; content?: string | Part[]; type?: string };
  if (!role || !ROLES.includes(role) || !content?.length) {
    return { role: /_(result|output)$/.test(rest.type ?? "") ? "tool" : "assistant", content: item };
  }
  const as = role as MessageDraft["role"];
  if (!Object.keys(rest).length) return { role: as, content };
  const isText = typeof content === "string";
  const [first, ...others] = isText ? [{ type: "text", text: content }] : content;
  return { role: as, content: [{ ...first, [OWN]: isText ? { ...rest, as_text: true } : rest }, ...others] };
}

/** The item of a message. */
function itemOf({ role, content }: MessageRecord): AgentInputItem {
  if (typeof content === "string") return { role, content } as AgentInputItem;
  if (!Array.isArray(content)) return content as AgentInputItem;
  const [{ [OWN]: kept, ...first }, ...others] = content as [Part, ...Part[]];
  const { as_text: isText, ...rest } = { ...kept };
  return { role, content: isText ? first.text : [first, ...others], ...rest } as AgentInputItem;
}
