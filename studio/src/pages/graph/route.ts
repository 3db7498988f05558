import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, oneOf, text, texts } from "@/app/search-params";

export interface GraphSearch {
  agent?: string;
  /** The entity that is open. */
  entity?: string;
  /** Entities whose neighbours are drawn too. */
  expanded?: string[];
  q?: string;
  kind?: string;
  since?: string;
  until?: string;
  layout?: "list";
}

export const graphRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/graph",
  validateSearch: (given: Given): GraphSearch => ({
    entity: text(given.entity),
    expanded: texts(given.expanded),
    q: text(given.q),
    kind: text(given.kind),
    since: text(given.since),
    until: text(given.until),
    layout: oneOf(given.layout, ["list"]),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
