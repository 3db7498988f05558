/** Keeps what is shown up to date: rows of lists are patched by their id, everything else that changed is read again. */

import type { ReverieEvent } from "@reverie/client";
import type { Listing } from "@reverie/client/call";
import type { Query } from "@tanstack/react-query";
import { followEvents, onEvent } from "./events";
import { withFirstPage, withoutRow } from "./list-data";
import { fetchPage, type ListData, queryClient, refresh, reread } from "./queries";

const PAUSE_MS = 700;
/** What each kind of event concerns, by the paths of calls. */
const CONCERNED: Record<string, string[]> = {
  memory: ["/v1/memories/", "/v1/stats", "/v1/agents", "/v1/inbox", "/v1/context", "/v1/pages"],
  dream: ["/v1/dreams", "/v1/agents", "/v1/stats", "/v1/inbox", "/v1/pages"],
  proposal: ["/v1/inbox", "/v1/stats"],
  window: ["/v1/sessions"],
};
const MEMORIES = "/v1/memories";
const GONE = new Set(["memory.deleted", "memory.superseded"]);
const waiting = new Set<string>();
let isPending = false;

function memoryLists(): Query[] {
  return queryClient.getQueryCache().findAll({
    predicate: ({ queryKey }) => queryKey[0] === MEMORIES && queryKey[1] === "list",
  });
}

/** Takes the newest rows of a list into what of it is loaded, so that nothing else is read again. */
async function readFirstPage(query: Query) {
  const parameters = query.queryKey[2] as Record<string, unknown>;
  const listing = { method: "GET", path: MEMORIES, isList: true, query: parameters } as Listing<{ id: string }>;
  const first = await fetchPage(listing).catch(() => undefined);
  if (!first) return;
  queryClient.setQueryData<ListData<{ id: string }>>(query.queryKey, (data) =>
    data ? withFirstPage(data, first, parameters.sort === undefined) : data,
  );
}

async function readConcerned() {
  isPending = false;
  const kinds = [...waiting];
  waiting.clear();
  if (kinds.includes("memory")) {
    for (const query of memoryLists()) {
      if (query.state.data === undefined) void reread((one) => one === query);
      else query.isActive() ? void readFirstPage(query) : query.invalidate();
    }
  }
  await refresh(...kinds.flatMap((kind) => CONCERNED[kind] ?? []));
}

function take(event: ReverieEvent) {
  const kind = event.type.split(".")[0] ?? "";
  if (event.type === "gap") return void refresh("/v1");
  const id = event.memory_id;
  if (GONE.has(event.type) && typeof id === "string") {
    for (const query of memoryLists()) {
      const { include } = query.queryKey[2] as { include?: string };
      if (include) continue;
      queryClient.setQueryData<ListData<{ id: string }>>(query.queryKey, (data) => data && withoutRow(data, id));
    }
  }
  waiting.add(kind);
  if (!isPending) setTimeout(readConcerned, PAUSE_MS);
  isPending = true;
}

/** Begin, for the key of this tab; the function that is returned ends it. */
export function keepUpToDate(): () => void {
  const ends = [onEvent(take), followEvents()];
  return () => {
    for (const end of ends) end();
  };
}
