/** Sending calls: retries that cannot do anything twice, errors as classes. */

import { type Call, type Listing, queryString } from "./call.js";
import { Deadline, sleep } from "./deadline.js";
import { serviceUrl, setting } from "./environment.js";
import { APIError, ConnectionFailed, errorOf, NotAuthenticated } from "./errors.js";

export interface ClientOptions {
  /** The address of the service. Default: REVERIE_URL of the environment, else http://127.0.0.1:8000. */
  url?: string;
  /** Default: REVERIE_API_KEY of the environment. */
  apiKey?: string;
  /** The acting agent of calls that name none (not needed with an agent key). */
  agent?: string;
  /** Whom calls are for that name none (not needed with the key of a user). */
  user?: string;
  /** Milliseconds that an answer may take. Default 30,000. */
  timeoutMs?: number;
  /** How often a call is sent again at most. Default 4. */
  retries?: number;
  /** Whether calls leave memory alone: nothing is recalled, kept or counted. Default false. */
  noMemory?: boolean;
  /**
   * Whether what calls read goes to a model: those without a user or a session then read what belongs to nobody. Default
   * false.
   */
  forPrompt?: boolean;
  /** What sends requests. Default: `fetch` of the runtime. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Aborts the call, its retries and its waits. */
  signal?: AbortSignal;
  /** Whom the call is for, where it names none itself. Default: the client's. */
  user?: string;
  /** Whether what it reads goes to a model. Default: that of the client. */
  forPrompt?: boolean;
  /** Of a call that writes. Default: a random one. */
  idempotencyKey?: string;
  /** Milliseconds that each answer may take. Default: that of the client. */
  timeoutMs?: number;
}

/** How a stream is asked for. `idleMs`: how long it may be silent. */
export interface StreamOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  body?: BodyInit;
  idleMs?: number;
}

interface Got {
  status: number;
  headers: Headers;
  text: string;
}

const POSITION = "X-Reverie-Position";
const DELAY_MS = 250;
const DELAY_MAX_MS = 8_000;
const ASKED_DELAY_MAX_MS = 60_000;
const STREAM_IDLE_MS = 600_000;
const TRANSIENT = new Set([429, 502, 503, 504]);
/** Answers that say that nothing was done. */
const REFUSED = new Set([429, 503]);
const NOT_FOUND = 404;
const NO_KEY = "No API key was sent: give the client one as apiKey, or set REVERIE_API_KEY.";

/** Milliseconds before the next attempt: what the server asks for, else longer each time, with jitter. */
function backoffMs(attempt: number, got: Got | ConnectionFailed): number {
  const asked = "headers" in got ? (got.headers.get("retry-after") ?? "") : "";
  if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1_000, ASKED_DELAY_MAX_MS) + Math.random() * DELAY_MS;
  return Math.random() * Math.min(DELAY_MAX_MS, DELAY_MS * 2 ** attempt);
}

/** Whether a call may be sent again. A PATCH only where it surely was not carried out: its version has moved on. */
function isRetryable(call: Call<unknown>, got: Got | ConnectionFailed): boolean {
  if ("status" in got) return (call.method === "PATCH" ? REFUSED : TRANSIENT).has(got.status);
  return call.method !== "PATCH";
}

/** Any string is a key; `crypto.randomUUID` is missing on pages that came without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends calls, and holds the address, the key and the position of what was written. */
export class Sender {
  readonly url: string;
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly #apiKey: string | undefined;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #noMemory: boolean;
  readonly #forPrompt: boolean;
  readonly #fetch: typeof fetch;
  #reached: Record<string, string> = {};

  /** Throws TypeError for an address that is not of a service. */
  constructor(options: ClientOptions = {}) {
    this.url = serviceUrl(options.url);
    this.agent = options.agent;
    this.user = options.user;
    this.#apiKey = options.apiKey || setting("REVERIE_API_KEY");
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#retries = options.retries ?? 4;
    this.#noMemory = options.noMemory ?? false;
    this.#forPrompt = options.forPrompt ?? false;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /**
   * Send a call until it is answered, at most `retries` times more. Rejects with APIError, ConnectionFailed. A POST that
   * writes carries an idempotency key, so that repeating it does no harm; a stream is not repeated, and has none.
   */
  async send<T>(call: Call<T>, options: RequestOptions = {}): Promise<T> {
    const headers = this.#headers(call, options);
    if (call.method === "POST" && !call.onlyReads) headers["Idempotency-Key"] = options.idempotencyKey ?? randomKey();
    const init = { method: call.method, headers, body: this.#body(call, options.user) };
    for (let attempt = 0; ; attempt++) {
      const got = await this.#attempt(call, init, options);
      if (attempt < this.#retries && isRetryable(call, got)) {
        await sleep(backoffMs(attempt, got), options.signal);
        continue;
      }
      if (got instanceof ConnectionFailed) throw got;
      return this.#parse(call, got, attempt);
    }
  }

  /** The items of a list, page by page as needed. */
  async *items<T>(call: Listing<T>, options: RequestOptions = {}): AsyncGenerator<T, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page = await this.send(cursor ? { ...call, query: { ...call.query, cursor } } : call, options);
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor);
  }

  /** The lines of an answer as they come. Rejects with APIError, and with ConnectionFailed when it breaks off. */
  async *lines(call: Call<unknown>, options: StreamOptions = {}): AsyncGenerator<string, void, undefined> {
    const deadline = new Deadline(options.idleMs ?? STREAM_IDLE_MS, options.signal);
    const init = {
      method: call.method,
      headers: { ...this.#headers(call), ...options.headers },
      body: options.body ?? this.#body(call),
      duplex: "half",
    };
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const response = await this.#fetch(this.#address(call), { ...init, signal: deadline.signal });
      if (!response.ok) throw this.#refused(response.status, await response.text());
      reader = response.body?.getReader();
      const decoder = new TextDecoder();
      let begun = "";
      for (;;) {
        deadline.start();
        const chunk = await reader?.read();
        deadline.pause();
        if (!chunk || chunk.done) break;
        const lines = (begun + decoder.decode(chunk.value, { stream: true })).split("\n");
        begun = lines.pop() ?? "";
        for (const line of lines) yield line.replace(/\r$/, "");
      }
      if (begun) yield begun;
    } catch (error) {
      throw this.#failed(call, error, options.signal);
    } finally {
      deadline.end();
      reader?.cancel().catch(() => {});
    }
  }

  /** The error of a call without an answer; it says where that was expected. */
  failed(call: Call<unknown>, why: string): ConnectionFailed {
    return new ConnectionFailed(`${call.method} ${call.path} at ${new URL(this.url).origin}: ${why}`);
  }

  async #attempt(call: Call<unknown>, init: RequestInit, options: RequestOptions): Promise<Got | ConnectionFailed> {
    const deadline = new Deadline(options.timeoutMs ?? this.#timeoutMs, options.signal);
    const headers = { ...(init.headers as Record<string, string>), ...this.#reached };
    try {
      const response = await this.#fetch(this.#address(call, options.user), {
        ...init,
        headers,
        signal: deadline.signal,
      });
      const position = response.headers.get(POSITION);
      if (position) this.#reached = { [POSITION]: position };
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      return this.#failed(call, error, options.signal);
    } finally {
      deadline.end();
    }
  }

  /** The answer. What a repeated DELETE no longer finds, an earlier attempt has deleted. */
  #parse<T>(call: Call<T>, got: Got, attempt: number): T {
    const ok = got.status >= 200 && got.status < 300;
    const isGone = call.method === "DELETE" && attempt > 0 && got.status === NOT_FOUND;
    if (!ok && !isGone) throw this.#refused(got.status, got.text);
    return (ok && got.text ? JSON.parse(got.text) : undefined) as T;
  }

  /** The error that an answer stands for; it says where a key comes from if none was sent. */
  #refused(status: number, text: string): APIError {
    const error = errorOf(status, text);
    if (!(error instanceof NotAuthenticated) || this.#apiKey) return error;
    return new NotAuthenticated(error.status, { ...error.problem, detail: NO_KEY });
  }

  /** The error of what broke off. Throws the caller's own reason where it was aborted, and errors of the API as they are. */
  #failed(call: Call<unknown>, error: unknown, signal?: AbortSignal): ConnectionFailed {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof APIError) throw error;
    const cause = (error as { cause?: unknown }).cause;
    return this.failed(call, [error, cause].filter(Boolean).map(String).join(": "));
  }

  #address(call: Call<unknown>, user = this.user): string {
    const query: { agent?: unknown; user?: unknown } = { ...call.query };
    if (call.agentIn === "query") query.agent ??= this.agent;
    if (call.userIn === undefined) query.user ??= user;
    return `${this.url}${call.path}${queryString(query)}`;
  }

  #body(call: Call<unknown>, user = this.user): string | undefined {
    if (!call.body) return undefined;
    const body: { agent?: unknown; user?: unknown } = { ...call.body };
    if (call.agentIn === "body") body.agent ??= this.agent;
    if (call.userIn === "body") body.user ??= user;
    return JSON.stringify(body);
  }

  #headers(
    call: Call<unknown>,
    { user = this.user, forPrompt = this.#forPrompt }: RequestOptions = {},
  ): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.#apiKey) headers.Authorization = `Bearer ${this.#apiKey}`;
    if (this.#noMemory) headers["X-Reverie-No-Memory"] = "1";
    if (forPrompt) headers["X-Reverie-For-Prompt"] = "1";
    if (call.body) headers["Content-Type"] = "application/json";
    if (call.agentIn === "header" && this.agent) headers["X-Reverie-Agent"] = this.agent;
    if (call.userIn === "header" && user) headers["X-Reverie-User"] = user;
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (value !== undefined && value !== null) headers[name] = `${value}`;
    }
    return headers;
  }
}
