/** Values and failures in words. */

import type { MemoryRecord } from "@reverie/client";
import { APIError, ConnectionFailed, InvalidRequest, NotAllowed, RateLimited } from "@reverie/client/errors";
import { common } from "@/strings/common";

/** What went wrong, and what to do about it where that is known. */
export function errorMessage(error: unknown): string {
  if (error instanceof ConnectionFailed) return common.errors.unreachable;
  if (error instanceof RateLimited) return common.errors.rateLimited;
  if (error instanceof InvalidRequest && error.errors.length) {
    return error.errors.map(({ msg }, at) => `${error.fields[at]}: ${msg}.`).join(" ");
  }
  if (error instanceof APIError) {
    const said = error.problem.detail ?? error.problem.title;
    if (error instanceof NotAllowed) return said ?? common.errors.notAllowed;
    return said ?? `Reverie answered ${error.status}.`;
  }
  return error instanceof Error ? error.message : `${error}`;
}

/** `1 memory`, `2,000 memories`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const calendars = {
  year: new Intl.DateTimeFormat("en-GB", { year: "numeric", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }),
  day: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }),
};
const DAY_MS = 86_400_000;
const NOW_S = 5;

/** How long ago, or in how long. */
export function relativeTime(moment: string | Date, now = Date.now()): string {
  const seconds = (new Date(moment).getTime() - now) / 1_000;
  if (Math.abs(seconds) < NOW_S) return common.time.now;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.round(seconds / length), unit);
}

/** A moment in local time, to the second. */
export function exactTime(moment: string | Date): string {
  return exact.format(new Date(moment));
}

/** A day in local time. */
export function dayOf(moment: string | Date): string {
  return day.format(new Date(moment));
}

export type Dated = Pick<MemoryRecord, "occurred_at" | "occurred_until" | "occurred_precision" | "created_at">;

/** The first and the last day of what is known to the day, month or year; undefined for a moment or no time. */
export function calendarDays({ occurred_at, occurred_until, occurred_precision }: Dated) {
  if (!occurred_at || !occurred_until || !occurred_precision || occurred_precision === "minute") return undefined;
  const last = new Date(Date.parse(occurred_until) - DAY_MS);
  return { precision: occurred_precision, first: new Date(occurred_at), last };
}

/** When it happened, no more exactly than that is known; undefined for a moment, and where it is not known. */
export function calendarTime(memory: Dated): string | undefined {
  const days = calendarDays(memory);
  return days && calendars[days.precision].formatRange(days.first, days.last);
}

/** `120 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** `512 bytes`, `1.5 MB`. */
export function bytes(size: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), BYTE_UNITS.length - 1);
  return `${(size / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${BYTE_UNITS[power]}`;
}
