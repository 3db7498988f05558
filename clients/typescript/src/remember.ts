/**
 * `remember`: a client of OpenAI or Anthropic whose calls have a memory.
 *
 * Before a call, what is known that bears on the last message of the user joins the system's text. After it, what was
 * new in the call and what the model answered are kept. Whatever fails, or takes too long, is said in a warning, and the
 * call goes on without memory.
 */

import { AgentMemory, type AgentMemoryOptions } from "./agent-memory.js";
import { textOf } from "./text.js";
import type { MessageDraft } from "./types.js";

export interface RememberOptions extends AgentMemoryOptions {
  /** How long a call waits at most to recall, and as long to keep, in milliseconds. Default 2,000. */
  deadlineMs?: number;
}

type Json = Record<string, unknown>;

/** A wire format: what a call says, how a block joins it, and what an answer, or a part of a streamed one, says. */
interface Form {
  turns(body: Json): MessageDraft[];
  withKnown(body: Json, known: string): Json;
  read(answer: Json): Said;
  take(said: Said, part: Json): Said;
}

/** What a model has answered: its text, and the tools that it calls. */
interface Said {
  text: string;
  calls: Map<unknown, ToolCall>;
}

interface ToolCall {
  id: unknown;
  type: "function";
  function: { name: unknown; arguments: string };
}

const DEADLINE_MS = 2_000;

/**
 * The client with a memory, over the same connections: `chat.completions.create`, `responses.create` and
 * `messages.create` recall before and keep after, whole or as streams, and give a promise of the answer. Everything else
 * is as it was. Throws TypeError for a client with none of these methods.
 */
export function remember<Client extends object>(client: Client, options: RememberOptions = {}): Client {
  const found = Object.keys(FORMS).some((path) => {
    const place = path.split(".").reduce<unknown>((at, name) => (at as Json | undefined)?.[name], client);
    return typeof (place as Json | undefined)?.create === "function";
  });
  if (!found) throw new TypeError("no client of OpenAI or Anthropic");
  return within(client, "", new Remembering(options));
}

/** Recalls and keeps, each within a deadline. */
class Remembering {
  readonly #memory: AgentMemory;
  readonly #warn: (message: string) => void;
  readonly #deadlineMs: number;

  constructor(options: RememberOptions) {
    this.#memory = new AgentMemory(options);
    this.#warn = options.warn ?? console.warn;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  }

  recall(question: string): Promise<string> {
    return this.#inTime(this.#memory.recall(question), "recalled", "");
  }

  async keep(new_: MessageDraft[], said: Said): Promise<void> {
    const calls = [...said.calls.values()];
    const content = calls.length ? { content: said.text || null, tool_calls: calls } : said.text;
    await this.#inTime(this.#memory.remember([...new_, { role: "assistant", content }]), "kept for now", false);
  }

  /** What `work` gives; for what it cannot read, `otherwise` and a warning. */
  guarded<T>(work: () => T, otherwise: T): T {
    try {
      return work();
    } catch (error) {
      this.#warn(`The memory cannot read a call, which goes on: ${error}`);
      return otherwise;
    }
  }

  async #inTime<T>(work: Promise<T>, done: string, otherwise: T): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<T>((resolve) => {
      timer = setTimeout(() => {
        this.#warn(`Nothing is ${done} within ${this.#deadlineMs} ms and the call goes on`);
        resolve(otherwise);
      }, this.#deadlineMs);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  }
}

/** An object of a client, below `path`, whose methods with a memory are others. */
function within<T extends object>(target: T, path: string, memory: Remembering): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      const at = path ? `${path}.${String(name)}` : String(name);
      const form = FORMS[path];
      if (form && name === "create" && typeof value === "function")
        return (body: Json, ...rest: unknown[]) =>
          called((given) => Reflect.apply(value, target, [given, ...rest]) as Promise<unknown>, body, form, memory);
      if (typeof value === "function") return value.bind(target);
      const leads = Object.keys(FORMS).some((one) => one === at || one.startsWith(`${at}.`));
      return leads && value && typeof value === "object" ? within(value, at, memory) : value;
    },
  });
}

async function called(
  call: (body: Json) => Promise<unknown>,
  body: Json,
  form: Form,
  memory: Remembering,
): Promise<unknown> {
  const turns = memory.guarded(() => form.turns(body), []);
  const answered = turns.map(({ role }) => role).lastIndexOf("assistant");
  const new_ = turns.slice(answered + 1).filter(({ role }) => role !== "system");
  const question = textOf(turns.filter(({ role }) => role === "user").at(-1)?.content);
  const known = question ? await memory.recall(question) : "";
  const answer = await call(known ? memory.guarded(() => form.withKnown(body, known), body) : body);
  if (!new_.length) return answer;
  if (body.stream) return watched(answer as AsyncIterable<Json> & object, form, memory, new_);
  await memory.keep(
    new_,
    memory.guarded(() => form.read(answer as Json), nothing()),
  );
  return answer;
}

/** A stream that is kept as a whole once it has ended or is left. */
function watched<T extends AsyncIterable<Json> & object>(
  stream: T,
  form: Form,
  memory: Remembering,
  new_: MessageDraft[],
): T {
  async function* parts(): AsyncGenerator<Json, void, undefined> {
    let said = nothing();
    for await (const part of keptAtItsEnd()) {
      said = memory.guarded(() => form.take(said, part), said);
      yield part;
    }
    async function* keptAtItsEnd() {
      let failed = false;
      try {
        yield* stream;
      } catch (error) {
        failed = true;
        throw error;
      } finally {
        if (!failed) await memory.keep(new_, said);
      }
    }
  }
  return new Proxy(stream, {
    get(target, name) {
      if (name === Symbol.asyncIterator) return parts;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function nothing(): Said {
  return { text: "", calls: new Map() };
}

function items(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}

function toolCall(id: unknown, name: unknown, given: unknown): ToolCall {
  const text = typeof given === "string" ? given : JSON.stringify(given ?? {});
  return { id, type: "function", function: { name, arguments: text } };
}

function turnOf(message: Json): MessageDraft {
  const given = String(message.role);
  const role = given === "developer" ? "system" : given === "function" ? "tool" : given;
  const id = message.tool_call_id;
  const turn = { role, content: message.content ?? "" } as MessageDraft;
  return id ? { ...turn, tool_call_id: String(id) } : turn;
}

const chat: Form = {
  turns: ({ messages }) => (messages as Json[]).map(turnOf),
  withKnown(body, known) {
    const messages = [...(body.messages as Json[])];
    const at = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
    messages.splice(at < 0 ? messages.length : at, 0, { role: "system", content: known });
    return { ...body, messages };
  },
  read({ choices }) {
    const message = items(choices)[0]?.message as Json;
    const calls = items(message.tool_calls) as unknown as ToolCall[];
    return { text: String(message.content ?? ""), calls: new Map(calls.entries()) };
  },
  take(said, { choices }) {
    const delta = (items(choices)[0]?.delta ?? {}) as Json;
    for (const { index, id, function: part } of items(delta.tool_calls)) {
      const { name, arguments: more } = (part ?? {}) as Json;
      const call = said.calls.get(index) ?? toolCall(id, name, "");
      call.function.arguments += more ?? "";
      said.calls.set(index, call);
    }
    return { ...said, text: said.text + (delta.content ?? "") };
  },
};

const responses: Form = {
  turns({ input }) {
    if (typeof input === "string") return [{ role: "user", content: input }];
    return (input as Json[]).flatMap((item): MessageDraft[] => {
      if (item.role) return [turnOf(item)];
      if (item.type === "function_call") return [{ role: "assistant", content: "" }];
      if (item.type !== "function_call_output") return [];
      return [{ role: "tool", content: item.output as string, tool_call_id: String(item.call_id) }];
    });
  },
  withKnown: (body, known) => ({ ...body, instructions: [body.instructions, known].filter(Boolean).join("\n\n") }),
  read({ output }) {
    const text = items(output).filter(({ type }) => type === "message");
    const calls = items(output).filter(({ type }) => type === "function_call");
    return {
      text: text.map(({ content }) => textOf(content)).join("\n"),
      calls: new Map(calls.map((one, at) => [at, toolCall(one.call_id, one.name, one.arguments)])),
    };
  },
  take(said, { type, delta, response }) {
    if (type === "response.completed") return responses.read(response as Json);
    return type === "response.output_text.delta" ? { ...said, text: said.text + delta } : said;
  },
};

const messages: Form = {
  turns: (body) =>
    (body.messages as Json[]).flatMap((message) => {
      const { role, content } = message;
      if (typeof content === "string") return [turnOf(message)];
      const said = textOf(items(content).filter(({ type }) => type === "text"));
      const results = items(content).filter(({ type }) => type === "tool_result");
      return [
        ...results.map((one) => turnOf({ role: "tool", content: one.content, tool_call_id: one.tool_use_id })),
        ...(said || role === "assistant" ? [turnOf({ role, content: said })] : []),
      ];
    }),
  withKnown(body, known) {
    const given = body.system;
    const blocks = typeof given === "string" && given ? [{ type: "text", text: given }] : items(given);
    return { ...body, system: [...blocks, { type: "text", text: known }] };
  },
  read({ content }) {
    const uses = items(content).filter(({ type }) => type === "tool_use");
    return {
      text: textOf(items(content).filter(({ type }) => type === "text")),
      calls: new Map(uses.map(({ id, name, input }, at) => [at, toolCall(id, name, input)])),
    };
  },
  take(said, part) {
    const [block, delta] = [part.content_block, part.delta] as (Json | undefined)[];
    if (part.type === "content_block_start" && block?.type === "tool_use")
      said.calls.set(part.index, toolCall(block.id, block.name, ""));
    const call = said.calls.get(part.index);
    if (delta?.type === "input_json_delta" && call) call.function.arguments += delta.partial_json ?? "";
    return delta?.type === "text_delta" ? { ...said, text: said.text + delta.text } : said;
  },
};

/** The methods `create` with a memory, by where they are. */
const FORMS: Record<string, Form> = { "chat.completions": chat, responses, messages };
