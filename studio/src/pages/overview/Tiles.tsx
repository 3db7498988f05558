import type { Answer } from "@reverie/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { duration } from "@/components/text";
import { useAgent } from "@/data/agents";
import { cost } from "@/pages/dreams/report";
import { overview as texts } from "@/strings/overview";
import css from "./overview.module.css";

export type Stats = Answer<"get_stats">;
const { tiles: words } = texts;
/** Today and yesterday, in days of UTC. */
const RECENT = 2;

/** The figures of today and yesterday, each of which leads to what it counts. */
export function Tiles({ stats }: { stats: Stats }) {
  const agent = useAgent();
  const recent = stats.items.slice(-RECENT);
  const sum = (value: (day: Stats["items"][number]) => number) => recent.reduce((all, day) => all + value(day), 0);
  const p95 = stats.items.at(-1)?.searches.p95_ms;
  const show = (number: number) => number.toLocaleString("en");
  const failures = sum(({ dreams }) => dreams.failed);
  return (
    <dl className={css.tiles} aria-label={texts.figures}>
      <Tile name={words.memories} note={words.learned(sum(({ memories }) => memories.made))}>
        <Link to="/memories" search={{ agent }}>
          {show(stats.totals.memories)}
        </Link>
      </Tile>
      <Tile name={words.conflicts} note={texts.since}>
        {show(sum(({ memories }) => memories.superseded))}
      </Tile>
      <Tile name={words.faded} note={texts.since}>
        {show(sum(({ memories }) => memories.faded))}
      </Tile>
      <Tile name={words.failures} note={texts.since} isBad={failures > 0}>
        <Link to="/dreams" search={{ agent, status: "failed" }}>
          {show(failures)}
        </Link>
      </Tile>
      <Tile name={words.searches} note={p95 === null || p95 === undefined ? texts.since : words.latency(duration(p95))}>
        {show(sum(({ searches }) => searches.searches))}
      </Tile>
      <Tile name={words.cost} note={words.tokens(sum(({ dreams }) => dreams.tokens))}>
        {cost(sum(({ dreams }) => dreams.cost_usd))}
      </Tile>
      <Tile name={words.pending} note={words.pendingText}>
        {show(stats.totals.pending)}
      </Tile>
    </dl>
  );
}

function Tile({
  name,
  note,
  isBad = false,
  children,
}: {
  name: string;
  note: string;
  isBad?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="card">
      <dt>{name}</dt>
      <dd className={`num ${css.figure} ${isBad ? css.bad : ""}`}>{children}</dd>
      <dd className="small faint">{note}</dd>
    </div>
  );
}
