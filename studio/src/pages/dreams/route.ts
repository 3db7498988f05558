import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, oneOf, text, texts } from "@/app/search-params";

export const STATUSES = ["queued", "running", "succeeded", "failed", "undone", "dry_run"] as const;
/** Actions of changes, in the order in which they are shown. */
export const OPS = [
  "superseded",
  "created",
  "proposed",
  "reinforced",
  "completed",
  "reopened",
  "skipped",
  "bulletin",
  "decayed",
  "entity",
  "linked",
] as const;

export interface DreamsSearch {
  agent?: string;
  status?: (typeof STATUSES)[number];
  /** The dream that is open. */
  dream?: string;
  /** Which of its changes are shown: of one action, of one type of memory. */
  action?: (typeof OPS)[number];
  type?: string[];
}

export const dreamsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dreams",
  validateSearch: (given: Given): DreamsSearch => ({
    status: oneOf(given.status, STATUSES),
    dream: text(given.dream),
    action: oneOf(given.action, OPS),
    type: texts(given.type),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
