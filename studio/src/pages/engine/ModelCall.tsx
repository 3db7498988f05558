import type { ModelCallRecord } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyButton, CopyMenu } from "@/components/CopyMenu";
import { Dialog } from "@/components/Dialog";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { duration } from "@/components/text";
import { calls } from "@/data/client";
import { isMissing, useCall } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";

const { modelCalls: texts } = all;

function Facts({ call }: { call: ModelCallRecord }) {
  const facts: [string, ReactNode][] = [
    [texts.at, <Time key="at" value={call.at} exact />],
    [texts.purpose, texts.purposes[call.purpose]],
    [texts.model, call.model],
    [texts.agent, call.agent],
    [texts.owners, call.owners.join(", ")],
    [texts.outcome, texts.outcomes[call.outcome]],
    [texts.reason, call.error],
    [
      texts.attempts,
      [texts.attempt(call.attempt), call.failover ? texts.failover : undefined].filter(Boolean).join(" · "),
    ],
    [texts.tokens, texts.inAndOut(call.prompt_tokens, call.completion_tokens)],
    [texts.cost, texts.dollars(call.cost_usd)],
    [texts.took, duration(call.ms)],
    [
      texts.dream,
      call.dream_id && (
        <Link key="dream" to="/dreams" search={{ agent: call.agent ?? undefined, dream: call.dream_id }}>
          {texts.toDream}
        </Link>
      ),
    ],
  ];
  return (
    <dl className={css.facts}>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Said({ title, text, whole }: { title: string; text: string; whole: number }) {
  return (
    <section aria-label={title} className="stack">
      <div className="row">
        <h3>{title}</h3>
        <span className="small faint">{texts.characters(whole)}</span>
        <span className="grow" />
        {text && <CopyButton text={text} label={texts.copy(title)} />}
      </div>
      {text ? <pre className="words">{text}</pre> : <p className="faint">{texts.nothing}</p>}
    </section>
  );
}

/** One call with what was asked and answered. */
export function ModelCall({ id, onClose }: { id: string; onClose: () => void }) {
  const call = calls.getModelCall(id);
  const { data, error, refetch } = useCall(call);
  const missing = isMissing(error);
  return (
    <Dialog
      title={texts.title}
      wide
      onClose={onClose}
      actions={<CopyMenu call={call} python={["get_model_call", { call: id }]} />}
    >
      {missing && <EmptyState title={texts.missing} text={texts.missingText} />}
      {error && !missing && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div className="stack">
          <Facts call={data} />
          <Said title={texts.input} text={data.input} whole={data.input_chars} />
          <Said title={texts.output} text={data.output} whole={data.output_chars} />
        </div>
      )}
    </Dialog>
  );
}
