import { useMemo } from "react";
import { useAgent } from "@/data/agents";
import { calls } from "@/data/client";
import { useCall } from "@/data/queries";

const LIMIT = 200;
const HOURS_MS = 24 * 3_600_000;

/** The dreams of the last 24 hours, newest first, without dry runs: at most 200. */
export function useRecentDreams() {
  const agent = useAgent();
  const query = useCall(calls.listDreams({ agent, limit: LIMIT }));
  const dreams = useMemo(() => {
    const from = Date.now() - HOURS_MS;
    return query.data?.items.filter(({ dry_run, created_at }) => !dry_run && new Date(created_at).getTime() > from);
  }, [query.data]);
  return { ...query, dreams };
}
