/** The fields of a memory as they are written, and as the API takes them. */

import type { MemoryRecord } from "@reverie/client";
import { calendarDays } from "@/components/text";
import { memories as texts } from "@/strings/memories";

export const GROUPS = ["team", "task", "session"] as const;
type Group = (typeof GROUPS)[number];

export interface Written {
  agent: string;
  content: string;
  type: string;
  scope: MemoryRecord["scope"];
  team: string;
  task: string;
  session: string;
  user: string;
  /** One per line: their names may have commas. */
  owners: string;
  tags: string;
  status: "open" | "done";
  importance: string;
  key: string;
  /** As ISO 8601 writes it: `2019`, `2019-05-03`, `2019/2022`, or a local time. */
  occurred: string;
  expires_at: string;
  metadata: string;
  decay_exempt: boolean;
  reason: string;
}

const EMPTY: Written = {
  agent: "",
  content: "",
  type: "fact",
  scope: "agent",
  team: "",
  task: "",
  session: "",
  user: "",
  owners: "",
  tags: "",
  status: "open",
  importance: "",
  key: "",
  occurred: "",
  expires_at: "",
  metadata: "",
  decay_exempt: false,
  reason: "",
};

export function emptyForm(agent: string | undefined): Written {
  return { ...EMPTY, agent: agent ?? "" };
}

/** A moment as a field for local time takes it. */
function toLocal(moment: string | null): string {
  if (!moment) return "";
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function fromLocal(written: string): string | null {
  if (!written) return null;
  const moment = new Date(written);
  return Number.isNaN(moment.getTime()) ? written : moment.toISOString();
}

export function formOf(memory: MemoryRecord): Written {
  return {
    agent: memory.agent,
    content: memory.content,
    type: memory.type,
    scope: memory.scope,
    team: memory.team ?? "",
    task: memory.task ?? "",
    session: memory.session ?? "",
    user: memory.user ?? "",
    owners: memory.owners.join("\n"),
    tags: memory.tags.join(", "),
    status: memory.status ?? "open",
    importance: `${Math.round(memory.importance * 1_000) / 1_000}`,
    key: memory.key ?? "",
    occurred: writtenTime(memory),
    expires_at: toLocal(memory.expires_at),
    metadata: Object.keys(memory.metadata).length ? JSON.stringify(memory.metadata, null, 2) : "",
    decay_exempt: memory.decay_exempt,
    reason: "",
  };
}

const DATE_LENGTHS = { year: 4, month: 7, day: 10 };

function writtenTime(memory: MemoryRecord): string {
  const days = calendarDays(memory);
  if (!days) return [memory.occurred_at, memory.occurred_until].filter(Boolean).map(toLocal).join("/");
  const [first, last] = [days.first, days.last].map((day) => day.toISOString().slice(0, DATE_LENGTHS[days.precision]));
  return first === last ? `${first}` : `${first}/${last}`;
}

/** A year, month or day as it is, a local time as a moment. */
const ofTime = (written: string) => (/^\d{4}(-\d\d){0,2}$/.test(written) ? written : fromLocal(written));

function timeOf(written: string) {
  const [first = "", last] = written.trim().split("/");
  const until = last ?? (first.includes("T") ? "" : first);
  return { occurred_at: ofTime(first), occurred_until: ofTime(until) };
}

function parsed(metadata: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(metadata.trim() || "{}");
    return value && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What keeps it from being saved, by field. */
export function problems(form: Written): Partial<Record<keyof Written, string>> {
  const importance = Number(form.importance);
  return {
    ...(form.agent.trim() ? {} : { agent: texts.form.noAgent }),
    ...(form.content.trim() ? {} : { content: texts.form.noContent }),
    ...(parsed(form.metadata) ? {} : { metadata: texts.form.badMetadata }),
    ...(importance >= 0 && importance <= 1 ? {} : { importance: texts.form.badImportance }),
  };
}

function listed(written: string, separator: string): string[] {
  return written
    .split(separator)
    .map((one) => one.trim())
    .filter(Boolean);
}

/** The fields as the API takes them; a group only where the scope has one, a status only where it is a todo. */
export function values(form: Written) {
  const group = GROUPS.find((name) => name === form.scope) as Group | undefined;
  return {
    content: form.content.trim(),
    type: form.type,
    scope: form.scope,
    ...(group ? { [group]: form[group].trim() || null } : {}),
    ...(form.type === "todo" ? { status: form.status } : {}),
    user: form.user.trim() || null,
    owners: listed(form.owners, "\n"),
    tags: listed(form.tags, ","),
    importance: form.importance.trim() === "" ? null : Number(form.importance),
    key: form.key.trim() || null,
    ...timeOf(form.occurred),
    expires_at: fromLocal(form.expires_at),
    metadata: parsed(form.metadata) ?? {},
    decay_exempt: form.decay_exempt,
  };
}

/** The fields that are no longer as they were. */
export function changesSince(before: Written, form: Written): Partial<ReturnType<typeof values>> {
  const former: Record<string, unknown> = values(before);
  const now = Object.entries(values(form));
  return Object.fromEntries(now.filter(([name, value]) => JSON.stringify(former[name]) !== JSON.stringify(value)));
}
