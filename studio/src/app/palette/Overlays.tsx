import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef } from "react";
import { useKeyboard } from "@/components/useKeys";
import { useAgent } from "@/data/agents";
import { useStore } from "@/data/store";
import { PAGES } from "../pages";
import { overlay } from "./open";

const Palette = lazy(() => import("./Palette"));
const KeysHelp = lazy(() => import("./KeysHelp"));
/** How long after g the second key may come. */
const SECOND_KEY_MS = 1_500;
const NEVER = Number.NEGATIVE_INFINITY;

/** The command palette, the list of keys, and the keys that work on every page. */
export function Overlays() {
  const opened = useStore(overlay);
  const agent = useAgent();
  const navigate = useNavigate();
  const leader = useRef(NEVER);

  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) overlay.set("palette");
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);

  useEffect(() => {
    function second(event: KeyboardEvent) {
      if (event.timeStamp - leader.current > SECOND_KEY_MS) return;
      leader.current = NEVER;
      const page = PAGES.find(({ key }) => key === event.key);
      if (!page) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void navigate({ to: page.path, search: { agent } });
    }
    window.addEventListener("keydown", second, { capture: true });
    return () => window.removeEventListener("keydown", second, { capture: true });
  }, [navigate, agent]);

  useKeyboard({
    g: (event) => {
      leader.current = event.timeStamp;
    },
    "?": () => overlay.set("keys"),
  });

  return (
    <Suspense>
      {opened === "palette" && <Palette />}
      {opened === "keys" && <KeysHelp />}
    </Suspense>
  );
}
