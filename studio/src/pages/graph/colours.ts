import { useEffect, useState } from "react";

const HUES = ["fact", "preference", "goal", "decision", "event", "identity", "todo", "observation", "insight"];
const KNOWN: Record<string, string> = {
  person: "preference",
  organization: "fact",
  place: "goal",
  project: "decision",
  product: "event",
};

/** The hue of a kind: a known one, or one by its letters. */
export function hueOf(kind: string): string {
  const sum = [...kind].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return KNOWN[kind] ?? HUES[sum % HUES.length] ?? "observation";
}

function resolved(names: readonly string[]): Record<string, string> {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.setProperty("forced-color-adjust", "none");
  const found = Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return found;
}

const NAMES = [...HUES, "ink", "line", "accent", "panel"];

/** The colours of the theme as WebGL takes them; new ones when the theme changes. */
export function useColours(): Record<string, string> {
  const [colours, setColours] = useState(() => resolved(NAMES));
  useEffect(() => {
    const read = () => setColours(resolved(NAMES));
    const theme = new MutationObserver(read);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "data-contrast"] });
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", read);
    return () => {
      theme.disconnect();
      system.removeEventListener("change", read);
    };
  }, []);
  return colours;
}
