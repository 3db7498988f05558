/** Which memories an address asks for, as calls of the API. */

import { APIError, type MemoryRecord } from "@reverie/client";
import { useMemo } from "react";
import { calls } from "@/data/client";
import { useCall, useList } from "@/data/queries";
import type { MemoriesSearch } from "./route";

/** The filters that only the list of the API knows. */
const OF_LISTS = ["key", "source", "show", "sort"] as const;
const EVERYTHING = "deleted,superseded,expired";
/** Of a search, the API gives no more. */
export const FOUND_MAX = 100;

/** The parameters that narrow the list. */
const FILTERS = [
  "q",
  "type",
  "scope",
  "about",
  "user",
  "session",
  "tag",
  "key",
  "source",
  "since",
  "until",
  "importance",
  "metadata",
  "where",
  "show",
] as const satisfies (keyof MemoriesSearch)[];

export function isFiltered(search: MemoriesSearch): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

/** The address without filters. */
export function withoutFilters(search: MemoriesSearch): MemoriesSearch {
  const { agent, memory, tab, as_of, sort, dense } = search;
  return { agent, memory, tab, as_of, sort, dense };
}

/** Whether it takes a search to answer: the list of the API knows no contained metadata. */
export function isSearch({ metadata }: MemoriesSearch): boolean {
  return parsedMetadata(metadata) !== undefined;
}

/** The parts of an address that are not applied to what it asks for: a search, or a list of the past. */
export function notApplied(search: MemoriesSearch): string[] {
  if (isSearch(search)) return OF_LISTS.filter((name) => search[name] !== undefined);
  if (!search.as_of) return [];
  return [...(search.show ? ["show"] : []), ...(search.sort === "recalled" ? ["sort"] : [])];
}

/** A day (local) as the moment of its beginning; `after`: of its end. */
export function momentOf(day: string | undefined, after = 0): string | undefined {
  if (!day) return undefined;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + after).toISOString();
}

/** The object that a filter is; undefined for none, or what is no JSON object. */
export function parsedWhere(given: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(given ?? "");
    return value && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What the API says of the filter, if that is what it refuses: where, and what is wrong. */
export function whereProblem(error: unknown): string | undefined {
  const found = error instanceof APIError ? error.errors.find(({ loc }) => loc[1] === "where") : undefined;
  return found && [found.loc.slice(2).join(" › "), found.msg].filter(Boolean).join(": ");
}

/** What a metadata filter means; undefined for none, or what is no filter yet. */
export function parsedMetadata(given: string | undefined): Record<string, unknown> | undefined {
  const text = given?.trim();
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (value && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON: name=value.
  }
  const at = text.indexOf("=");
  return at > 0 ? { [text.slice(0, at).trim()]: plain(text.slice(at + 1).trim()) } : undefined;
}

function plain(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? text : value;
  } catch {
    return text;
  }
}

function listingOf(agent: string | undefined, search: MemoriesSearch) {
  const { q, type, scope, about, user, session, tag, key, source, show } = search;
  return calls.listMemories({
    agent,
    q,
    type,
    scope,
    about,
    user,
    session,
    tag,
    key,
    source,
    since: momentOf(search.since),
    until: momentOf(search.until, 1),
    min_importance: search.importance,
    where: parsedWhere(search.where),
    ...(search.as_of
      ? { as_of: momentOf(search.as_of, 1), sort: search.sort === "recalled" ? undefined : search.sort }
      : { include: show === "all" ? EVERYTHING : show, sort: search.sort }),
    total: true,
  });
}

/** A search is as one agent sees it, counts no access, and knows its 100 newest or best. */
function searchOf(agent: string | undefined, search: MemoriesSearch) {
  const { q, type, scope, about, user, session, tag } = search;
  return calls.previewSearch(q ?? "", {
    agent,
    strategy: q ? undefined : "recent",
    types: type,
    scopes: scope,
    tags: tag ? [tag] : undefined,
    about,
    user,
    session,
    since: momentOf(search.since),
    until: momentOf(search.until, 1),
    min_importance: search.importance,
    metadata: parsedMetadata(search.metadata),
    where: parsedWhere(search.where),
    as_of: momentOf(search.as_of, 1),
    include_faded: true,
    limit: FOUND_MAX,
  });
}

/** The memories that an address asks for, and how they are asked for. */
export function useMemories(agent: string | undefined, search: MemoriesSearch) {
  const searched = isSearch(search);
  const listing = listingOf(agent, search);
  const finding = searchOf(agent, search);
  const list = useList(listing, { keepPrevious: true, enabled: !searched });
  const found = useCall(finding, { keepPrevious: true, enabled: searched && agent !== undefined });
  const results = useMemo(
    () => (found.data?.results ?? []).map(({ memory }) => memory).filter((one): one is MemoryRecord => one !== null),
    [found.data],
  );
  if (!searched) {
    return {
      ...{ items: list.items, total: list.total, error: list.error, isPending: list.isPending, refetch: list.refetch },
      isPrevious: list.isPlaceholderData,
      more: list.hasNextPage && !list.isFetchingNextPage ? list.fetchNextPage : undefined,
      hasMore: list.hasNextPage,
      call: listing,
      python: ["list_memories", listing.query ?? {}] as [string, object],
      needsAgent: false,
    };
  }
  return {
    ...{ items: results, total: undefined, error: found.error, isPending: found.isPending, refetch: found.refetch },
    isPrevious: found.isPlaceholderData,
    more: undefined,
    hasMore: false,
    call: finding,
    python: ["preview", finding.body ?? {}] as [string, object],
    needsAgent: agent === undefined,
  };
}
