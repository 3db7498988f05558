import type { PreviewOptions } from "@reverie/client";
import { calls } from "@/data/client";
import { parsedWhere } from "@/pages/memories/wanted";
import type { SearchAddress, Variant } from "./route";

function moment(local: string | undefined): string | undefined {
  const at = local === undefined ? Number.NaN : Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The call of a search as an agent, explained. */
export function previewOf(address: SearchAddress, variant: Variant, agent: string) {
  const { q = "", expected, types, tags, user, about, session, min_importance } = address;
  const options: PreviewOptions = {
    agent,
    explain_id: expected,
    types,
    tags,
    user,
    about,
    session,
    min_importance,
    where: parsedWhere(address.where),
    since: moment(address.since),
    until: moment(address.until),
    as_of: moment(address.as_of),
    strategy: variant.strategy,
    fusion: variant.fusion,
    limit: variant.limit,
    max_tokens: variant.max_tokens,
    min_relevance: variant.min_relevance,
    include: variant.include,
    include_faded: variant.include_faded,
    rerank: variant.rerank,
    explain: true,
  };
  return calls.previewSearch(q, options);
}
