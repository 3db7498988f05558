import { useEffect, useState } from "react";
import { common } from "@/strings/common";
import { dayOf, exactTime, precisionOf, relativeTime } from "./text";

const TICK_MS = 30_000;

/** A moment: how long ago, with the exact local time at hand. `precision="day"`: it is known to the day only. */
export function Time({
  value,
  precision,
  exact = false,
}: {
  value: string | null | undefined;
  precision?: "day";
  exact?: boolean;
}) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (!value) return <span className="faint">{common.time.never}</span>;
  if (precision === "day") return <time dateTime={value.slice(0, 10)}>{dayOf(value, "day")}</time>;
  const shown = exact ? exactTime(value) : relativeTime(value, Math.max(now, Date.now()));
  return (
    <time dateTime={value} title={exactTime(value)}>
      {shown}
    </time>
  );
}

/** When something happened: of what is known to the day, the day. */
export function Happened({ value }: { value: string }) {
  return <Time value={value} precision={precisionOf(value)} />;
}
