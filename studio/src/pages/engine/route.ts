import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, oneOf, text } from "@/app/search-params";

export const TABS = [
  "health",
  "settings",
  "keys",
  "usage",
  "model-calls",
  "webhooks",
  "secrets",
  "audit",
  "transfer",
] as const;

export const PURPOSES = [
  "extract",
  "reconcile",
  "decide",
  "reflect",
  "bulletin",
  "summary",
  "page",
  "ask",
  "rerank",
] as const;
export const OUTCOMES = ["answered", "invalid", "timeout", "unavailable", "refused", "cancelled"] as const;

export interface EngineSearch {
  agent?: string;
  tab?: (typeof TABS)[number];
  /** Part of the name of a setting. */
  find?: string;
  /** Of model calls. */
  dream?: string;
  purpose?: (typeof PURPOSES)[number];
  outcome?: (typeof OUTCOMES)[number];
  /** Id of the model call that is open. */
  call?: string;
}

export const engineRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/engine",
  validateSearch: (given: Given): EngineSearch => ({
    tab: oneOf(given.tab, TABS),
    find: text(given.find),
    dream: text(given.dream),
    purpose: oneOf(given.purpose, PURPOSES),
    outcome: oneOf(given.outcome, OUTCOMES),
    call: text(given.call),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
