/** Changes of loaded lists, by the ids of their rows. */

import type { ListData, ListPage } from "./queries";

type Row = { id: string };

/** A list with its first page as it is now: known rows as they are now, and, where `newestFirst`, new ones before them. */
export function withFirstPage<T extends Row>(data: ListData<T>, first: ListPage<T>, newestFirst: boolean): ListData<T> {
  const now = new Map(first.items.map((row) => [row.id, row]));
  const known = new Set(data.pages.flatMap((page) => page.items.map(({ id }) => id)));
  const added = newestFirst ? first.items.filter(({ id }) => !known.has(id)) : [];
  const pages = data.pages.map((page) => ({ ...page, items: page.items.map((row) => now.get(row.id) ?? row) }));
  const [head, ...rest] = pages;
  if (!head) return { ...data, pages: [first] };
  return { ...data, pages: [{ ...head, total: first.total ?? head.total, items: [...added, ...head.items] }, ...rest] };
}

/** A list without a row. */
export function withoutRow<T extends Row>(data: ListData<T>, id: string): ListData<T> {
  if (!data.pages.some((page) => page.items.some((row) => row.id === id))) return data;
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter((row) => row.id !== id) })) };
}

/**
 * The order in which rows are shown while a reader is among them. `held`: the keys in the order in which they are on
 * the screen. Rows that came before them or between them wait; those after the last one are shown, since they move none;
 * rows that have gone stay, as they were.
 */
export function heldOrder<T>(held: readonly T[], items: readonly T[], keyOf: (item: T) => string) {
  const now = new Map(items.map((item) => [keyOf(item), item]));
  const keys = new Set(held.map(keyOf));
  const last = items.findLastIndex((item) => keys.has(keyOf(item)));
  const shown = [...held.map((item) => now.get(keyOf(item)) ?? item), ...items.slice(last + 1)];
  const waiting = items.slice(0, last + 1).filter((item) => !keys.has(keyOf(item))).length;
  return { shown: last < 0 ? [...held] : shown, waiting: last < 0 ? items.length : waiting };
}
