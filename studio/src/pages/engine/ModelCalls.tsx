import type { ModelCallRecord } from "@reverie/client";
import { getRouteApi, Link } from "@tanstack/react-router";
import { changed } from "@/app/search-params";
import { Button } from "@/components/Button";
import { Chip } from "@/components/Chip";
import { Select } from "@/components/Field";
import { EmptyState, ErrorState, Skeleton } from "@/components/States";
import { Time } from "@/components/Time";
import { duration } from "@/components/text";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall, useList } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";
import { ModelCall } from "./ModelCall";
import { type EngineSearch, OUTCOMES, PURPOSES } from "./route";

const { modelCalls: texts } = all;
const route = getRouteApi("/engine");

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const narrow = (changes: Partial<EngineSearch>) =>
    navigate({ search: (now) => ({ ...now, ...changes }), replace: true });
  return (
    <div className="row">
      <Select
        label={texts.purpose}
        hideLabel
        options={[
          { value: "", label: texts.allPurposes },
          ...PURPOSES.map((value) => ({ value, label: texts.purposes[value] })),
        ]}
        value={search.purpose ?? ""}
        onChange={(purpose) => narrow({ purpose: purpose || undefined })}
      />
      <Select
        label={texts.outcome}
        hideLabel
        options={[
          { value: "", label: texts.allOutcomes },
          ...OUTCOMES.map((value) => ({ value, label: texts.outcomes[value] })),
        ]}
        value={search.outcome ?? ""}
        onChange={(outcome) => narrow({ outcome: outcome || undefined })}
      />
      {search.dream && (
        <>
          <Link to="/dreams" search={{ agent: search.agent, dream: search.dream }}>
            {texts.ofDream}
          </Link>
          <Button kind="quiet" onClick={() => narrow({ dream: undefined })}>
            {texts.ofAll}
          </Button>
        </>
      )}
    </div>
  );
}

function Row({ call }: { call: ModelCallRecord }) {
  return (
    <tr>
      <td>
        <Time value={call.at} />
      </td>
      <td>
        <Link
          to="/engine"
          search={changed<EngineSearch>((now) => ({ ...now, call: call.id }))}
          aria-label={texts.open(texts.purposes[call.purpose], call.model)}
        >
          {texts.purposes[call.purpose]}
        </Link>
        <div className="words small faint">{call.model}</div>
      </td>
      <td className="words">{call.agent}</td>
      <td>
        <Chip tone={call.outcome === "answered" ? "good" : "bad"}>{texts.outcomes[call.outcome]}</Chip>
        {call.attempt > 1 && <div className="small faint">{texts.attempt(call.attempt)}</div>}
        {call.failover && <div className="small faint">{texts.failover}</div>}
      </td>
      <td className="words small">{call.output || call.error}</td>
      <td className="num">{(call.prompt_tokens + call.completion_tokens).toLocaleString("en")}</td>
      <td className="num">{texts.dollars(call.cost_usd)}</td>
      <td className="num">{duration(call.ms)}</td>
    </tr>
  );
}

/** Why the list is empty: nothing is kept, nothing was called, or nothing matches. */
function None() {
  const { data } = useCall(calls.getSettings());
  if (data?.retention?.model_calls_days) return <EmptyState title={texts.none} text={texts.noneText} />;
  return (
    <EmptyState title={texts.off} text={texts.offText}>
      <Link to="/engine" search={{ tab: "settings", find: "model_calls_days" }}>
        {texts.toSettings}
      </Link>
    </EmptyState>
  );
}

/** Calls of language models, newest first, with the texts of the chosen one. */
export function ModelCalls() {
  const { dream, purpose, outcome, call: chosen } = route.useSearch();
  const agent = useAgent();
  const navigate = route.useNavigate();
  const list = useList(calls.listModelCalls({ agent, dream, purpose, outcome }), { keepPrevious: true });
  return (
    <>
      <Filters />
      {list.isError && list.items.length === 0 && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.isPending && <Skeleton lines={8} />}
      {!list.isPending && !list.isError && list.items.length === 0 && <None />}
      {list.items.length > 0 && (
        <section className={`card ${css.table}`} aria-label={texts.list}>
          <table>
            <thead>
              <tr>
                {texts.columns.map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {list.items.map((one) => (
                <Row key={one.id} call={one} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {list.hasNextPage && <Button onClick={() => list.fetchNextPage()}>{texts.more}</Button>}
      {chosen && <ModelCall id={chosen} onClose={() => navigate({ search: (now) => ({ ...now, call: undefined }) })} />}
    </>
  );
}
