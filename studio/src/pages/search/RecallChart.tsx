import { useMemo } from "react";
import { Chart, type Series } from "@/components/Chart";
import { savedSearches as words } from "@/strings/saved-searches";
import type { Run } from "./Saved";

const HEIGHT_PX = 120;

/** The recall of runs of one content, oldest first. */
export default function RecallChart({ runs }: { runs: Run[] }) {
  const times = useMemo(() => runs.map((run) => run.created_at), [runs]);
  const lines = useMemo<Series[]>(
    () => [{ label: words.overTime, values: runs.map((run) => run.recall), color: "--accent", kind: "area" }],
    [runs],
  );
  const summary = words.lastOf(runs.length, runs.at(-1)?.recall ?? null);
  return (
    <Chart
      title={words.overTime}
      summary={summary}
      times={times}
      lines={lines}
      format={words.recall}
      height={HEIGHT_PX}
    />
  );
}
