/**
 * A store of LangGraph.js whose items are in Reverie: embedded, searched and dreamed about like any memory.
 *
 * An item is a memory of the client's agent. Its value, namespace and key are kept in the memory's metadata; what the
 * value says is the memory's content. A memory's key stands for namespace and key of its item, and one tag for each
 * prefix of its namespace: all are digests of whole labels, so `["a", "b"]` never finds what is in `["a", "bc"]`.
 * They are those of the Python client's store, so both see the same items.
 */

import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { digest } from "../digest.js";
import { ReverieClientError } from "../errors.js";
import { Reverie } from "../reverie.js";
import type { ClientOptions, RequestOptions } from "../transport.js";
import type { MemoryDraft, MemoryRecord, MemoryType } from "../types.js";
import { accepts, matches, neededOf, textOf } from "./langgraph-items.js";

export interface StoreOptions extends ClientOptions {
  /** What kind of memories items are. Default `fact`. */
  type?: MemoryType;
  /** The paths of a value that searches read. Default: all of it. */
  fields?: string[];
  /** A client to send with, in place of the settings of one. */
  reverie?: Reverie;
  /**
   * Takes what failed, and the graph goes on: nothing is found, nothing is kept. Without it a call rejects with
   * ReverieClientError, so that no item is taken for missing.
   */
  onFailure?: (error: ReverieClientError) => void;
}

interface Kept {
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  ttl: number | null;
  indexed: boolean;
}

const OWN = "langgraph";
const CONTENT_MAX = 8_000;
const PAGE = 200;
/** Items that one query ranks at most: the bound of a search of the API. */
const RANKED_MAX = 100;
/** What goes into one write, well under the bound on bodies. */
const BATCH_ITEMS = 100;
const BATCH_CHARS = 400_000;
const LIMIT = 10;
/** What is read goes to a model, also by a client that is given. */
const READING: RequestOptions = { forPrompt: true };

/** LangGraph's long-term store. Of a query it ranks at most 100 items, by words and meaning, and gives those that match. */
export class ReverieStore extends BaseStore {
  readonly reverie: Reverie;
  readonly #options: StoreOptions;

  constructor(options: StoreOptions = {}) {
    super();
    this.reverie = options.reverie ?? new Reverie({ ...options, forPrompt: true });
    this.#options = options;
  }

  /** Do these operations: what reads first, then what writes. It is not one transaction. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    const puts = new Map<string, PutOperation>();
    for (const one of operations) if ("value" in one) puts.set(JSON.stringify([one.namespace, one.key]), one);
    await this.#attempt(undefined, () => this.#write([...puts.values()]));
    return results as OperationResults<Op>;
  }

  #read(operation: Operation): Promise<unknown> {
    if ("namespacePrefix" in operation) return this.#attempt([], () => this.#search(operation));
    if ("value" in operation) return Promise.resolve();
    if ("key" in operation) return this.#attempt(null, () => this.#get(operation));
    return this.#attempt([], () => this.#listNamespaces(operation));
  }

  async #attempt<T>(instead: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ReverieClientError && this.#options.onFailure)) throw error;
      this.#options.onFailure(error);
      return instead;
    }
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    for await (const memory of this.#memoriesOf(namespace, key)) return { ...itemOf(memory, namespace), key };
    return null;
  }

  /** The memories of an item, or those about a user; where a dream has found something newer, they stand here still. */
  async *#memoriesOf(namespace: string[], key: string, about?: string): AsyncGenerator<MemoryRecord, void, undefined> {
    const query = { key: await keyOf(namespace, key), about, source: OWN, include: "superseded", limit: PAGE };
    yield* this.reverie.listMemories(query, READING);
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { limit = LIMIT, offset = 0, namespacePrefix, query } = operation;
    const found = query?.trim() ? await this.#ranked(operation, query) : await this.#listed(operation);
    return found
      .slice(offset, offset + limit)
      .map(({ memory, score }) => ({ ...itemOf(memory, namespacePrefix), score }));
  }

  async #ranked({ namespacePrefix, filter, limit = LIMIT, offset = 0 }: SearchOperation, query: string) {
    const within = neededOf(filter);
    const isExact = Object.keys(within).length === Object.keys(filter ?? {}).length;
    const options = {
      tags: [await tagOf(namespacePrefix)],
      metadata: { [OWN]: { indexed: true, value: within } },
      limit: isExact ? Math.min(RANKED_MAX, Math.max(1, offset + limit)) : RANKED_MAX,
      min_relevance: 0,
    };
    const { results } = await this.reverie.searchMemories(query, options, READING);
    return results.flatMap(({ memory, score }) =>
      memory && accepts(filter, keptOf(memory).value) ? [{ memory, score }] : [],
    );
  }

  /** The items below a namespace, newest first, as many as are needed. */
  async #listed({ namespacePrefix, filter, limit = LIMIT, offset = 0 }: SearchOperation) {
    const found: { memory: MemoryRecord; score?: number }[] = [];
    const seen = new Set<string | null>();
    for await (const memory of this.#within(await tagOf(namespacePrefix))) {
      if (found.length >= offset + limit) break;
      if (!seen.has(memory.key) && accepts(filter, keptOf(memory).value)) found.push({ memory });
      seen.add(memory.key);
    }
    return found;
  }

  #within(tag: string): AsyncGenerator<MemoryRecord, void, undefined> {
    return this.reverie.listMemories({ tag, source: OWN, include: "superseded", limit: PAGE }, READING);
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const prefix = beginningOf(matchConditions);
    const namespaces = new Map<string, string[]>();
    for await (const memory of this.#within(await tagOf(prefix))) {
      const namespace = shown(memory, prefix);
      if (!matchConditions.every((condition) => matches(namespace, condition))) continue;
      const cut = namespace.slice(0, maxDepth);
      namespaces.set(cut.join("\0"), cut);
    }
    const sorted = [...namespaces].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, namespace]) => namespace);
    return sorted.slice(offset, offset + limit);
  }

  async #write(operations: PutOperation[]): Promise<void> {
    const drafts = await Promise.all(operations.flatMap((one) => (one.value ? this.#draft(one, one.value) : [])));
    for (const batch of batches(drafts)) await this.reverie.saveMemories(batch);
    for (const { namespace, key, value } of operations) {
      if (!value) await this.#delete(namespace, key);
    }
  }

  /** Delete what was put for the client's user, who sees what is nobody's too, and where users are shared all. */
  async #delete(namespace: string[], key: string): Promise<void> {
    for await (const { id } of this.#memoriesOf(namespace, key, this.reverie.user)) {
      await this.reverie.deleteMemory(id);
    }
  }

  async #draft({ namespace, key, index }: PutOperation, value: Record<string, unknown>): Promise<MemoryDraft> {
    const text = index === false ? "" : textOf(value, index ?? this.#options.fields).slice(0, CONTENT_MAX);
    const prefixes = [...namespace.keys(), namespace.length].map((depth) => tagOf(namespace.slice(0, depth)));
    const kept: Kept = { namespace, key, value, ttl: null, indexed: Boolean(text) };
    return {
      type: this.#options.type ?? "fact",
      content: text || `${namespace.join(" / ")}: ${key || "(empty)"}`,
      key: await keyOf(namespace, key),
      tags: [OWN, ...(await Promise.all(prefixes))],
      metadata: { [OWN]: kept },
      source: { kind: OWN },
      agent: this.reverie.agent,
      user: this.reverie.user,
    };
  }
}

async function keyOf(namespace: string[], key: string): Promise<string> {
  return `${OWN} ${await digest([...namespace, key])}`;
}

async function tagOf(prefix: string[]): Promise<string> {
  return `in ${await digest(prefix)}`;
}

/** The labels with which all namespaces begin that can match. */
function beginningOf(conditions: MatchCondition[]): string[] {
  const path = conditions.find(({ matchType }) => matchType === "prefix")?.path ?? [];
  const open = path.indexOf("*");
  return open === -1 ? path : path.slice(0, open);
}

/** Drafts in as many writes as they need. */
function batches(drafts: MemoryDraft[]): MemoryDraft[][] {
  const made: MemoryDraft[][] = [];
  let room = 0;
  for (const draft of drafts) {
    const size = JSON.stringify(draft).length;
    const last = made.at(-1);
    if (last && last.length < BATCH_ITEMS && size <= room) {
      last.push(draft);
      room -= size;
    } else {
      made.push([draft]);
      room = BATCH_CHARS - size;
    }
  }
  return made;
}

function keptOf(memory: MemoryRecord): Kept {
  return memory.metadata[OWN] as Kept;
}

/** The namespace, with the labels asked for as they were given, where personal data in them is stored masked. */
function shown(memory: MemoryRecord, asked: string[]): string[] {
  return [...asked, ...keptOf(memory).namespace.slice(asked.length)];
}

function itemOf(memory: MemoryRecord, asked: string[]): Item {
  const { key, value } = keptOf(memory);
  const [createdAt, updatedAt] = [new Date(memory.created_at), new Date(memory.updated_at)];
  return { namespace: shown(memory, asked), key, value, createdAt, updatedAt };
}
