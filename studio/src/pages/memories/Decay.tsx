import type { MemoryRecord } from "@reverie/client";
import { useMemo } from "react";
import { Chart, type Series } from "@/components/Chart";
import { memories as texts } from "@/strings/memories";
import { decayCurve } from "./decay-curve";

const HEIGHT_PX = 130;
const shown = (value: number) => value.toFixed(2);

/** How the importance of a memory falls, and what recalls did about it. */
export function Decay({ memory, halving }: { memory: MemoryRecord; halving: number | undefined }) {
  const { decay } = texts;
  const { times, lines } = useMemo(() => {
    const curve = decayCurve(memory, halving);
    const line: Series = { label: decay.line, values: curve.values, color: "--accent", kind: "area" };
    return { times: curve.times, lines: [line] };
  }, [memory, halving]);
  if (halving === undefined) return <p className="small faint">{decay.stays}</p>;
  const lowest = lines[0]?.values.at(-1) ?? 0;
  return (
    <div>
      <Chart
        title={decay.title}
        summary={decay.summary(shown(memory.importance), shown(memory.effective_importance))}
        times={times}
        lines={lines}
        format={shown}
        height={HEIGHT_PX}
      />
      <p className="small faint">
        {decay.halves(halving)} {decay.forecast(shown(lowest))}
      </p>
    </div>
  );
}
