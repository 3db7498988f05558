/**
 * `Memory`: the methods of mem0's class of this name, and answers of the shape that the Python client gives.
 *
 * A `user_id` is the user to whom a memory belongs, an `agent_id` its agent and a `run_id` its session. Every memory has an agent:
 * the user, else the run, where none is named. A text is saved as it is; turns of a conversation are appended to a
 * session, found at once as they were said, and made into memories by a dream.
 */

import { NotAllowed, NotFound } from "./errors.js";
import { Reverie } from "./reverie.js";
import { saidIn, textOf } from "./text.js";
import type { ClientOptions } from "./transport.js";
import type { MemoryDraft, MemoryRecord, MessageDraft, MessageRecord, SavedMemory, SearchResult } from "./types.js";

type Json = Record<string, unknown>;

/** Whose memories are meant; one is needed. Both spellings mean the same. */
export interface Ids {
  user_id?: string;
  agent_id?: string;
  run_id?: string;
  userId?: string;
  agentId?: string;
  runId?: string;
}

export interface Turn {
  role: string;
  content: unknown;
  [field: string]: unknown;
}

export interface AddOptions extends Ids {
  metadata?: Json;
  /** Whether a dream makes memories of the turns (default), or each turn is saved as it is. */
  infer?: boolean;
}

export interface ListOptions extends Ids {
  limit?: number;
  /** Another name of `limit`. */
  top_k?: number;
  /** Values that metadata is equal to; they may name the ids. */
  filters?: Json;
}

export interface FindOptions extends ListOptions {
  /** The least relevance, from 0 to 1. */
  threshold?: number;
  rerank?: boolean;
}

/** A memory, or a turn, in mem0's words. */
export interface MemoryItem {
  id: string;
  memory: string;
  metadata: Json;
  created_at: string;
  updated_at: string | null;
  user_id: string | null;
  agent_id: string;
  run_id: string | null;
  /** Of a memory. */
  type?: string;
  /** Of a turn. */
  role?: string;
  /** Of what a search found. */
  score?: number;
  /** Of what was added: ADD, UPDATE, NONE, or PENDING for a turn that a dream will read. */
  event?: string;
}

export interface Results {
  results: MemoryItem[];
}

export interface HistoryItem {
  id: string;
  memory_id: string;
  old_memory: string | null;
  new_memory: string | null;
  event: "ADD" | "UPDATE" | "DELETE";
  created_at: string;
  is_deleted: boolean;
  actor_id: string | null;
  reason: string | null;
}

interface Owner {
  agent: string;
  user?: string;
  session?: string;
}

const PAGE = 200;
/** Results of one search at most: the bound of the API. */
const FOUND_MAX = 100;
const SYSTEM = "system";
const METADATA_LOST =
  "Metadata is not kept with turns: the memories that a dream makes of them have none; infer: false keeps it.";

export class Memory {
  /** Everything else. */
  readonly reverie: Reverie;

  constructor(options: ClientOptions = {}) {
    this.reverie = new Reverie(options);
  }

  /**
   * Keep a text as a memory, or turns of a conversation, of which a dream makes memories (`event` PENDING). With
   * `infer: false` each turn but those of the system and of tools is saved as a memory; turns themselves have no metadata.
   */
  async add(messages: string | Turn | Turn[], options: AddOptions): Promise<Results> {
    const whose = ownerOf(options);
    const { metadata = {}, infer = true } = options;
    if (typeof messages === "string") return this.#save([draft(whose, messages, metadata)]);
    const turns = Array.isArray(messages) ? messages : [messages];
    if (infer) {
      if (Object.keys(metadata).length) console.warn(METADATA_LOST);
      return this.#append(turns, whose);
    }
    const kept = turns.filter((turn) => saidIn(turn));
    return this.#save(kept.map((turn) => draft(whose, saidIn(turn), { ...metadata, role: turn.role })));
  }

  /** Memories and turns, best first. */
  async search(query: string, options: FindOptions): Promise<Results> {
    const [whose, metadata] = filtered(options);
    const wanted = options.top_k ?? options.limit ?? 20;
    const filters = Object.keys(metadata).length > 0;
    const answer = await this.reverie.searchMemories(query, {
      ...whose,
      limit: whose.session || whose.user ? FOUND_MAX : Math.min(FOUND_MAX, wanted),
      include: filters ? ["memories"] : ["memories", "messages"],
      metadata: filters ? metadata : undefined,
      min_relevance: options.threshold,
      rerank: options.rerank || undefined,
    });
    const results = answer.results.flatMap((one) => {
      const found = foundItem(one, whose);
      return found ? [{ ...found, score: one.score }] : [];
    });
    return { results: results.slice(0, wanted) };
  }

  /** A memory; null for one that is not there. */
  async get(memoryId: string): Promise<MemoryItem | null> {
    try {
      return memoryItem(await this.reverie.getMemory(memoryId));
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  /** Memories, newest first. */
  async getAll(options: ListOptions): Promise<Results> {
    const [whose, metadata] = filtered(options);
    const results: MemoryItem[] = [];
    const wanted = options.top_k ?? options.limit ?? 100;
    if (wanted < 1) return { results };
    for await (const one of this.reverie.listMemories({ ...whose, limit: PAGE })) {
      if (isOf(one, whose.user) && Object.entries(metadata).every(([name, value]) => one.metadata[name] === value))
        results.push(memoryItem(one));
      if (results.length === wanted) break;
    }
    return { results };
  }

  /** Give a memory another text and, where it is given, other metadata. Rejects with NotFound, Conflict. */
  async update(memoryId: string, data: string, metadata?: Json): Promise<{ message: string }> {
    const { version } = await this.reverie.getMemory(memoryId);
    await this.reverie.updateMemory(memoryId, version, { content: data, metadata });
    return { message: "The memory is updated." };
  }

  /** Delete a memory. Rejects with NotFound. */
  async delete(memoryId: string): Promise<{ message: string }> {
    await this.reverie.deleteMemory(memoryId);
    return { message: "The memory is deleted." };
  }

  /**
   * Forget a user for good, turns and all, of every agent (it needs an admin key); or, where an agent or a run is named,
   * delete the memories there.
   */
  async deleteAll(options: Ids): Promise<{ message: string; [receipt: string]: unknown }> {
    const { user, agent, run } = named(options);
    const whose = ownerOf(options);
    if (user && !agent && !run) {
      return { message: `All that is known of ${user} is deleted.`, ...(await this.reverie.purgeUser(user)) };
    }
    const found: string[] = [];
    for await (const one of this.reverie.listMemories({ ...whose, limit: PAGE })) {
      if (isOf(one, whose.user)) found.push(one.id);
    }
    for (const id of found) {
      await this.reverie.deleteMemory(id).catch((error) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
    return { message: `Memories deleted: ${found.length}.` };
  }

  /** What became of a memory, oldest first. */
  async history(memoryId: string): Promise<HistoryItem[]> {
    const { items } = await this.reverie.listMemoryHistory(memoryId);
    return items.map((version, index) => {
      const before = items[index - 1];
      const deleted = version.deleted_at !== null;
      return {
        id: `${memoryId}/${version.version}`,
        memory_id: memoryId,
        old_memory: before?.content ?? null,
        new_memory: deleted ? null : version.content,
        event: deleted ? "DELETE" : before ? "UPDATE" : "ADD",
        created_at: version.at,
        is_deleted: deleted,
        actor_id: version.actor,
        reason: version.reason,
      };
    });
  }

  async #save(drafts: MemoryDraft[]): Promise<Results> {
    const { items } = drafts.length ? await this.reverie.saveMemories(drafts) : { items: [] as SavedMemory[] };
    return {
      results: items.flatMap(({ memory, created, updated }) =>
        memory ? [{ ...memoryItem(memory), event: created ? "ADD" : updated ? "UPDATE" : "NONE" }] : [],
      ),
    };
  }

  /** Append turns to the session of the run, else of the user, and ask for a dream without waiting for it. */
  async #append(turns: Turn[], whose: Owner): Promise<Results> {
    const { agent, user } = whose;
    const session = whose.session ?? user ?? agent;
    const { messages } = await this.reverie.appendMessages(session, turns as MessageDraft[], { user, agent });
    if (messages.length) await this.#askForDream(agent);
    const event = (role: string) => (role === SYSTEM ? "NONE" : "PENDING");
    return { results: messages.map((one) => ({ ...turnItem(one, agent, session), event: event(one.role) })) };
  }

  async #askForDream(agent: string): Promise<void> {
    try {
      await this.reverie.requestDream(agent);
    } catch (error) {
      // The key is bound to another agent, which is who acts.
      if (!(error instanceof NotAllowed || error instanceof NotFound)) throw error;
      const bound = await this.reverie.getCaller();
      if (!bound.agent) throw error;
      await this.reverie.requestDream(bound.agent);
    }
  }
}

function named(ids: Ids) {
  return { user: ids.user_id ?? ids.userId, agent: ids.agent_id ?? ids.agentId, run: ids.run_id ?? ids.runId };
}

/** Throws TypeError where nobody is named. */
function ownerOf(ids: Ids): Owner {
  const { user, agent, run } = named(ids);
  const acting = agent || user || run;
  if (!acting) throw new TypeError("one of user_id, agent_id and run_id is needed");
  return { agent: acting, user, session: run };
}

/** Whose memories are meant and with what metadata, where the ids may be among the filters. */
function filtered(options: ListOptions): [Owner, Json] {
  const { user_id, agent_id, run_id, userId, agentId, runId, ...metadata } = { ...options.filters };
  const ids = { user_id, agent_id, run_id, userId, agentId, runId } as Ids;
  for (const [name, value] of Object.entries(metadata)) {
    if (["AND", "OR", "NOT"].includes(name) || (typeof value === "object" && value !== null)) {
      throw new TypeError(`filters: ${name} is no plain value to be equal to; Reverie.search has more filters`);
    }
  }
  const { user, agent, run } = named(ids);
  const given = named(options);
  return [ownerOf({ user_id: user ?? given.user, agent_id: agent ?? given.agent, run_id: run ?? given.run }), metadata];
}

function draft(whose: Owner, content: string, metadata: Json): MemoryDraft {
  return { type: "fact", content, metadata, ...whose };
}

/** Whether a memory or a turn is the user's, where one is named: what belongs to nobody is found for users too. */
function isOf(found: MemoryRecord | MessageRecord, user?: string): boolean {
  return user === undefined || found.user === user || found.owners.includes(user);
}

/** What a search found, in mem0's words; undefined for what is another run's or not the user's, or no text. */
function foundItem({ memory, message }: SearchResult, { session, user }: Owner): MemoryItem | undefined {
  const isMeant = (found: MemoryRecord | (MessageRecord & { session: string })) =>
    (session === undefined || session === found.session) && isOf(found, user);
  if (memory) return isMeant(memory) ? memoryItem(memory) : undefined;
  if (!message || !isMeant(message) || !textOf(message.content)) return undefined;
  return turnItem(message, message.agent, message.session);
}

/** A memory in mem0's words. */
function memoryItem(memory: MemoryRecord): MemoryItem {
  return {
    id: memory.id,
    memory: memory.content,
    metadata: memory.metadata,
    created_at: memory.created_at,
    updated_at: memory.updated_at,
    user_id: memory.user,
    agent_id: memory.agent,
    run_id: memory.session,
    type: memory.type,
  };
}

/** A turn in the same words; its id is that of a message, which `get` does not know. */
function turnItem(turn: MessageRecord, agent: string, session: string): MemoryItem {
  return {
    id: turn.id,
    memory: textOf(turn.content),
    metadata: {},
    created_at: turn.created_at,
    updated_at: null,
    user_id: turn.user,
    agent_id: agent,
    run_id: session,
    role: turn.role,
  };
}
