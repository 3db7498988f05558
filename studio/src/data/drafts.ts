/** What is being written: kept in the tab's storage until it is saved or thrown away, through reloads and crashes. */

import { useBlocker } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { common } from "@/strings/common";

const PREFIX = "reverie-draft-";

function stored<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(PREFIX + name);
  return text === null ? undefined : JSON.parse(text);
}

export interface Draft<T> {
  value: T;
  change: (changes: Partial<T>) => void;
  /** Whether it differs from what it began with. */
  isDirty: boolean;
  /** After it is saved, or not wanted any more. */
  discard: () => void;
}

/** A draft by a name such as `memory-<id>`; `initial` is what it begins with. Leaving it dirty asks. */
export function useDraft<T extends object>(name: string, initial: T): Draft<T> {
  const [changed, setChanged] = useState<{ name: string; value: T | undefined }>({ name, value: stored<T>(name) });
  const own = changed.name === name ? changed.value : stored<T>(name);
  const value = own ?? initial;
  const isDirty = own !== undefined && JSON.stringify(own) !== JSON.stringify(initial);

  const change = useCallback(
    (changes: Partial<T>) => {
      const next = { ...(stored<T>(name) ?? initial), ...changes };
      sessionStorage.setItem(PREFIX + name, JSON.stringify(next));
      setChanged({ name, value: next });
    },
    [name, initial],
  );
  const discard = useCallback(() => {
    sessionStorage.removeItem(PREFIX + name);
    setChanged({ name, value: undefined });
  }, [name]);

  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: () => isDirty,
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !window.confirm(common.leaveDraft),
  });
  return { value, change, isDirty, discard };
}
