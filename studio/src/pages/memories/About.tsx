import type { MemoryRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Fragment, lazy, type ReactNode, Suspense } from "react";
import { Chip } from "@/components/Chip";
import { CopyButton } from "@/components/CopyMenu";
import { Skeleton } from "@/components/States";
import { Happened, Time } from "@/components/Time";
import { useHalving } from "@/data/memory-types";
import { memories as texts } from "@/strings/memories";
import { MemoryLink } from "./MemoryLink";
import css from "./memories.module.css";

const Decay = lazy(async () => ({ default: (await import("./Decay")).Decay }));
const SHOWN_DIFFERENCE = 0.005;
const { about } = texts;

function readers(memory: MemoryRecord): string {
  const { agent, scope, team, task, session } = memory;
  switch (scope) {
    case "team":
      return about.scopes.team(team ?? "");
    case "task":
      return about.scopes.task(task ?? "");
    case "session":
      return about.scopes.session(agent, session ?? "");
    case "prime":
      return about.scopes.prime(agent);
    default:
      return about.scopes.agent(agent);
  }
}

/** A value of JSON as text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return texts.history.nothing;
  if (typeof value === "number") return Number.isInteger(value) ? `${value}` : value.toFixed(2);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length ? value.map(plain).join(", ") : texts.history.nothing;
  return typeof value === "object" ? JSON.stringify(value) : `${value}`;
}

function Metadata({ values }: { values: Record<string, unknown> }) {
  return (
    <ul>
      {Object.entries(values).map(([name, value]) => (
        <li key={name}>
          <code>{name}</code> {plain(value)}
        </li>
      ))}
    </ul>
  );
}

function Tags({ memory }: { memory: MemoryRecord }) {
  return (
    <span className="row">
      {memory.tags.map((tag) => (
        <Link key={tag} to="/memories" search={{ agent: memory.agent, tag }}>
          <Chip>{tag}</Chip>
        </Link>
      ))}
    </span>
  );
}

/** What is known of a memory beside its content. */
export function About({ memory }: { memory: MemoryRecord }) {
  const halving = useHalving(memory);
  const { agent, importance, effective_importance: now, access_count } = memory;
  const hasFaded = now < importance - SHOWN_DIFFERENCE;
  const rows: [string, ReactNode][] = [
    [about.agent, agent],
    [about.scope, readers(memory)],
    [
      about.user,
      memory.user && (
        <Link to="/people" search={{ agent, person: memory.user }}>
          {memory.user}
        </Link>
      ),
    ],
    [about.owners, memory.owners.length > 0 && plain(memory.owners)],
    [about.hearsay, memory.hearsay_by],
    [about.origin, about.origins[memory.origin]],
    [about.tags, memory.tags.length > 0 && <Tags memory={memory} />],
    [about.importance, hasFaded ? about.faded(importance.toFixed(2), now.toFixed(2)) : importance.toFixed(2)],
    [about.confidence, memory.confidence.toFixed(2)],
    [
      about.recalled,
      access_count ? (
        <>
          {about.recalledTimes(access_count)}
          <Time value={memory.last_accessed_at} />
        </>
      ) : (
        about.neverRecalled
      ),
    ],
    [about.happened, memory.occurred_at && <Happened memory={memory} />],
    [about.created, <Time key="created" value={memory.created_at} />],
    [about.updated, memory.version > 1 && <Time value={memory.updated_at} />],
    [about.validUntil, memory.valid_until && <Time value={memory.valid_until} />],
    [about.expires, memory.expires_at && <Time value={memory.expires_at} />],
    [about.supersededBy, memory.superseded_by && <MemoryLink id={memory.superseded_by} />],
    [about.status, memory.status],
    [about.fades, memory.decay_exempt && about.never],
    [
      about.session,
      memory.session && (
        <Link to="/sessions" search={{ agent, session: memory.session }}>
          {memory.session}
        </Link>
      ),
    ],
    [about.key, memory.key && <code>{memory.key}</code>],
    [about.source, typeof memory.source.kind === "string" && memory.source.kind],
    [about.metadata, Object.keys(memory.metadata).length > 0 && <Metadata values={memory.metadata} />],
    [about.summary, memory.summary && memory.summary !== memory.content && memory.summary],
    [about.version, memory.version],
    [
      about.dream,
      memory.dream_id && (
        <Link to="/dreams" search={{ agent, dream: memory.dream_id }}>
          {about.aDream}
        </Link>
      ),
    ],
    [
      about.id,
      <span className="row" key="id">
        <code>{memory.id}</code>
        <CopyButton text={memory.id} />
      </span>,
    ],
  ];
  return (
    <>
      <dl className={css.facts}>
        {rows.map(
          ([name, value]) =>
            value && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd className="words">{value}</dd>
              </Fragment>
            ),
        )}
      </dl>
      <Suspense fallback={<Skeleton lines={3} />}>
        <Decay memory={memory} halving={halving} />
      </Suspense>
    </>
  );
}
