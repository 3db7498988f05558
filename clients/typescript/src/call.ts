/** One call of the API: what is sent, and the type of its answer. */

import type { Answer, Item, Operation } from "./types.js";

declare const answer: unique symbol;
declare const item: unique symbol;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Sent {
  query?: object;
  body?: object;
  headers?: object;
  /** Where the client's own agent is named when the call names none. */
  agentIn?: "query" | "body" | "header";
  /** Where the client's own user is named when the call names none. Default: the query. */
  userIn?: "body" | "header";
  /** A POST that writes nothing, and needs no key to be sent again. */
  onlyReads?: boolean;
}

export interface Call<T> extends Sent {
  readonly method: Method;
  readonly path: string;
  readonly [answer]?: T;
}

/** A call for a list, which is answered page by page. */
export interface Listing<T> extends Call<{ items: T[]; next_cursor?: string | null }> {
  readonly isList: true;
  readonly [item]?: T;
}

export function get<Name extends Operation>(path: string, sent: Sent = {}): Call<Answer<Name>> {
  return { method: "GET", path, ...sent };
}

export function list<Name extends Operation>(path: string, query?: object, sent: Sent = {}): Listing<Item<Name>> {
  return { method: "GET", path, isList: true, query, ...sent };
}

export function post<Name extends Operation>(path: string, body?: object, sent: Sent = {}): Call<Answer<Name>> {
  return { method: "POST", path, body, ...sent };
}

export function put<Name extends Operation>(path: string, body: object): Call<Answer<Name>> {
  return { method: "PUT", path, body };
}

export function patch<Name extends Operation>(path: string, body: object): Call<Answer<Name>> {
  return { method: "PATCH", path, body };
}

export function remove<Name extends Operation>(path: string, sent: Sent = {}): Call<Answer<Name>> {
  return { method: "DELETE", path, ...sent };
}

/** A path of which each value is one part. Throws TypeError for what `fetch` would read as no part, or another one. */
export function path(texts: TemplateStringsArray, ...names: string[]): string {
  for (const name of names) {
    if (["", ".", ".."].includes(name)) throw new TypeError(`"${name}" cannot be part of an address`);
  }
  return String.raw({ raw: texts }, ...names.map(encodeURIComponent));
}

function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

/** The query of an address; arrays are repeated, objects are JSON, and what is undefined or null is left out. */
export function queryString(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) parameters.append(name, asText(one));
    }
  }
  const text = parameters.toString();
  return text && `?${text}`;
}
