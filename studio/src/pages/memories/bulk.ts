/** Changes of many memories at once, which can be taken back together. */

import type { Answer, Body, MemoryRecord } from "@reverie/client";
import { attempt, toast, toastError } from "@/components/Toast";
import { api } from "@/data/client";
import { refresh } from "@/data/queries";
import { memories as texts } from "@/strings/memories";

type Action = Body<"change_memories">["action"];
type Changed = Answer<"change_memories">["items"];
/** What the API takes in one call. */
const CALL_MAX = 500;

async function change(ids: readonly string[], action: Action, tags?: string[]): Promise<Changed> {
  const items: Changed = [];
  for (let at = 0; at < ids.length; at += CALL_MAX) {
    items.push(...(await api.changeMemories(ids.slice(at, at + CALL_MAX), action, tags)).items);
  }
  return items;
}

/** Says what became of the memories; `undo` takes back those that changed. */
async function changeAll(
  chosen: readonly MemoryRecord[],
  act: (ids: string[]) => Promise<Changed>,
  done: (count: number) => string,
  undo: (ids: string[]) => Promise<unknown>,
) {
  await attempt(async () => {
    const items = await act(chosen.map(({ id }) => id));
    const changed = items.filter(({ outcome }) => outcome === "done").map(({ id }) => id);
    const refused = items.filter(({ outcome }) => outcome !== "done" && outcome !== "unchanged");
    const [first] = refused;
    if (first) {
      const why = texts.bulk.outcomes[first.outcome];
      toastError(new Error(texts.bulk.failed(refused.length, chosen.length, why)));
    }
    if (changed.length === 0) return;
    toast(done(changed.length), async () => {
      await attempt(() => undo(changed));
      await refresh("/v1/memories");
    });
  });
  await refresh("/v1/memories");
}

export function deleteAll(chosen: readonly MemoryRecord[]) {
  return changeAll(
    chosen,
    (ids) => change(ids, "delete"),
    texts.bulk.deleted,
    (ids) => change(ids, "restore"),
  );
}

export function restoreAll(chosen: readonly MemoryRecord[]) {
  const deleted = chosen.filter(({ deleted_at }) => deleted_at !== null);
  return changeAll(
    deleted,
    (ids) => change(ids, "restore"),
    texts.bulk.restored,
    (ids) => change(ids, "delete"),
  );
}

export function pinAll(chosen: readonly MemoryRecord[], pinned: boolean) {
  const [action, back] = pinned ? (["pin", "unpin"] as const) : (["unpin", "pin"] as const);
  const done = pinned ? texts.bulk.pinned : texts.bulk.unpinned;
  return changeAll(
    chosen,
    (ids) => change(ids, action),
    done,
    (ids) => change(ids, back),
  );
}

export function tagAll(chosen: readonly MemoryRecord[], tag: string) {
  return changeAll(
    chosen,
    (ids) => change(ids, "add_tags", [tag]),
    texts.bulk.tagged,
    (ids) => change(ids, "remove_tags", [tag]),
  );
}
