import { useCallback, useMemo, useRef, useState } from "react";
import { heldOrder } from "@/data/list-data";

/**
 * The rows of a live list as they are to be shown: while `isHeld`, none moves, and those that came since wait. Rows are
 * as they are now all the same. `release` shows those that wait.
 */
export function useHeld<T>(items: readonly T[], keyOf: (item: T) => string, isHeld: boolean) {
  const shownBefore = useRef<readonly T[]>(items);
  const [releases, setReleases] = useState(0);
  const released = useRef(0);

  const result = useMemo(() => {
    const hold = isHeld && released.current === releases && shownBefore.current.length > 0;
    released.current = releases;
    return hold ? heldOrder(shownBefore.current, items, keyOf) : { shown: [...items], waiting: 0 };
  }, [items, keyOf, isHeld, releases]);
  shownBefore.current = result.shown;

  const release = useCallback(() => setReleases((count) => count + 1), []);
  return { ...result, release };
}
