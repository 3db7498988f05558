import type { Dream } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Chip } from "@/components/Chip";
import { CopyMenu } from "@/components/CopyMenu";
import { Owners } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { duration } from "@/components/text";
import { calls } from "@/data/client";
import { isMissing, refresh, useCall } from "@/data/queries";
import { useRights } from "@/data/session";
import { dreams as texts } from "@/strings/dreams";
import { Changes } from "./Changes";
import css from "./dreams.module.css";
import { Live } from "./Live";
import { cost, isOver, reportOf, STATUS_TONES } from "./report";
import { UndoDream } from "./UndoDream";

const LIVE_MS = 700;
const TITLES: Partial<Record<Dream["status"], string>> = {
  dry_run: texts.wouldChange,
  undone: texts.hadChanged,
  failed: texts.didNotEnd,
};

export function DreamDetail({ id }: { id: string }) {
  const call = calls.getDream(id);
  const { data: dream, error, isPending, refetch } = useCall(call);
  const isLive = dream !== undefined && !isOver(dream);
  useCall(call, { refreshMs: isLive ? LIVE_MS : undefined });
  const wasLive = useRef(false);
  useEffect(() => {
    if (wasLive.current && !isLive) void refresh("/v1/dreams");
    wasLive.current = isLive;
  }, [isLive]);

  if (isMissing(error)) return <EmptyState title={texts.missing} text={texts.missingText} />;
  if (error && !dream) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending || !dream) return <Skeleton />;
  const { status } = dream;
  const { stopped } = reportOf(dream);
  return (
    <article className="stack" aria-label={texts.title}>
      <div className="row">
        <h2>{isLive ? texts.live.title : (TITLES[status] ?? texts.changed)}</h2>
        <Chip tone={STATUS_TONES[status]} dot>
          {texts.statuses[status]}
        </Chip>
        <Owners of={dream.owners} />
        <span className="grow" />
        {status === "succeeded" && <UndoDream id={id} />}
        <CopyMenu call={call} python={["get_dream", { dream_id: id }]} />
      </div>
      {status === "failed" && (
        <div className={`${css.note} ${css.badNote}`}>
          <p className="words">{texts.failed(dream.error ?? "")}</p>
          <p>{texts.failedText}</p>
        </div>
      )}
      {status === "undone" && <p className={css.note}>{texts.undoneText}</p>}
      {status === "dry_run" && <p className={css.note}>{texts.dryRunText}</p>}
      {stopped && <p className={css.note}>{texts.stopped(stopped)}</p>}
      <Facts dream={dream} />
      {isLive ? <Live dream={dream} /> : status !== "failed" && <Changes dream={dream} />}
    </article>
  );
}

/** A link to what the model was asked in a dream. */
function ItsCalls({ dream }: { dream: Dream }) {
  return (
    <Link to="/engine" search={{ agent: dream.agent, tab: "model-calls", dream: dream.id }}>
      {texts.toCalls}
    </Link>
  );
}

function Facts({ dream }: { dream: Dream }) {
  const { isAdmin } = useRights();
  const report = reportOf(dream);
  const { started_at: from, finished_at: to } = dream;
  const took = from && to ? duration(new Date(to).getTime() - new Date(from).getTime()) : undefined;
  const { calls: asked, tokens, cost_usd: usd } = report.llm ?? {};
  const facts: [string, React.ReactNode][] = [
    [texts.facts.agent, dream.agent],
    [texts.facts.created, <Time key="at" value={dream.created_at} />],
    [texts.facts.trigger, texts.triggers[dream.trigger] ?? dream.trigger],
    [texts.facts.took, took],
    [texts.facts.read, isOver(dream) && texts.messages(report.messages ?? 0, report.memories ?? 0)],
    [texts.facts.model, report.extractor === "rules" ? texts.rules : report.extractor],
    [texts.facts.cost, asked ? `${cost(usd ?? 0)} · ${texts.usage(asked, tokens ?? 0)}` : undefined],
    [texts.facts.calls, asked && isAdmin && <ItsCalls key="calls" dream={dream} />],
    [
      texts.facts.decisions,
      Object.entries(report.decisions ?? {})
        .filter(([, number]) => number > 0)
        .map(([name, number]) => `${number.toLocaleString("en")} ${name}`)
        .join(", "),
    ],
  ];
  return (
    <dl className={css.facts}>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
