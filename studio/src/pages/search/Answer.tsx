import type { Answer as AnswerOf } from "@reverie/client";
import { Chip } from "@/components/Chip";
import { Viewer } from "@/components/Owners";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { duration } from "@/components/text";
import { search as texts } from "@/strings/search";
import { Explanation } from "./Explanation";
import { idOf, Result } from "./Result";
import css from "./search.module.css";

export type Preview = AnswerOf<"preview_search">;
const STAGES = ["prepare", "embed", "plan", "candidates", "rank", "records", "rerank"];

function Timings({ timings }: { timings: Preview["timings_ms"] }) {
  const stages = STAGES.filter((stage) => timings[stage] !== undefined);
  const whole = stages.reduce((sum, stage) => sum + (timings[stage] ?? 0), 0) || 1;
  return (
    <figure className={css.timings} aria-label={texts.stages}>
      <div aria-hidden="true">
        {stages.map((stage) => (
          <i key={stage} data-stage={stage} style={{ width: `${((timings[stage] ?? 0) / whole) * 100}%` }} />
        ))}
      </div>
      <figcaption className="small soft">
        {stages.map((stage) => (
          <span key={stage} data-stage={stage} className="num">
            <i aria-hidden="true" />
            {texts.stageNames[stage]} {(timings[stage] ?? 0).toFixed(1)}
          </span>
        ))}
        <strong className="num">{duration(timings.total ?? 0)}</strong>
      </figcaption>
    </figure>
  );
}

/** What a search answered, or what it is about to. */
export function Answer({
  name,
  state,
  beside,
  expected,
  onExpect,
  onApply,
}: {
  name: string | undefined;
  state: {
    data: Preview | undefined;
    error: unknown;
    isFetching: boolean;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  /** The answer of the search beside this one. */
  beside?: Preview;
  expected: string | undefined;
  onExpect: (id: string) => void;
  onApply: (changes: Record<string, unknown>) => void;
}) {
  const { data, error } = state;
  if (error) return <ErrorState error={error} onRetry={state.refetch} />;
  if (!data) return <Skeleton lines={9} />;
  const places = new Map(beside?.results.map((result) => [idOf(result), result.rank]));
  const rank = data.results.find((result) => idOf(result) === expected)?.rank;
  return (
    <section className={css.answer} aria-busy={state.isPlaceholderData} aria-label={name ?? texts.title}>
      <output className="row">
        {name && <Chip tone="accent">{name}</Chip>}
        <strong className="num">{texts.results(data.results.length, data.tokens)}</strong>
        <span className="soft small">
          {data.strategy}
          {data.tier && `, ${texts.tiers[data.tier]}`}
        </span>
        <Viewer of={data.viewer} />
      </output>
      {data.degraded && (
        <p className={css.degraded} role="alert">
          {texts.degraded(data.degraded.reason, data.degraded.fallback)}
        </p>
      )}
      {data.pending > 0 && <p className="soft small">{texts.pending(data.pending)}</p>}
      <Timings timings={data.timings_ms} />
      {data.explanation && <Explanation one={data.explanation} rank={rank} onApply={onApply} />}
      {data.results.length === 0 ? (
        <EmptyState title={texts.none} text={texts.noneText} />
      ) : (
        <ol className={`card ${css.results}`} aria-label={texts.title}>
          {data.results.map((result) => (
            <Result
              key={idOf(result)}
              result={result}
              isExpected={idOf(result) === expected}
              elsewhere={beside && { rank: places.get(idOf(result)) }}
              onExpect={onExpect}
            />
          ))}
        </ol>
      )}
    </section>
  );
}
