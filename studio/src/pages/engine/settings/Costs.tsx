import type { Settings } from "@reverie/client";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "../engine.module.css";

const { settings: texts } = all;

function limitOf({ day_cost_max_usd: cost, day_tokens_max: tokens }: NonNullable<Settings["budget"]>): string {
  const limits = [
    ...(cost === null || cost === undefined ? [] : [texts.dollars(cost)]),
    ...(tokens === null || tokens === undefined ? [] : [texts.tokens(tokens)]),
  ];
  return limits.length ? texts.limits(limits.join(texts.or)) : texts.noLimit;
}

/** What costs money with the models and settings there are, where there is anything. */
export function Costs({ settings }: { settings: Settings }) {
  const { data: state } = useCall(calls.getEngine());
  const { proxy, retrieval, budget } = settings;
  const { costOf } = texts;
  const sentences = [
    state?.llm.model && costOf.llm(state.llm.model),
    state?.embedder.source === "remote" && costOf.embedder(state.embedder.model ?? ""),
    state?.reranker.model && costOf.reranker(state.reranker.model),
    proxy?.enabled && costOf.proxy(retrieval?.context_max_tokens ?? 0),
  ].filter((sentence): sentence is string => Boolean(sentence));
  if (sentences.length === 0 || !budget) return null;
  return (
    <aside className={`stack ${css.costs}`} aria-label={texts.costs}>
      <strong>{texts.costsTitle}</strong>
      {[...sentences, limitOf(budget)].map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </aside>
  );
}
