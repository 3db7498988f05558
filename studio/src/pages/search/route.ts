import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/app/root";
import { flag, type Given, number, oneOf, someOf, text, texts } from "@/app/search-params";

export const STRATEGIES = ["hybrid", "semantic", "keyword", "recent"] as const;
export const FUSIONS = ["relative", "rrf"] as const;
export const KINDS = ["memories", "messages", "documents"] as const;
export const LIMIT_MAX = 100;
export const TOKENS_MAX = 16_000;
const WITH = "with_";

/** What may differ between two searches that stand side by side. */
export interface Variant {
  strategy?: (typeof STRATEGIES)[number];
  fusion?: (typeof FUSIONS)[number];
  limit?: number;
  max_tokens?: number;
  min_relevance?: number;
  include?: (typeof KINDS)[number][];
  include_faded?: true;
  rerank?: true;
}

export interface SearchAddress extends Variant {
  agent?: string;
  q?: string;
  /** The id of a memory that should be found. */
  expected?: string;
  types?: string[];
  tags?: string[];
  /** For whom: what belongs to nobody or to this user is found. Default: everybody. */
  user?: string;
  about?: string;
  session?: string;
  since?: string;
  until?: string;
  as_of?: string;
  min_importance?: number;
  /** A filter: the text of a JSON object. */
  where?: string;
  /** Whether a second search stands beside the first, whose parameters begin with `with_`. */
  compare?: true;
  /** The id of the chosen saved search, and of its two results that stand side by side. */
  saved?: string;
  before?: string;
  after?: string;
}

function variant(given: Given, prefix = ""): Variant {
  const of = (name: string) => given[prefix + name];
  return {
    strategy: oneOf(of("strategy"), STRATEGIES),
    fusion: oneOf(of("fusion"), FUSIONS),
    limit: number(of("limit"), { min: 1, max: LIMIT_MAX }),
    max_tokens: number(of("max_tokens"), { min: 0, max: TOKENS_MAX }),
    min_relevance: number(of("min_relevance"), { min: 0, max: 1 }),
    include: someOf(of("include"), KINDS),
    include_faded: flag(of("include_faded")),
    rerank: flag(of("rerank")),
  };
}

function prefixed(changes: object): Given {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [WITH + name, value]));
}

/** The second search of an address. */
export function secondVariant(address: SearchAddress): Variant {
  return variant(address as Given, WITH);
}

/** The parameters of an address that change its second search. */
export const inSecond = (changes: Variant) => prefixed(changes) as SearchAddress;

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch: (given: Given): SearchAddress => ({
    ...variant(given),
    q: text(given.q),
    expected: text(given.expected),
    types: texts(given.types),
    tags: texts(given.tags),
    user: text(given.user),
    about: text(given.about),
    session: text(given.session),
    since: text(given.since),
    until: text(given.until),
    as_of: text(given.as_of),
    min_importance: number(given.min_importance, { min: 0, max: 1 }),
    where: text(given.where),
    compare: flag(given.compare),
    saved: text(given.saved),
    before: text(given.before),
    after: text(given.after),
    ...(flag(given.compare) ? prefixed(variant(given, WITH)) : {}),
  }),
  component: lazyRouteComponent(() => import("./page"), "Page"),
});
