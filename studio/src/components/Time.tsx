import { useEffect, useState } from "react";
import { common } from "@/strings/common";
import { calendarTime, type Dated, exactTime, relativeTime } from "./text";

const TICK_MS = 30_000;

/** A moment: how long ago, with the exact local time at hand. */
export function Time({ value, exact = false }: { value: string | null | undefined; exact?: boolean }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (!value) return <span className="faint">{common.time.never}</span>;
  const shown = exact ? exactTime(value) : relativeTime(value, Math.max(now, Date.now()));
  return (
    <time dateTime={value} title={exactTime(value)}>
      {shown}
    </time>
  );
}

/** When what a memory says happened, no more exactly than that is known; else when it was saved. */
export function Happened({ memory }: { memory: Dated }) {
  const shown = calendarTime(memory);
  return shown ? <time>{shown}</time> : <Time value={memory.occurred_at ?? memory.created_at} />;
}
