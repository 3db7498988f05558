import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, oneOf, text } from "@/app/search-params";

export const TABS = ["profile", "timeline", "changes"] as const;

export interface PeopleSearch {
  agent?: string;
  /** The user who is open, by name. */
  person?: string;
  q?: string;
  tab?: (typeof TABS)[number];
  /** The day that the profile is of. */
  as_of?: string;
  /** The day from which changes are shown. */
  changed_since?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function day(given: unknown): string | undefined {
  const one = text(given);
  return one && DAY.test(one) && !Number.isNaN(Date.parse(one)) ? one : undefined;
}

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/people",
  validateSearch: (given: Given): PeopleSearch => ({
    person: text(given.person),
    q: text(given.q),
    tab: oneOf(given.tab, TABS),
    as_of: day(given.as_of),
    changed_since: day(given.changed_since),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
