import type { Answer, Schemas } from "@reverie/client";
import type { ReactNode } from "react";
import { Chip, type Tone } from "@/components/Chip";
import { ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { bytes, count, duration } from "@/components/text";
import { calls } from "@/data/client";
import { useReadiness } from "@/data/connection";
import { useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { engine as all } from "@/strings/engine";
import { Embedding } from "./Embedding";
import css from "./engine.module.css";
import { SetAside } from "./SetAside";
import { TrialRun } from "./TrialRun";

const { health: texts } = all;
const { facts } = texts;
const REFRESH_MS = 2_000;
const TONES: Record<string, Tone | undefined> = { ok: "good", failing: "bad", unknown: "warn" };

type State = Answer<"get_engine">;
type Facts = [label: string, value: ReactNode][];

const called = ({ latency_ms }: { latency_ms: number | null }) =>
  latency_ms === null ? undefined : duration(latency_ms);

function Tile({ title, status, error, of }: { title: string; status: string; error?: string | null; of: Facts }) {
  return (
    <section className="card stack" aria-label={title}>
      <header className="row">
        <h2 className="grow">{title}</h2>
        <Chip tone={TONES[status]} dot>
          {texts.states[status] ?? status}
        </Chip>
      </header>
      {error && <p className={`small words ${css.bad}`}>{error}</p>}
      <dl className={css.facts}>
        {of
          .filter(([, value]) => value !== undefined && value !== null && value !== "")
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="words num">{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function databaseFacts(database: State["database"]): Facts {
  if (!("postgres" in database)) return [[facts.lastCall, called(database)]];
  return [
    [facts.postgres, database.postgres],
    [facts.pgvector, database.pgvector],
    [facts.size, bytes(database.database_bytes)],
    [facts.searchIndex, bytes(database.search_index_bytes + database.search_terms_bytes)],
    [facts.connections, texts.busy(database.pool_open - database.pool_free, database.pool_max)],
    [facts.lastCall, called(database)],
  ];
}

function embedderFacts(embedder: State["embedder"]): Facts {
  return [
    [facts.source, embedder.source],
    [facts.modelName, embedder.model],
    [facts.dimensions, embedder.dim],
    [facts.signature, embedder.signature],
    [facts.storage, embedder.storage],
    [facts.lastCall, called(embedder)],
    [facts.cache, embedder.cache && texts.hits(embedder.cache.hits, embedder.cache.misses)],
  ];
}

function Tiles({ state }: { state: State }) {
  const { database, embedder, llm, reranker, dreams, pii, index } = state;
  return (
    <div className={css.tiles}>
      <Tile title={texts.database} status={database.status} error={database.error} of={databaseFacts(database)} />
      <Tile
        title={texts.embedder}
        status={embedder.source === "none" ? "off" : embedder.status}
        error={embedder.error}
        of={embedderFacts(embedder)}
      />
      <Tile
        title={texts.model}
        status={llm.status}
        error={llm.error}
        of={[
          [facts.modelName, llm.model ?? texts.noModel],
          [facts.lastCall, called(llm)],
        ]}
      />
      <Tile
        title={texts.reranker}
        status={reranker.model ? "ok" : "off"}
        of={[[facts.modelName, reranker.model ?? texts.noReranker]]}
      />
      <Tile
        title={texts.dreams}
        status={state.workers_status}
        of={[
          [facts.due, count(dreams.due, "agent")],
          [facts.running, dreams.running],
          [facts.oldest, dreams.oldest_due_at && <Time value={dreams.oldest_due_at} />],
        ]}
      />
      <Tile
        title={texts.pii}
        status={pii.mode === "off" ? "off" : "ok"}
        of={[
          [facts.mode, pii.mode],
          [facts.entities, pii.entities.join(", ")],
          [facts.missing, pii.not_found_here.join(", ")],
        ]}
      />
      <Tile
        title={texts.index}
        status="ok"
        of={[
          [facts.memories, index.memories.toLocaleString("en")],
          [facts.messages, index.messages.toLocaleString("en")],
          [facts.chunks, index.chunks.toLocaleString("en")],
          [facts.version, state.version],
        ]}
      />
    </div>
  );
}

function Workers({ workers }: { workers: NonNullable<State["workers"]> }) {
  return (
    <section className="card stack" aria-label={texts.workers}>
      <h2>{texts.workers}</h2>
      {workers.length === 0 && <p className="soft">{texts.noWorkers}</p>}
      <ul className="stack">
        {workers.map((worker) => (
          <li key={worker.worker} className="row">
            <code>{worker.worker}</code>
            <Chip tone={worker.alive ? "good" : "bad"} dot>
              {worker.alive ? texts.alive : texts.silent}
            </Chip>
            <span className="soft small">
              {texts.heartbeat} <Time value={worker.seen_at} />, {texts.started} <Time value={worker.started_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoDatabase({ ready, isStale }: { ready: Schemas["Readiness"]; isStale: boolean }) {
  return (
    <div className={css.problems} role="alert">
      <strong>{texts.noDatabase}</strong>
      <p>{ready.detail ?? (isStale ? texts.noDatabaseStale : texts.noDatabaseText)}</p>
    </div>
  );
}

function Checks({ checks }: { checks: Schemas["Readiness"]["checks"] }) {
  return (
    <div className={css.tiles}>
      {Object.entries(checks).map(([part, status]) => (
        <Tile key={part} title={texts.parts[part] ?? part} status={status} of={[]} />
      ))}
    </div>
  );
}

/** What works, looked at every other second. It needs no database to be shown. */
export function Health() {
  const { isAdmin, canWrite } = useRights();
  const { data, error, refetch } = useCall(calls.getEngine(), { refreshMs: REFRESH_MS });
  const ready = useReadiness();
  const lost = ready?.checks.database === "failing" ? ready : undefined;
  if (lost && !data) {
    return (
      <>
        <NoDatabase ready={lost} isStale={false} />
        <Checks checks={lost.checks} />
      </>
    );
  }
  if (error && !data) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={10} />;
  return (
    <>
      {lost ? (
        <NoDatabase ready={lost} isStale />
      ) : error ? (
        <p className={css.problems} role="alert">
          {texts.unavailable}
        </p>
      ) : data.problems.length > 0 ? (
        <div className={css.problems} role="alert">
          <strong>{texts.problems}</strong>
          <ul>
            {data.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      ) : (
        <p className={css.works}>{texts.works}</p>
      )}
      <Tiles state={data} />
      {data.workers && <Workers workers={data.workers} />}
      {canWrite && <TrialRun />}
      {isAdmin && <Embedding state={data} />}
      {isAdmin && <SetAside />}
    </>
  );
}
