import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { CopyMenu } from "@/components/CopyMenu";
import { Select } from "@/components/Field";
import { Page as Frame } from "@/components/Page";
import { ErrorState, Skeleton } from "@/components/States";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { overview as texts } from "@/strings/overview";
import { Attention } from "./Attention";
import { FirstSteps } from "./FirstSteps";
import { Learned } from "./Learned";
import css from "./overview.module.css";
import { PERIODS } from "./route";
import { Tiles } from "./Tiles";

const Charts = lazy(() => import("./Charts"));
const route = getRouteApi("/");
const DAYS = 30;
const REFRESH_MS = 60_000;
const DAY_MS = 86_400_000;

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

export function Page() {
  const agent = useAgent();
  const { days = DAYS } = route.useSearch();
  const navigate = route.useNavigate();
  const call = calls.getStats({ agent, since: dayBefore(days - 1) });
  const { data: stats, error, refetch } = useCall(call, { keepPrevious: true, refreshMs: REFRESH_MS });
  const isEmpty = stats && stats.totals.memories + stats.totals.sessions + stats.totals.dreams === 0 && !agent;

  return (
    <Frame
      title={texts.title}
      explanation={texts.explanation(agent)}
      actions={<CopyMenu call={call} python={["get_stats", call.query ?? {}]} />}
    >
      {error && !stats ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : !stats ? (
        <Skeleton lines={9} />
      ) : isEmpty ? (
        <FirstSteps />
      ) : (
        <>
          <Tiles stats={stats} />
          <Attention />
          <Learned />
          <section className="stack" aria-label={texts.charts.title}>
            <div className="row">
              <h2 className="grow">{texts.charts.title}</h2>
              <Select
                label={texts.charts.days}
                hideLabel
                options={PERIODS.map((period) => ({ value: `${period}`, label: texts.charts.period(period) }))}
                value={`${days}`}
                onChange={(value) => navigate({ search: (now) => ({ ...now, days: Number(value) }), replace: true })}
              />
            </div>
            <Suspense fallback={<Skeleton lines={9} />}>
              <div className={css.charts}>
                <Charts stats={stats} />
              </div>
            </Suspense>
          </section>
        </>
      )}
    </Frame>
  );
}
