import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ListOf } from "@/data/queries";
import { ErrorState, Skeleton } from "./States";
import { VirtualList } from "./VirtualList";

/** A list as it is read: a skeleton, what failed, what to say of an empty one, or its rows, page by page. */
export function QueryList<T>({
  list,
  empty,
  end,
  ...rows
}: {
  list: ListOf<T>;
  /** Stands in the place of an empty list. */
  empty: ReactNode;
  /** What stands below the last row of so many. */
  end: (count: number) => string;
  label: string;
  keyOf: (item: T) => string;
  linkOf: (item: T) => LinkProps;
  children: (item: T) => ReactNode;
  chosen?: string;
  rowHeight?: number;
}) {
  if (list.isError && list.items.length === 0) return <ErrorState error={list.error} onRetry={list.refetch} />;
  if (list.isPending) return <Skeleton lines={10} />;
  if (list.items.length === 0) return empty;
  return (
    <VirtualList
      {...rows}
      items={list.items}
      onEnd={list.fetchMore}
      of={list.of}
      isPrevious={list.isPlaceholderData}
      end={list.hasNextPage ? undefined : end(list.items.length)}
    />
  );
}
