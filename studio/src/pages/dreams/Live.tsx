import type { Dream } from "@reverie/client";
import { Square } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { attempt } from "@/components/Toast";
import { duration } from "@/components/text";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { useRights } from "@/data/session";
import { dreams as texts } from "@/strings/dreams";
import css from "./dreams.module.css";
import { Newest } from "./Newest";
import { cost, reportOf } from "./report";

const { live: words } = texts;
const TICK_MS = 1_000;
/** A dream that waits longer than this has probably no worker to run it. */
const NO_WORKER_MS = 10_000;
const STAGES = ["queued", "read", "compare", "write"] as const;
type Stage = (typeof STAGES)[number];

function stageOf(dream: Dream): Stage {
  const { step, read = 0, messages } = reportOf(dream);
  if (dream.status === "queued") return "queued";
  if (step === "write" || step === "compare") return step;
  return messages !== undefined && read >= messages ? "compare" : "read";
}

/** A dream under way: its stage, how far it has read, what it has found, what that cost so far, and a way to stop it. */
export function Live({ dream }: { dream: Dream }) {
  const { canWrite } = useRights();
  const [stops, setStops] = useState(false);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const { read = 0, messages, candidates, newest = [], llm } = reportOf(dream);
  const stage = stageOf(dream);
  const elapsed = Math.max(0, now - new Date(dream.created_at).getTime());
  const isQueued = dream.status === "queued";

  async function stop() {
    const done = await attempt(() => api.cancelDream(dream.id), words.stopped);
    setStops(false);
    if (done) await refresh("/v1/dreams");
  }

  return (
    <section className={`card stack ${css.live}`} aria-label={words.title}>
      <ol className={css.stages}>
        {STAGES.map((one) => (
          <li key={one} aria-current={one === stage ? "step" : undefined}>
            {words.stages[one]}
          </li>
        ))}
      </ol>
      <progress
        aria-label={words.progress}
        max={messages || undefined}
        value={messages ? Math.min(read, messages) : undefined}
      />
      <p role="status" className="num">
        {messages === undefined ? texts.statuses[dream.status as "queued"] : words.readOf(read, messages)}
      </p>
      <p className="small soft num">
        {[
          words.elapsed(duration(elapsed)),
          candidates !== undefined && words.candidates(candidates),
          llm?.calls && `${cost(llm.cost_usd ?? 0)}, ${texts.usage(llm.calls, llm.tokens ?? 0)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {stage === "compare" && <p className="soft">{words.atWrite}</p>}
      {isQueued && elapsed > NO_WORKER_MS && <p className={css.note}>{words.noWorker}</p>}
      {canWrite && (
        <div>
          <Button kind="danger" icon={<Square />} onClick={() => setStops(true)}>
            {words.stop}
          </Button>
        </div>
      )}
      <Newest candidates={newest} />
      {stops && (
        <Confirm title={words.stopTitle} action={words.stop} danger onConfirm={stop} onClose={() => setStops(false)}>
          <p>{words.stopText}</p>
        </Confirm>
      )}
    </section>
  );
}
