import type { Schemas } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { useAgent } from "@/data/agents";
import { search as texts } from "@/strings/search";
import css from "./search.module.css";

type Explained = Schemas["Explanation"];
const { expected: words } = texts;
const STAGES = [
  "filters",
  "candidates",
  "min_relevance",
  "duplicate",
  "limit",
  "rerank",
  "max_tokens",
  "polarity",
  "returned",
] as const;

export const decimal = (value: number) => value.toFixed(3);

function because(one: Explained): string {
  if (one.stage === "filters") {
    return words.because.filters(one.filters.map((name) => words.states[name] ?? name).join(", "));
  }
  if (one.stage === "min_relevance") return words.because.min_relevance(decimal(one.min_relevance ?? 0));
  return words.because[one.stage]();
}

/** The stages of a search, with that which lost the memory. */
function Stages({ at }: { at: Explained["stage"] }) {
  const reached = STAGES.indexOf(at);
  return (
    <ol className={css.stages}>
      {STAGES.map((stage, index) => {
        const isLost = index === reached && stage !== "returned";
        const state = isLost ? css.lost : index <= reached ? css.passed : css.after;
        return (
          <li key={stage} className={state} aria-current={index === reached ? "step" : undefined}>
            {isLost ? <X aria-hidden="true" /> : index <= reached && <Check aria-hidden="true" />}
            {words.stages[stage]}
          </li>
        );
      })}
    </ol>
  );
}

function Needs({ one, onApply }: { one: Explained; onApply: (changes: Record<string, unknown>) => void }) {
  if (one.found) return null;
  if (one.would_need.length === 0) return <p className="soft">{words.needsNone}</p>;
  const changes = Object.fromEntries(one.would_need.map(({ field, value }) => [field, value ?? undefined]));
  return (
    <div className="row">
      <h3>{words.needs}</h3>
      {one.would_need.map(({ field, value }) => (
        <code key={field}>{value === null ? words.needLeaveOut(field) : words.need(field, JSON.stringify(value))}</code>
      ))}
      <Button small onClick={() => onApply(changes)}>
        {words.apply}
      </Button>
    </div>
  );
}

/** What became of the expected memory in a search. */
export function Explanation({
  one,
  rank,
  onApply,
}: {
  one: Explained;
  /** Its place among the results. */
  rank: number | undefined;
  onApply: (changes: Record<string, unknown>) => void;
}) {
  const agent = useAgent();
  const { ranks, scores } = one;
  return (
    <section className="stack" aria-label={words.title}>
      <div className="row">
        <Chip tone={one.found ? "good" : "bad"} dot>
          {one.found && rank !== undefined ? words.found(rank) : words.lost}
        </Chip>
        <strong>{words.stages[one.stage]}</strong>
        <span className="soft">{because(one)}</span>
        {one.shown_as && (
          <Link to="/memories" search={{ agent, memory: one.shown_as }}>
            {words.shownAs}
          </Link>
        )}
      </div>
      <Stages at={one.stage} />
      {ranks && (
        <dl className={css.facts}>
          {(["keyword", "semantic", "final"] as const).map((list) => (
            <div key={list}>
              <dt>{words.rankNames[list]}</dt>
              <dd className="num">
                {ranks[list] === null
                  ? list === "final"
                    ? words.below
                    : words.outside
                  : texts.result.rank(ranks[list] ?? 0)}
              </dd>
            </div>
          ))}
          {scores && (
            <>
              <div>
                <dt>{texts.result.score}</dt>
                <dd className="num">{decimal(scores.score)}</dd>
              </div>
              {scores.relevance !== null && (
                <div>
                  <dt>{texts.result.relevance}</dt>
                  <dd className="num">{decimal(scores.relevance)}</dd>
                </div>
              )}
            </>
          )}
        </dl>
      )}
      <Needs one={one} onApply={onApply} />
    </section>
  );
}
