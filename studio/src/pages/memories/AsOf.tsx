import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { dayOf } from "@/components/text";
import { memories as texts } from "@/strings/memories";
import css from "./memories.module.css";
import { momentOf } from "./wanted";

const DAY_MS = 86_400_000;
const SPAN_MIN = 30;
const PAUSE_MS = 250;

/** The local day so many days before today, as YYYY-MM-DD. */
function dayBefore(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() - days);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => `${part}`.padStart(2, "0")).join("-");
}

function daysSince(day: string): number {
  return Math.round((Date.parse(dayBefore(0)) - Date.parse(day)) / DAY_MS);
}

/** Which moment the list is of: a slider from `from` to now, and a day to enter. */
export function AsOf({
  value,
  from,
  onChange,
}: {
  value: string | undefined;
  from: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  const span = Math.max(SPAN_MIN, from ? Math.ceil((Date.now() - Date.parse(from)) / DAY_MS) : SPAN_MIN);
  const chosen = value ? Math.max(0, daysSince(value)) : 0;
  const [days, setDays] = useState(chosen);
  useEffect(() => setDays(chosen), [chosen]);
  useEffect(() => {
    if (days === chosen) return;
    const timer = setTimeout(() => onChange(days === 0 ? undefined : dayBefore(days)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [days, chosen, onChange]);

  const shown = days === 0 ? texts.pastNow : dayOf(momentOf(dayBefore(days)) ?? "");
  return (
    <div className={css.asOf}>
      <span className="small soft">{texts.pastTitle}</span>
      <input
        type="range"
        aria-label={texts.pastSlider}
        aria-valuetext={shown}
        min={-Math.max(span, chosen)}
        max={0}
        value={-days}
        onChange={(event) => setDays(-Number(event.target.value))}
      />
      <output className="small num">{shown}</output>
      <TextField
        label={texts.pastTitle}
        hideLabel
        type="date"
        max={dayBefore(0)}
        value={value ?? ""}
        onChange={(day) => onChange(!day || daysSince(day) <= 0 ? undefined : day)}
      />
      {value && (
        <Button kind="quiet" small icon={<X aria-hidden="true" />} onClick={() => onChange(undefined)}>
          {texts.pastReset}
        </Button>
      )}
    </div>
  );
}
