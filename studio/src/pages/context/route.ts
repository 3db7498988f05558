import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { flag, type Given, number, oneOf, text } from "@/app/search-params";

export const TOKENS_MAX = 16_000;
export const MESSAGES = ["always", "undreamed", "never"] as const;
export const VIEWS = ["sections", "sent", "diff"] as const;

export interface ContextAddress {
  agent?: string;
  /** What the user says on this turn. */
  m?: string;
  session?: string;
  /** Who speaks, and for whom the context is. */
  user?: string;
  max_tokens?: number;
  messages?: (typeof MESSAGES)[number];
  placement?: "user";
  view?: (typeof VIEWS)[number];
  /** Whether a second context stands beside the first, which differs in what begins with `with_`. */
  compare?: true;
  with_m?: string;
  with_max_tokens?: number;
  with_messages?: (typeof MESSAGES)[number];
}

const tokens = (given: unknown) => number(given, { min: 0, max: TOKENS_MAX });

export const contextRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/context",
  validateSearch: (given: Given): ContextAddress => ({
    m: text(given.m),
    session: text(given.session),
    user: text(given.user),
    max_tokens: tokens(given.max_tokens),
    messages: oneOf(given.messages, MESSAGES),
    placement: oneOf(given.placement, ["user"]),
    view: oneOf(given.view, VIEWS),
    compare: flag(given.compare),
    with_m: text(given.with_m),
    with_max_tokens: tokens(given.with_max_tokens),
    with_messages: oneOf(given.with_messages, MESSAGES),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
