import { useCallback, useMemo, useState } from "react";

/** Which rows of a list are selected. */
export interface Selection {
  keys: ReadonlySet<string>;
  /** The row that was selected or not last: where a range begins. */
  last: string | undefined;
  /** Selects a row, or no longer; `range` goes along with it. */
  toggle: (key: string, range: string[]) => void;
  clear: () => void;
  set: (keys: string[]) => void;
}

/** Rows selected among those that are there: `present` are their keys. */
export function useSelection(present: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const keys = useMemo(() => {
    if (chosen.size === 0) return chosen;
    return new Set(present.filter((key) => chosen.has(key)));
  }, [chosen, present]);

  const toggle = useCallback((key: string, range: string[]) => {
    setLast(key);
    setChosen((now) => {
      const next = new Set(now);
      const isOn = !now.has(key);
      for (const one of range) isOn ? next.add(one) : next.delete(one);
      return next;
    });
  }, []);
  const set = useCallback((all: string[]) => setChosen(new Set(all)), []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { keys, last, toggle, clear, set };
}
