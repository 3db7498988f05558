/** The types of memories, and what the workspace's settings say of them. */

import type { MemoryRecord } from "@reverie/client";
import { calls } from "./client";
import { useCall } from "./queries";

const CONCLUDED = "insight";
const BUILT_IN = ["fact", "preference", "decision", "identity", "event", "observation", "goal", "todo", CONCLUDED];
const FADING = new Set(["event", "observation"]);
const DECAY_DAYS = 30;

/** The built-in types of memories, and the workspace's own. */
export function useMemoryTypes(): string[] {
  const { data } = useCall(calls.getSettings());
  return [...BUILT_IN, ...Object.keys(data?.memory_types ?? {})];
}

/** What a type is for, where the workspace says so. */
export function useOwnTypes(): Record<string, string> {
  const { data } = useCall(calls.getSettings());
  return Object.fromEntries(
    Object.entries(data?.memory_types ?? {}).map(([name, { description }]) => [name, description ?? ""]),
  );
}

/** The types that somebody can write: an insight is concluded. */
export function writable(types: string[]): string[] {
  return types.filter((type) => type !== CONCLUDED);
}

/** After how many days without use a memory's importance halves; undefined where it does not. */
export function useHalving(memory: MemoryRecord): number | undefined {
  const { data } = useCall(calls.getSettings());
  const like = data?.memory_types?.[memory.type]?.like ?? memory.type;
  if (!FADING.has(like) || memory.decay_exempt) return undefined;
  return data?.retention?.decay_days ?? DECAY_DAYS;
}
