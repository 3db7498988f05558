import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { type Given, text } from "@/app/search-params";

export interface SessionsSearch {
  agent?: string;
  /** The name of the session that is open, of the agent `of` where `agent` is none. */
  session?: string;
  of?: string;
  /** The message that is marked, by its number or id. */
  message?: string;
  /** Text to find in the session that is open. */
  find?: string;
  /** The filters of the list: part of a name, and whose sessions. */
  q?: string;
  user?: string;
}

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  validateSearch: (given: Given): SessionsSearch => ({
    session: text(given.session),
    of: text(given.of),
    message: text(given.message),
    find: text(given.find),
    q: text(given.q),
    user: text(given.user),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
