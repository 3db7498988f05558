import type { MemoryRecord, MemoryVersion } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { History as HistoryIcon } from "lucide-react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Diff } from "@/components/Diff";
import { ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { memories as texts } from "@/strings/memories";
import { plain } from "./About";
import css from "./memories.module.css";

/** What a revert brings back. */
const REVERTED = [
  "type",
  "content",
  "summary",
  "scope",
  "team",
  "task",
  "session",
  "user",
  "owners",
  "hearsay_by",
  "origin",
  "key",
  "importance",
  "confidence",
  "tags",
  "status",
  "decay_exempt",
  "metadata",
  "occurred_at",
  "expires_at",
] as const;
/** What else of a version is shown. */
const COMPARED = [...REVERTED, "deleted_at", "superseded_by", "valid_until"] as const;
const { history } = texts;

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function actorOf(named: string): string {
  const [kind = history.unknown, rest] = named.split(/:(.*)/s);
  return history.actors[kind] ?? rest ?? kind;
}

/** The fields that make the present memory what a version was. */
export function revertingChanges(present: MemoryRecord, version: MemoryVersion): Record<string, unknown> {
  const differing = REVERTED.filter((name) => !isEqual(present[name], version[name]));
  return Object.fromEntries(differing.map((name) => [name, version[name] ?? null]));
}

async function revert(memory: MemoryRecord, version: MemoryVersion) {
  const changes = { ...revertingChanges(memory, version), reason: history.reason(version.version) };
  await attempt(() => api.updateMemory(memory.id, memory.version, changes), history.reverted(version.version));
  await refresh("/v1/memories");
}

/** Every version of a memory, the present one first, each against the one before. */
export function History({ memory, canRevert }: { memory: MemoryRecord; canRevert: boolean }) {
  const { data, error, isPending, refetch } = useCall(calls.listMemoryHistory(memory.id));
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !data) return <Skeleton />;
  const newestFirst = data.items.map((version, at) => ({ version, before: data.items[at - 1] })).reverse();
  return (
    <ol className="stack" aria-label={texts.tabs.history}>
      {newestFirst.map(({ version, before }, at) => (
        <li key={version.version} className="card stack">
          <div className="row">
            <h3 className={css.versionTitle}>{history.version(version.version)}</h3>
            {at === 0 && <Chip tone="good">{history.current}</Chip>}
            <span className="small faint">
              <Time value={version.at} /> · <Actor version={version} agent={memory.agent} />
              {version.reason ? ` · ${version.reason}` : ""}
            </span>
            <span className="grow" />
            {canRevert && at > 0 && Object.keys(revertingChanges(memory, version)).length > 0 && (
              <Button small icon={<HistoryIcon aria-hidden="true" />} onClick={() => revert(memory, version)}>
                {history.revert}
              </Button>
            )}
          </div>
          <Diff before={before?.content ?? version.content} after={version.content} />
          {before && <Changed before={before} after={version} />}
        </li>
      ))}
    </ol>
  );
}

function Actor({ version, agent }: { version: MemoryVersion; agent: string }) {
  const name = actorOf(version.actor);
  if (!version.dream_id || !version.actor.startsWith("dream")) return name;
  return (
    <Link to="/dreams" search={{ agent, dream: version.dream_id }}>
      {name}
    </Link>
  );
}

function Changed({ before, after }: { before: MemoryVersion; after: MemoryVersion }) {
  // A summary that nobody wrote is the content.
  const isOwn = before.summary !== before.content || after.summary !== after.content;
  const names = COMPARED.filter(
    (name) => name !== "content" && (name !== "summary" || isOwn) && !isEqual(before[name], after[name]),
  );
  return names.map((name) => (
    <p key={name} className="small soft words">
      {history.change(name.replaceAll("_", " "), plain(before[name]), plain(after[name]))}
    </p>
  ));
}
