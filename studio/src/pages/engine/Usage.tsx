import type { UsageReport } from "@reverie/client";
import { ErrorState, Skeleton } from "@/components/States";
import { bytes } from "@/components/text";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";
import { engine as all } from "@/strings/engine";
import css from "./engine.module.css";

const { usage: texts } = all;

type Holder = UsageReport["limits"][number];
type LimitName = keyof typeof texts.names;

const USED: Record<LimitName, keyof Holder["used"]> = {
  requests_per_minute: "requests_this_minute",
  requests_per_day: "requests_today",
  rows_max: "rows",
  bytes_max: "bytes",
  day_cost_max_usd: "day_cost_usd",
  month_cost_max_usd: "month_cost_usd",
  dreams_max: "dreams",
};
const LIMIT_NAMES = Object.keys(USED) as LimitName[];

function amount(name: LimitName, value: number | null | undefined): string {
  if (value === null || value === undefined) return texts.notCounted;
  if (name.endsWith("_usd")) return texts.dollars(value);
  return name === "bytes_max" ? bytes(value) : value.toLocaleString("en");
}

function Limits({ holders }: { holders: Holder[] }) {
  const rows = holders.flatMap((one) =>
    LIMIT_NAMES.map((name) => ({ one, name, max: one.limits[name] })).filter(
      ({ max }) => max !== null && max !== undefined,
    ),
  );
  if (rows.length === 0) return <p className="faint">{texts.noLimits}</p>;
  return (
    <section className={`card ${css.table}`} aria-label={texts.limits}>
      <table>
        <thead>
          <tr>
            {[texts.holder, texts.limit, texts.used, texts.max].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ one, name, max }) => (
            <tr key={`${one.key_id} ${name}`}>
              <th scope="row" className="words">
                {one.name ?? texts.workspace}
              </th>
              <td>{texts.names[name]}</td>
              <td className="num">{amount(name, one.used[USED[name]])}</td>
              <td className="num">{amount(name, max)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Day {
  requests: number;
  cost: number;
  dreams: number;
  rows?: number;
  bytes?: number;
}

/** What was used on each day, newest first. */
function byDay({ items, requests, dreams, stored }: UsageReport): [string, Day][] {
  const days = new Map<string, Day>();
  function on(day: string | null): Day {
    const found = days.get(day ?? "") ?? { requests: 0, cost: 0, dreams: 0 };
    days.set(day ?? "", found);
    return found;
  }
  for (const one of items) on(one.day).cost += one.cost_usd;
  for (const one of requests) on(one.day).requests += one.requests;
  for (const one of dreams) on(one.day).dreams += one.dreams;
  for (const one of stored) Object.assign(on(one.day), { rows: one.rows, bytes: one.bytes });
  return [...days].sort(([one], [other]) => other.localeCompare(one));
}

function Days({ report }: { report: UsageReport }) {
  const days = byDay(report);
  if (days.length === 0) return <p className="faint">{texts.noUse}</p>;
  return (
    <section className={`card ${css.table}`} aria-label={texts.days}>
      <table>
        <thead>
          <tr>
            {[texts.day, texts.requests, texts.cost, texts.dreams, texts.rows, texts.bytes].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(([day, used]) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td className="num">{used.requests.toLocaleString("en")}</td>
              <td className="num">{texts.dollars(used.cost)}</td>
              <td className="num">{used.dreams}</td>
              <td className="num">{used.rows?.toLocaleString("en")}</td>
              <td className="num">{used.bytes !== undefined && bytes(used.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The limits of the workspace and its keys beside their use, and the use of each day. */
export function Usage() {
  const { data, error, refetch } = useCall(calls.getUsage());
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <Skeleton lines={6} />;
  return (
    <>
      <h2>{texts.limits}</h2>
      <Limits holders={data.limits} />
      <h2>{texts.days}</h2>
      <Days report={data} />
    </>
  );
}
