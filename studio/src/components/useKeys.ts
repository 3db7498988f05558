import { type AnyRouter, useRouter } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";

type Actions = Record<string, (event: KeyboardEvent) => void>;

/** The keys of what is shown, innermost first. */
const shown = new Set<{ current: Actions }>();
/** Keys pressed while the page that they are meant for is still to be shown. */
const waiting: KeyboardEvent[] = [];

/** Whether keys go to a field or a dialog, and are no commands. */
function isElsewhere(target: EventTarget | null): boolean {
  const isField =
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  return isField || document.querySelector("dialog[open]") !== null;
}

const actionOf = (key: string) => [...shown].find(({ current }) => current[key])?.current[key];
const isUnderWay = (router: AnyRouter) => router.latestLocation.href !== router.state.resolvedLocation?.href;
const resolved = (router: AnyRouter) =>
  new Promise<void>((resolve) => {
    const end = router.subscribe("onResolved", () => {
      end();
      resolve();
    });
  });

/** Acts on the keys that wait, in their order, each on what the one before it led to. */
async function actInTurn(router: AnyRouter) {
  for (let event = waiting[0]; event; event = waiting[0]) {
    while (isUnderWay(router)) await resolved(router);
    const key = event;
    if (!isElsewhere(document.activeElement)) flushSync(() => actionOf(key.key)?.(key));
    waiting.shift();
  }
}

/**
 * Gives keys to those who `useKeys`; `always`: keys of every page. While the address has changed and its page is still
 * to be shown, keys wait for it, so that none acts on what was open before.
 */
export function useKeyboard(always: Actions) {
  const router = useRouter();
  const now = useRef(always);
  useLayoutEffect(() => {
    now.current = always;
  });
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isElsewhere(event.target)) return;
      const action = now.current[event.key] ?? actionOf(event.key);
      if (action) event.preventDefault();
      if (now.current[event.key] || (waiting.length === 0 && !isUnderWay(router))) return action?.(event);
      if (waiting.push(event) === 1) void actInTurn(router);
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [router]);
}

/** Keys of a page, by their `key`; not while somebody writes, nor while a dialog is open. */
export function useKeys(actions: Actions) {
  const now = useRef(actions);
  useLayoutEffect(() => {
    now.current = actions;
  });
  useEffect(() => {
    shown.add(now);
    return () => void shown.delete(now);
  }, []);
}
