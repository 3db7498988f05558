/**
 * `AgentMemory`: whose memory it is, and what integrations with frameworks do with it. Its methods never reject.
 *
 * A failure is said in a warning, and the agent goes on without memory: nothing is recalled, a tool answers with the
 * failure as text, and turns that could not be sent wait for the next ones, under the same idempotency key.
 */

import { ConnectionFailed, NotFound, RateLimited, ServerFailed } from "./errors.js";
import { Reverie } from "./reverie.js";
import { textOf } from "./text.js";
import { type ClientOptions, type RequestOptions, randomKey } from "./transport.js";
import type { MessageDraft, MessageRecord, SearchResult } from "./types.js";

export interface AgentMemoryOptions extends Omit<ClientOptions, "noMemory" | "forPrompt"> {
  /** Who speaks with the agent: what is recalled belongs to nobody or to this user; without one, to all in the session. */
  user?: string;
  /** The conversation. Default: a new one. */
  session?: string;
  /** Tokens of what is recalled for a prompt at most. Default 1,000. */
  maxTokens?: number;
  /** A client to send with, in place of the settings of one. */
  reverie?: Reverie;
  /** What says that memory failed. Default: `console.warn`. */
  warn?: (message: string) => void;
}

/** A tool for a model, in the words of no framework. `run` never rejects. */
export interface MemoryTool {
  name: string;
  description: string;
  /** The name of its only argument, a text. */
  argument: string;
  about: string;
  run: (argument: string) => Promise<string>;
}

interface Batch {
  session: string;
  user: string | undefined;
  turns: MessageDraft[];
  key: string;
}

const QUESTION_MAX = 8_000;
const FOUND_MAX = 10;
/** Batches of turns that wait for a server that does not answer; the oldest are given up first. */
const UNSENT_MAX = 100;
const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** Sends batches of turns in their order, one after another; what fails for now stays. */
class Outbox {
  readonly #unsent: Batch[] = [];
  #sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly send: (batch: Batch) => Promise<unknown>) {}

  /** Rejects where this or an earlier batch could not be sent. */
  add(batch: Batch): Promise<void> {
    this.#unsent.push(batch);
    if (this.#unsent.length > UNSENT_MAX) this.#unsent.shift();
    const sent = this.#sending.then(() => this.#sendAll());
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#unsent[0]; batch; batch = this.#unsent[0]) {
      try {
        await this.send(batch);
      } catch (error) {
        if (!passes(error)) this.#unsent.shift();
        throw error;
      }
      this.#unsent.shift();
    }
  }
}

/** The memory of an agent in one conversation with one user. */
export class AgentMemory {
  /** Everything else. */
  readonly reverie: Reverie;
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly session: string;
  readonly #options: AgentMemoryOptions;
  readonly #outbox: Outbox;

  constructor(options: AgentMemoryOptions = {}, outbox?: Outbox) {
    const { reverie, agent, user, session } = options;
    this.reverie = reverie ?? new Reverie({ timeoutMs: TIMEOUT_MS, retries: RETRIES, ...options });
    this.agent = agent ?? this.reverie.agent;
    this.user = user;
    this.session = session ?? randomKey();
    this.#options = options;
    this.#outbox = outbox ?? new Outbox((batch) => this.#append(batch));
  }

  /** The same memory in another conversation, over the same client. */
  inSession(session: string, user = this.user): AgentMemory {
    return new AgentMemory({ ...this.#options, reverie: this.reverie, session, user }, this.#outbox);
  }

  /** What is known that bears on a message, as a block for the prompt; empty where there is nothing. */
  async recall(message: string): Promise<string> {
    if (!message.trim()) return "";
    return (await this.attempt("recalled", () => this.#block(message.slice(0, QUESTION_MAX)))) ?? "";
  }

  /** The memories and turns that a question finds, best first. */
  async find(question: string, limit = FOUND_MAX): Promise<SearchResult[]> {
    return (await this.attempt("found", () => this.#search(question, limit))) ?? [];
  }

  /**
   * Append turns to the conversation. True once the server has them for good.
   *
   * An `occasion` is an idempotency key: turns given for it again within a day are appended once.
   */
  async remember(turns: MessageDraft[], occasion = randomKey()): Promise<boolean> {
    const { session, user } = this;
    const said = turns.filter(({ content }) => content);
    if (!said.length) return true;
    const batch = { session, user, turns: said, key: occasion };
    const sent = await this.attempt("remembered for now", () => this.#outbox.add(batch).then(() => true));
    return sent ?? false;
  }

  /** Tools with which a model saves and searches by itself. */
  tools(): MemoryTool[] {
    return [
      {
        name: "save_memory",
        description: "Remember a statement for later conversations. It must be understandable on its own.",
        argument: "statement",
        about: "The statement to remember.",
        run: (statement) => this.saveMemory(statement),
      },
      {
        name: "search_memory",
        description: "Look up what is known from earlier conversations.",
        argument: "question",
        about: "What to look up.",
        run: (question) => this.searchMemory(question),
      },
    ];
  }

  /** Remember a statement; the answer is for a model, as is that of a failure. */
  saveMemory(statement: string): Promise<string> {
    return this.say(async () => {
      await this.reverie.saveMemory("fact", statement, this.whose());
      return "Remembered.";
    });
  }

  /** What a question finds, as lines for a model. */
  searchMemory(question: string): Promise<string> {
    return this.say(async () => {
      const found = await this.#search(question, FOUND_MAX);
      return found.map(lineOf).join("\n") || "Nothing is known.";
    });
  }

  /** The turns of the conversation, the last one first; none where it has not begun. Rejects with ReverieClientError. */
  async *newestFirst(): AsyncGenerator<MessageRecord, void, undefined> {
    try {
      const query = { order: "desc", limit: 200, agent: this.agent } as const;
      yield* this.reverie.listMessages(this.session, query, this.forUser);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }

  /** What `work` gives; undefined, and a warning that nothing is `done`, where it fails. */
  async attempt<T>(done: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#warn(`Reverie failed and nothing is ${done}; the agent goes on: ${error}`);
      return undefined;
    }
  }

  /** What a tool answers: a failure as text, for the model to go on with. */
  async say(work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      this.#warn(`A tool of Reverie failed and the agent goes on: ${error}`);
      return `Memory failed: ${error}`;
    }
  }

  /** For whom calls are that do not say it: what they read goes to a model. */
  get forUser(): RequestOptions {
    return { user: this.user, forPrompt: true };
  }

  /** Agent and user, as calls name them. */
  whose(): { agent: string | undefined; user: string | undefined } {
    return { agent: this.agent, user: this.user };
  }

  #warn(message: string): void {
    (this.#options.warn ?? console.warn)(message);
  }

  /** All attempts together take no longer than one answer may: a model waits. */
  async #block(message: string): Promise<string> {
    const fields = { ...this.whose(), session: this.session, max_tokens: this.#options.maxTokens ?? 1_000 };
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    const answer = await this.reverie.buildContext(
      message,
      { ...fields, sections: { window: 0 } },
      { signal, ...this.forUser },
    );
    return answer.messages.flatMap(({ role, content }) => (role === "system" ? content : [])).join("\n\n");
  }

  async #search(question: string, limit: number): Promise<SearchResult[]> {
    const options = { ...this.whose(), limit, include: ["memories", "messages"] as ("memories" | "messages")[] };
    return (await this.reverie.searchMemories(question.slice(0, QUESTION_MAX), options, this.forUser)).results;
  }

  async #append({ session, user, turns, key }: Batch): Promise<void> {
    await this.reverie.appendMessages(session, turns, { agent: this.agent, user }, { idempotencyKey: key });
  }
}

/** Whether the same turns may be sent again after that. */
function passes(error: unknown): boolean {
  return error instanceof ConnectionFailed || error instanceof RateLimited || error instanceof ServerFailed;
}

/** A line for a prompt: who said it, where it is a turn, or whose word it rests on, where it is hearsay. */
function lineOf({ memory, message }: SearchResult): string {
  if (message) return `- ${message.role}: ${textOf(message.content)}`;
  const whose = memory?.hearsay_by ? ` (according to ${memory.hearsay_by})` : "";
  return `- ${memory?.content ?? ""}${whose}`;
}
