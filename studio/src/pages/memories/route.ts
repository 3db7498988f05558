import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { flag, type Given, number, oneOf, someOf, text, texts } from "@/app/search-params";

export const SCOPES = ["agent", "team", "task", "session", "prime"] as const;
export const SHOWN = ["superseded", "expired", "deleted", "all"] as const;
export const SORTS = ["oldest", "happened", "recalled", "importance"] as const;
export const TABS = ["about", "history", "sources", "links"] as const;

export interface MemoriesSearch {
  agent?: string;
  /** The memory that is open. */
  memory?: string;
  /** What of it is shown; default: about. */
  tab?: (typeof TABS)[number];
  q?: string;
  type?: string[];
  scope?: (typeof SCOPES)[number][];
  about?: string;
  /** For whom: what belongs to nobody or to this user is shown. Default: everybody. */
  user?: string;
  session?: string;
  tag?: string;
  key?: string;
  /** The kind of source, such as `summary`. */
  source?: string;
  /** Days (YYYY-MM-DD, local): when it happened, or was saved. */
  since?: string;
  until?: string;
  /** Least importance now, 0 to 1. */
  importance?: number;
  /** Metadata that it has: a JSON object, or `name=value`. */
  metadata?: string;
  /** A filter: conditions as a JSON object. */
  where?: string;
  /** A day: what was known at its end. */
  as_of?: string;
  /** What is shown beside current memories. */
  show?: (typeof SHOWN)[number];
  /** Default: newest first. */
  sort?: (typeof SORTS)[number];
  /** One line a row. */
  dense?: true;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function day(given: unknown): string | undefined {
  const value = text(given);
  return value && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** A filter as the address has it: a text, or JSON that the router has read. */
function whereText(given: unknown): string | undefined {
  return given !== null && typeof given === "object" ? JSON.stringify(given) : text(given);
}

export const memoriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memories",
  validateSearch: (given: Given): MemoriesSearch => ({
    memory: text(given.memory),
    tab: oneOf(given.tab, TABS),
    q: text(given.q),
    type: texts(given.type),
    scope: someOf(given.scope, SCOPES),
    about: text(given.about),
    user: text(given.user),
    session: text(given.session),
    tag: text(given.tag),
    key: text(given.key),
    source: text(given.source),
    since: day(given.since),
    until: day(given.until),
    importance: number(given.importance, { min: 0, max: 1 }),
    metadata: text(given.metadata),
    where: whereText(given.where),
    as_of: day(given.as_of),
    show: oneOf(given.show, SHOWN),
    sort: oneOf(given.sort, SORTS),
    dense: flag(given.dense),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
