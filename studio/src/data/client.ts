/** The API, through its TypeScript client, with the key of this tab. */

import { Reverie } from "@reverie/client";
import { KEY_HEADER, keyRejected, presentSession } from "./session";

export * as calls from "@reverie/client/calls/index";

const UNAUTHENTICATED = 401;
export const RETRIES = 2;

/** Asks with the key of this tab. */
export async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const key = presentSession().current?.id ?? "none";
  const headers = new Headers(init?.headers);
  headers.set(KEY_HEADER, key);
  const response = await fetch(input, { ...init, headers });
  if (response.status === UNAUTHENTICATED) void keyRejected(key);
  return response;
}

export const api = new Reverie({ url: window.location.origin, fetch: send, retries: RETRIES });
