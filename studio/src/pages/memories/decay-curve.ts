/** The importance of a memory over time, as the service works it out: halved once for every full period without use. */

import type { MemoryRecord } from "@reverie/client";

const DAY_MS = 86_400_000;
const AHEAD_PERIODS = 3;
const POINTS_PERIODS_MAX = 60;

export interface Curve {
  times: string[];
  values: number[];
  /** When it was last used: saved, said again or recalled, as far as that is known. */
  lastUse: number;
}

function steps(importance: number, from: number, to: number, halvingMs: number): [number, number][] {
  const points: [number, number][] = [[from, importance]];
  for (let period = 1; period <= POINTS_PERIODS_MAX && from + period * halvingMs <= to; period++) {
    const at = from + period * halvingMs;
    points.push([at - 1_000, importance * 0.5 ** (period - 1)], [at, importance * 0.5 ** period]);
  }
  points.push([to, points.at(-1)?.[1] ?? importance]);
  return points;
}

/**
 * From when it was saved to some time ahead. `halving`: days; undefined where it stays. Of recalls the API knows the
 * last, so that the fall before it is what it would have been without others.
 */
export function decayCurve(memory: MemoryRecord, halving: number | undefined, now = Date.now()): Curve {
  const created = Math.min(Date.parse(memory.created_at), now);
  const recalled = memory.last_accessed_at ? Date.parse(memory.last_accessed_at) : created;
  const lastUse = Math.max(created, recalled);
  const { importance } = memory;
  if (halving === undefined) {
    const times = [created, Math.max(now, created + DAY_MS)];
    return { times: times.map((time) => new Date(time).toISOString()), values: times.map(() => importance), lastUse };
  }
  const halvingMs = halving * DAY_MS;
  const ahead = Math.max(now, lastUse) + AHEAD_PERIODS * halvingMs;
  const before = lastUse > created ? steps(importance, created, lastUse - 1_000, halvingMs) : [];
  const points = [...before, ...steps(importance, lastUse, ahead, halvingMs)];
  return {
    times: points.map(([time]) => new Date(time).toISOString()),
    values: points.map(([, value]) => value),
    lastUse,
  };
}
