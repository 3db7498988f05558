/** A `fetch` that answers as scripted, and records what it was asked. */

import { Reverie } from "../src/index.js";
import type { ClientOptions } from "../src/transport.js";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

export type Reply = Response | Error | ((signal: AbortSignal) => Promise<Response>);

export function answer(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

/** An answer whose body comes in these pieces; with an error at its end it breaks off. */
export function stream(pieces: (string | Uint8Array)[], error?: Error): Response {
  const encoder = new TextEncoder();
  const rest = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece));
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = rest.shift();
        if (piece) controller.enqueue(piece);
        else if (error) controller.error(error);
        else controller.close();
      },
    }),
  );
}

/** A response that comes when the request is aborted, which it never survives. */
export function never(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

export function scripted(replies: Reply[], options: ClientOptions = {}): { reverie: Reverie; asked: Asked[] } {
  const { fetch, asked } = scriptedFetch(replies);
  return { reverie: new Reverie({ url: "http://reverie.test", apiKey: "k", ...options, fetch }), asked };
}

export function scriptedFetch(replies: Reply[]): { fetch: typeof fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  const answering = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const body = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
    const headers = new Headers(init.headers);
    asked.push({ method: init.method ?? "GET", path: url.pathname, query: url.searchParams, headers, body });
    const reply = replies.shift();
    if (reply === undefined) throw new Error("nothing more is scripted");
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? reply(init.signal as AbortSignal) : reply;
  };
  return { fetch: answering, asked };
}
