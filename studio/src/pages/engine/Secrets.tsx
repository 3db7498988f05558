import type { Answer } from "@reverie/client";
import { useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Confirm } from "@/components/Dialog";
import { ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import { Findings } from "./Findings";

const { secrets: texts } = all;
const REFRESH_MS = 1_000;
type Scan = Answer<"get_rescan">;

const rowsOf = (scan: Scan) => Object.values(scan.rows).reduce((sum, one) => sum + one, 0);

function Progress({ scan }: { scan: Scan }) {
  const { total, done, dry_run } = scan;
  return (
    <div className="row" role="status">
      <progress max={total ?? undefined} value={total === null ? undefined : done} aria-label={texts.title} />
      <span>{total === null ? texts.queued : dry_run ? texts.looking : texts.masking}</span>
      {total !== null && <span className="num small faint">{texts.progress(done, total)}</span>}
    </div>
  );
}

function Outcome({ scan }: { scan: Scan }) {
  const rows = rowsOf(scan);
  return (
    <div className="stack">
      <p className="row" role="status">
        {scan.error && <Chip tone="bad">{texts.failed}</Chip>}
        <strong>{rows === 0 ? texts.clean : scan.dry_run ? texts.found(rows) : texts.masked(rows)}</strong>
        <span className="small faint">
          <Time value={scan.finished_at ?? ""} />
        </span>
      </p>
      {scan.error && <p className="words small">{scan.error}</p>}
      <p className="row">
        {Object.entries(scan.kinds).map(([kind, count]) => (
          <Chip key={kind}>
            {kind} · {count}
          </Chip>
        ))}
      </p>
    </div>
  );
}

/** Secrets in what is stored: looked for, listed without their values, masked when confirmed. */
export function Secrets() {
  const { data: scan, error, refetch } = useCall(calls.getRescan(), { refreshMs: REFRESH_MS });
  const [isAsking, setIsAsking] = useState(false);
  const running = scan?.running;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found is there when a scan begins or ends
  useEffect(() => void refresh("/v1/rescan/findings"), [running, scan?.requested_at]);
  if (error && !scan) return <ErrorState error={error} onRetry={refetch} />;
  if (!scan) return <Skeleton lines={4} />;
  const rows = rowsOf(scan);

  async function start(dry_run: boolean) {
    setIsAsking(false);
    await attempt(() => api.startRescan({ dry_run }));
    await refresh("/v1/rescan");
  }

  return (
    <>
      <section className="card stack" aria-label={texts.title}>
        <h2>{texts.title}</h2>
        <p className="soft">{texts.text}</p>
        {scan.requested_at === null ? <p className="soft">{texts.none}</p> : null}
        {running ? <Progress scan={scan} /> : scan.requested_at !== null && <Outcome scan={scan} />}
        <div className="row">
          <Button disabled={running} onClick={() => start(true)}>
            {texts.search}
          </Button>
          {scan.dry_run && !running && rows > 0 && (
            <Button kind="danger" onClick={() => setIsAsking(true)}>
              {texts.mask}
            </Button>
          )}
        </div>
      </section>
      {rows > 0 && <Findings />}
      {isAsking && (
        <Confirm
          danger
          title={texts.maskTitle}
          action={texts.mask}
          onConfirm={() => start(false)}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.maskText(rows)}</p>
        </Confirm>
      )}
    </>
  );
}
