/**
 * Reading: a call of the client is a query, keyed by its path, parameters and body, so that what happens (`live.ts`)
 * finds the queries that it concerns by their paths.
 */

import type { Call, Listing } from "@reverie/client/call";
import { APIError, NotFound } from "@reverie/client/errors";
import {
  type InfiniteData,
  keepPreviousData,
  type Query,
  QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { api } from "./client";
import { onKeyEnd } from "./session";

export interface ListPage<T> {
  items: T[];
  next_cursor?: string | null;
  /** Where the API counts: how many there are in all. */
  total?: number | null;
}
export type ListData<T = unknown> = InfiniteData<ListPage<T>, string | undefined>;

const STALE_MS = 30_000;
const PAGE = 100;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // The client retries what may pass; what an answer refuses is refused.
      retry: false,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
onKeyEnd(() => queryClient.clear());

/** The key of a call: its path first. */
export function keyOf(call: Call<unknown>): QueryKey {
  return [call.path, "isList" in call ? "list" : call.method, call.query ?? {}, call.body ?? {}];
}

interface Options {
  /** Whether to ask at all. Default true. */
  enabled?: boolean;
  /** Show the former answer until the next one is there. Default false. */
  keepPrevious?: boolean;
  /** Ask again after so many milliseconds, while the page is shown. */
  refreshMs?: number;
}

/** The answer to a call that only reads. */
export function useCall<T>(call: Call<T>, { enabled = true, keepPrevious = false, refreshMs }: Options = {}) {
  return useQuery<T>({
    queryKey: keyOf(call),
    queryFn: ({ signal }) => api.send(call, { signal }),
    enabled,
    placeholderData: keepPrevious ? (former) => former as never : undefined,
    refetchInterval: refreshMs,
  });
}

/** One page of a list. */
export function fetchPage<T>(listing: Listing<T>, cursor?: string, signal?: AbortSignal): Promise<ListPage<T>> {
  const query = { limit: PAGE, ...listing.query, ...(cursor ? { cursor } : {}) };
  return api.send({ ...listing, query } as Call<ListPage<T>>, { signal });
}

/** A list, page by page: `items` so far, `fetchMore` for the next page, and `of`, what the list is of. */
export function useList<T>(listing: Listing<T>, { enabled = true, keepPrevious = false }: Options = {}) {
  const query = useInfiniteQuery({
    queryKey: keyOf(listing),
    queryFn: ({ pageParam, signal }) => fetchPage(listing, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled,
    placeholderData: keepPrevious ? keepPreviousData : undefined,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const fetchMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const of = JSON.stringify(listing.query ?? {});
  return { ...query, items, fetchMore, of, total: query.data?.pages[0]?.total ?? undefined };
}

export type ListOf<T> = ReturnType<typeof useList<T>>;

/** Ask again for everything whose path begins so. */
export function refresh(...paths: string[]) {
  return reread(({ queryKey }) => paths.some((path) => `${queryKey[0]}`.startsWith(path)));
}

/** Ask again. An answer under way may be older than the change that led here: it is awaited, and then asked for again. */
export async function reread(predicate: (query: Query) => boolean) {
  const underWay = new Set(queryClient.getQueryCache().findAll({ predicate, fetchStatus: "fetching" }));
  await queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
  if (underWay.size > 0) {
    await queryClient.invalidateQueries({ predicate: (query) => underWay.has(query) }, { cancelRefetch: false });
  }
}

/** Whether an answer says that there is no such thing, or that its name cannot be one. */
export function isMissing(error: unknown): boolean {
  return error instanceof NotFound || (error instanceof APIError && error.status === 422);
}
