/** Values and failures in words. */

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
const utcDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const NOW_S = 5;
const UTC_MIDNIGHT = /T00:00:00(\.0+)?(Z|\+00:00)$/;

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

/** "day" for a moment that is midnight UTC: that of an event known to the day. */
export function precisionOf(moment: string): "day" | undefined {
  return UTC_MIDNIGHT.test(moment) ? "day" : undefined;
}

/** A day in local time; a moment known to the day only (midnight UTC) is that day everywhere. */
export function dayOf(moment: string | Date, precision?: "day"): string {
  return (precision === "day" ? utcDay : day).format(new Date(moment));
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
