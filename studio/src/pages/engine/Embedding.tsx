import type { Answer } from "@reverie/client";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Confirm } from "@/components/Dialog";
import { attempt } from "@/components/Toast";
import { api, calls } from "@/data/client";
import { refresh, useCall } from "@/data/queries";
import { engine as all } from "@/strings/engine";

const { health: texts } = all;

/** What has no vector yet, a new run over everything, and what could embed here. */
export function Embedding({ state }: { state: Answer<"get_engine"> }) {
  const { data } = useCall(calls.listEmbeddingProviders());
  const [isAsking, setIsAsking] = useState(false);
  const { reindex, pending } = state;
  const { change } = state.embedder;
  const running = change?.waiting === false ? change : reindex?.finished_at === null ? reindex : undefined;

  async function start(force: boolean) {
    setIsAsking(false);
    await attempt(() => api.startReindex({ force }), texts.started_);
    await refresh("/v1/engine");
  }

  return (
    <section className="card stack" aria-label={texts.embedding}>
      <h2>{texts.embedding}</h2>
      {running && (
        <div className="row">
          <progress max={running.total || undefined} value={running.total ? running.done : undefined} />
          <span className="num">{texts.progress(running.done, running.total ?? 0)}</span>
        </div>
      )}
      {change?.waiting && <p role="status">{texts.waiting(change.signature)}</p>}
      <p className="soft">{texts.pending(pending)}</p>
      <div className="row">
        <Button onClick={() => start(false)}>{texts.embedPending}</Button>
        <Button onClick={() => setIsAsking(true)}>{texts.embedAll}</Button>
      </div>
      <h3>{texts.providers}</h3>
      <ul className="stack">
        {data?.items.map((one) => (
          <li key={one.setting}>
            <div className="row">
              <code>{one.setting}</code>
              <Chip tone={one.active ? "accent" : undefined}>
                {one.active ? texts.active : one.available ? texts.available : texts.absent}
              </Chip>
            </div>
            <p className="soft small">{one.reason}</p>
          </li>
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title={texts.embedAllTitle}
          action={texts.embedAll}
          onConfirm={() => start(true)}
          onClose={() => setIsAsking(false)}
        >
          <p>{change?.waiting ? texts.changeText(change.signature) : texts.embedAllText}</p>
        </Confirm>
      )}
    </section>
  );
}
