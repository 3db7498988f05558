/**
 * The client: the whole API. A method is named after the call it sends. Lists are async iterators that fetch the next
 * page when it is needed. What may have been lost on the way is sent again, and never does anything twice: every POST
 * that writes carries an idempotency key.
 */

import { type Call, path } from "./call.js";
import * as calls from "./calls/index.js";
import type { WireFormat } from "./calls/proxy.js";
import { sleep } from "./deadline.js";
import { ServerFailed } from "./errors.js";
import { withMethods } from "./methods.js";
import {
  type AskEvent,
  EVENTS_IDLE_MS,
  type EventOptions,
  eventOf,
  IMPORT_HEADERS,
  IMPORT_IDLE_MS,
  type ImportOptions,
  PAUSE_MS,
  passes,
  type ReverieEvent,
  readImport,
  serverSentEvents,
} from "./streams.js";
import type { Fields, Headers, Imported, Query } from "./types.js";

const Api = withMethods(calls);

const INTERNAL_ERROR = 500;

type Signal = { signal?: AbortSignal };

export class Reverie extends Api {
  /**
   * What happens from now on, or after a position, for as long as it is iterated; each event once.
   *
   * A stream that breaks off is taken up again where it ended. Rejects with APIError when it is refused, and with the
   * reason of the signal when that aborts.
   */
  async *streamEvents(
    options: EventOptions = {},
    { signal }: Signal = {},
  ): AsyncGenerator<ReverieEvent, void, undefined> {
    const { after, types, agent, wait, reconnect = true } = options;
    const call: Call<void> = { method: "GET", path: "/v1/events", query: { types, agent, wait } };
    let position = after;
    for (;;) {
      const headers: Record<string, string> = position === undefined ? {} : { "Last-Event-ID": `${position}` };
      try {
        const lines = this.lines(call, { headers, signal, idleMs: EVENTS_IDLE_MS });
        for await (const sent of serverSentEvents(lines)) {
          const event = eventOf(sent);
          position = event.position ?? position;
          yield event;
        }
        if (wait === false) return;
      } catch (error) {
        if (signal?.aborted || !reconnect || !passes(error)) throw error;
      }
      await sleep(PAUSE_MS, signal);
    }
  }

  /** What `askMemory` answers, as it comes: the memories at once, then the answer. Rejects with APIError, ConnectionFailed. */
  async *askMemoryStream(
    question: string,
    fields?: Fields<"ask_memory", "question" | "stream">,
    { signal }: Signal = {},
  ): AsyncGenerator<AskEvent, void, undefined> {
    const call = calls.askMemory(question, fields);
    call.body = { ...call.body, stream: true };
    for await (const { event, data } of serverSentEvents(this.lines(call, { signal }))) {
      const said = JSON.parse(data);
      if (event === "memories") yield { event, memories: said.memories };
      if (event === "error") throw new ServerFailed(INTERNAL_ERROR, said);
      if (event === "answer") {
        yield { event, answer: said };
        return;
      }
    }
    throw this.failed(call, "the answer broke off");
  }

  /** A chat completion with memory, chunk by chunk as it comes (OpenAI's shape). */
  createChatCompletionStream(request: WireFormat, headers?: Headers<"create_chat_completion">, signal?: Signal) {
    return this.#chunks(calls.createChatCompletion(request, headers), signal);
  }

  /** A response with memory, event by event as it comes (OpenAI's shape). */
  createResponseStream(request: WireFormat, headers?: Headers<"create_response">, signal?: Signal) {
    return this.#chunks(calls.createResponse(request, headers), signal);
  }

  /** A message with memory, event by event as it comes (Anthropic's shape). */
  createMessageStream(request: WireFormat, headers?: Headers<"create_message">, signal?: Signal) {
    return this.#chunks(calls.createMessage(request, headers), signal);
  }

  async *#chunks(call: Call<WireFormat>, { signal }: Signal = {}): AsyncGenerator<WireFormat, void, undefined> {
    const streamed = { ...call, body: { ...call.body, stream: true } };
    for await (const { data } of serverSentEvents(this.lines(streamed, { signal }))) {
      if (data === "[DONE]") return;
      yield JSON.parse(data);
    }
  }

  /** The lines of an export, as they come. Rejects with ConnectionFailed when it breaks off before its last line. */
  async *exportRecords(
    query?: Query<"export_records">,
    { signal }: Signal = {},
  ): AsyncGenerator<Record<string, unknown>, void, undefined> {
    const call: Call<void> = { method: "GET", path: "/v1/export", query };
    for await (const line of this.lines(call, { signal })) yield JSON.parse(line);
  }

  /** The lines of an export of one workspace, for the admin of the installation. Rejects as `exportRecords` does. */
  async *exportWorkspace(
    workspace: string,
    { signal }: Signal = {},
  ): AsyncGenerator<Record<string, unknown>, void, undefined> {
    const call: Call<void> = { method: "GET", path: path`/v1/workspaces/${workspace}/export` };
    for await (const line of this.lines(call, { signal })) yield JSON.parse(line);
  }

  /**
   * Read the lines of an export in, all of it or nothing. Never repeated by itself; repeating it does no harm.
   * Rejects with InvalidRequest; `problem.line` is the broken line.
   *
   * Browsers other than Chromium send no streams; a Blob (a file) is sent everywhere.
   */
  async importRecords(chunks: BodyInit, options: ImportOptions = {}): Promise<Imported> {
    const { format = "reverie", agent = this.agent, onProgress, signal } = options;
    const call: Call<Imported> = { method: "POST", path: "/v1/import", query: { format, agent } };
    const stream = { headers: IMPORT_HEADERS, body: chunks, signal, idleMs: IMPORT_IDLE_MS };
    for await (const line of this.lines(call, stream)) {
      const done = readImport(line, onProgress);
      if (done) return done;
    }
    throw this.failed(call, "the answer broke off");
  }
}
