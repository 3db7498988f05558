import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, oneOf, text } from "@/app/search-params";

export const DECIDED = ["accepted", "edited", "rejected"] as const;

export interface InboxSearch {
  agent?: string;
  /** The proposal that is open. */
  proposal?: string;
  /** Those decided on so; default: those that wait. */
  decided?: (typeof DECIDED)[number];
}

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/inbox",
  validateSearch: (given: Given): InboxSearch => ({
    proposal: text(given.proposal),
    decided: oneOf(given.decided, DECIDED),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
