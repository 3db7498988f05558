import { Store } from "@/data/store";

export const THEMES = ["auto", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];
/** public/theme.js reads it before the first paint. */
const STORED = "reverie-theme";

/** The colours chosen in this browser. */
export const theme = new Store<Theme>(THEMES.find((one) => one === document.documentElement.dataset.theme) ?? "auto");

export function chooseTheme(next: Theme) {
  theme.set(next);
  if (next === "auto") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(STORED, next);
    document.documentElement.dataset.theme = next;
  }
}
