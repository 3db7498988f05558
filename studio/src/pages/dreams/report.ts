/** What a dream says of itself, in words. */

import type { Dream } from "@reverie/client";
import type { Tone } from "@/components/Chip";
import { dreams as texts } from "@/strings/dreams";

/** What a dream under way has found and not yet compared with what is known. */
export interface StagedCandidate {
  type: string;
  content: string;
}

export interface DreamReport {
  messages?: number;
  memories?: number;
  read?: number;
  candidates?: number;
  newest?: StagedCandidate[];
  step?: string;
  stopped?: string | null;
  extractor?: string;
  llm?: { calls?: number; tokens?: number; cost_usd?: number };
  decisions?: Record<string, number>;
}

export function reportOf(dream: Dream): DreamReport & Record<string, unknown> {
  return dream.report;
}

export const STATUS_TONES: Record<Dream["status"], Tone | undefined> = {
  queued: "warn",
  running: "accent",
  succeeded: "good",
  failed: "bad",
  undone: "warn",
  dry_run: "accent",
};

export function isOver({ status }: Dream): boolean {
  return status !== "queued" && status !== "running";
}

/** What a dream did, in counts. */
export function countsOf(dream: Dream): string {
  const report = reportOf(dream);
  if (dream.status === "queued") return texts.waiting;
  if (dream.status === "running") {
    return report.messages === undefined ? "" : texts.live.readOf(report.read ?? 0, report.messages);
  }
  if (dream.status === "failed") return dream.error ?? "";
  const counts = Object.entries(texts.counted).flatMap(([name, word]) => {
    const number = report[name];
    return typeof number === "number" && number > 0 ? [`${number.toLocaleString("en")} ${word}`] : [];
  });
  return counts.join(", ") || texts.nothing;
}

export function cost(usd: number): string {
  return usd === 0 ? "$0" : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
