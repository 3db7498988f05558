import { useMemo } from "react";
import { Chart, type Series } from "@/components/Chart";
import { duration } from "@/components/text";
import { cost } from "@/pages/dreams/report";
import { overview as texts } from "@/strings/overview";
import type { Stats } from "./Tiles";

const { charts: words } = texts;
type Day = Stats["items"][number];
type Line = [label: string, color: string, value: (day: Day) => number | null, kind?: Series["kind"]];

interface Plot {
  title: string;
  lines: Line[];
  format?: (value: number) => string;
  /** In words; default: the sums of the lines. */
  summary?: (days: Day[]) => string;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function lastLatency(days: Day[]): string {
  const last = days.findLast(({ searches }) => searches.p95_ms !== null)?.searches;
  return last ? words.latest(duration(last.p50_ms ?? 0), duration(last.p95_ms ?? 0)) : words.noSearches;
}

function degradedShare({ searches }: Day): number | null {
  return searches.searches ? searches.degraded / searches.searches : null;
}

const PLOTS: Plot[] = [
  {
    title: words.memories,
    lines: [
      [words.created, "--accent", ({ memories }) => memories.made, "area"],
      [words.superseded, "--event", ({ memories }) => memories.superseded],
      [words.faded, "--observation", ({ memories }) => memories.faded],
      [words.deleted, "--bad", ({ memories }) => memories.deleted],
    ],
  },
  {
    title: words.dreams,
    lines: [
      [words.succeeded, "--accent", ({ dreams }) => dreams.dreams, "bars"],
      [words.failed, "--bad", ({ dreams }) => dreams.failed],
    ],
  },
  { title: words.searches, lines: [[words.searched, "--accent", ({ searches }) => searches.searches, "bars"]] },
  {
    title: words.latency,
    lines: [
      [words.p50, "--identity", ({ searches }) => searches.p50_ms],
      [words.p95, "--event", ({ searches }) => searches.p95_ms],
    ],
    format: duration,
    summary: lastLatency,
  },
  {
    title: words.degraded,
    lines: [[words.share, "--bad", degradedShare, "area"]],
    format: percent,
    summary: (days) => {
      const all = days.reduce((sum, { searches }) => sum + searches.searches, 0);
      const degraded = days.reduce((sum, { searches }) => sum + searches.degraded, 0);
      return all ? percent(degraded / all) : words.noSearches;
    },
  },
  {
    title: words.cost,
    lines: [[words.usd, "--accent", ({ dreams }) => dreams.cost_usd, "bars"]],
    format: cost,
  },
];

export default function Charts({ stats }: { stats: Stats }) {
  const { items: days } = stats;
  // Noon is of the same day in almost every time zone.
  const times = useMemo(() => days.map(({ day }) => `${day}T12:00:00Z`), [days]);
  return PLOTS.map((plot) => (
    <div key={plot.title} className="card">
      <OnePlot plot={plot} days={days} times={times} />
    </div>
  ));
}

function OnePlot({ plot, days, times }: { plot: Plot; days: Day[]; times: string[] }) {
  const { title, format, summary } = plot;
  const lines = useMemo(
    () => plot.lines.map(([label, color, value, kind]) => ({ label, color, kind, values: days.map(value) })),
    [plot, days],
  );
  const show = format ?? ((value: number) => value.toLocaleString("en"));
  const sums = lines.map(
    ({ label, values }) => `${show(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))} ${label}`,
  );
  return (
    <Chart
      title={title}
      summary={summary ? summary(days) : words.sum(sums)}
      times={times}
      lines={lines}
      format={format}
    />
  );
}
