/** Whether the service and its database can be reached: what the offline banner says. */

import type { Schemas } from "@reverie/client";
import { APIError, ConnectionFailed } from "@reverie/client/errors";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "./queries";
import { Store, useStore } from "./store";

const RETRY_MS = 3_000;
const PATIENCE_MS = 2_000;
const REFRESH_MS = 2_000;
const AWAY = new Set([502, 503, 504]);
const reachable = new Store(true);

function isAway(error: unknown): boolean {
  return error instanceof ConnectionFailed || (error instanceof APIError && AWAY.has(error.status));
}

/** Ask whether the database answers; once it does again, everything that is shown is read again. */
async function check() {
  const answers = await fetch("/readyz", { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (answers === reachable.get()) return;
  reachable.set(answers);
  if (answers) void queryClient.invalidateQueries();
}

queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "error" && isAway(event.action.error)) void check();
});

async function readiness({ signal }: { signal: AbortSignal }): Promise<Schemas["Readiness"]> {
  return (await fetch("/readyz", { signal })).json();
}

/** What works, by part: it answers without the database, which other calls wait for. */
export function useReadiness(refreshMs = REFRESH_MS): Schemas["Readiness"] | undefined {
  return useQuery({ queryKey: ["/readyz"], queryFn: readiness, staleTime: 0, refetchInterval: refreshMs }).data;
}

/** Whether the service and its database answer; while they do not, they are asked again. */
export function useReachable(): boolean {
  const now = useStore(reachable);
  useEffect(() => {
    if (now) return;
    const timer = setInterval(check, RETRY_MS);
    return () => clearInterval(timer);
  }, [now]);
  return now;
}
