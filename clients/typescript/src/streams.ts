/** What the lines of streams say: events, completions, imports. */

import { APIError, errorOf } from "./errors.js";
import type { AskAnswer, Imported } from "./types.js";

/** Something that happened. Of the type `gap`: events between `after` and `before` that are no longer stored. */
export interface ReverieEvent {
  type: string;
  /** Where in the stream it is; `after` takes it. */
  position?: number;
  [field: string]: unknown;
}

/** What comes of a question: what was found, and then the answer once it has been checked. */
export type AskEvent = { event: "memories"; memories: AskAnswer["memories"] } | { event: "answer"; answer: AskAnswer };

export interface EventOptions {
  /** The position of the last event that is known. Default: only what happens from now on; 0: all that is stored. */
  after?: number;
  /** The types wanted. Default: all. */
  types?: string[];
  agent?: string;
  /** Whether to go on with new events after the stored ones. Default true. */
  wait?: boolean;
  /** Whether a stream that breaks off is taken up again where it ended. Default true. */
  reconnect?: boolean;
}

export interface ImportOptions {
  format?: "reverie" | "mem0" | "arkos";
  agent?: string;
  /** Is given how many lines are written, of how many, once all are sent and checked. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** Something comes every 15 s, if only to say that nothing happens. */
export const EVENTS_IDLE_MS = 60_000;
/** The longest timer there is: nothing comes before all is sent, and how long that takes is not known. */
export const IMPORT_IDLE_MS = 2 ** 31 - 1;
export const PAUSE_MS = 1_000;
/** Of an import that says how far it is. */
export const IMPORT_HEADERS = {
  Accept: "application/x-ndjson, application/problem+json",
  "Content-Type": "application/x-ndjson",
};
const PASSING = new Set([429, 502, 503, 504]);

/** Whether a failure may be over when it is asked again. */
export function passes(error: unknown): boolean {
  return !(error instanceof APIError) || PASSING.has(error.status);
}

export interface ServerSentEvent {
  event: string;
  data: string;
}

/** The server-sent events that lines are; several lines of data are one text. */
export async function* serverSentEvents(
  lines: AsyncIterable<string>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let event = "message";
  let data: string[] = [];
  for await (const line of lines) {
    if (line === "") {
      if (data.length) yield { event, data: data.join("\n") };
      event = "message";
      data = [];
    } else if (line.startsWith("data:")) {
      data.push(line.slice(5).replace(/^ /, ""));
    } else if (line.startsWith("event:")) {
      event = line.slice(6).trim();
    }
  }
}

/** What happened, by a server-sent event. A gap has no position. */
export function eventOf({ data }: ServerSentEvent): ReverieEvent {
  const event = JSON.parse(data);
  return "position" in event ? event : { ...event, type: "gap" };
}

/** What a line of the answer to an import says: what was done, or how far it is. Throws APIError for a failure. */
export function readImport(line: string, onProgress?: ImportOptions["onProgress"]): Imported | undefined {
  const said = JSON.parse(line);
  if (said.record === "imported") return said;
  if (said.record === "problem") throw errorOf(said.status, line);
  onProgress?.(said.done, said.total);
  return undefined;
}
