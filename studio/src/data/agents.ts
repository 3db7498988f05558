import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useSettled } from "@/components/useSettled";
import { api, calls } from "./client";
import { useCall, useList } from "./queries";
import { useSession } from "./session";

const PAGE = 200;

async function allAgents(): Promise<string[]> {
  const names: string[] = [];
  for await (const { agent } of api.items(calls.listAgents({ limit: PAGE }))) names.push(agent);
  return names;
}

/** The names of all agents that the key may see. */
export function useAgents() {
  const { current } = useSession();
  const query = useQuery({ queryKey: ["/v1/agents", "names"], queryFn: allAgents, enabled: !current?.agent });
  return current?.agent ? { ...query, data: [current.agent], isPending: false } : query;
}

/**
 * Names of agents that have what is typed in them, the first of all that the key may see: where there are more than one
 * page of agents, the service looks for them. `hasMore`: there are further ones.
 */
export function useAgentsNamed(typed: string) {
  const { current } = useSession();
  const enabled = !current?.agent;
  const q = useSettled(typed.trim());
  const all = useList(calls.listAgents({ limit: PAGE }), { enabled });
  const isSearched = all.hasNextPage && q !== "";
  const found = useList(calls.listAgents({ limit: PAGE, q }), { enabled: enabled && isSearched, keepPrevious: true });
  const { items, hasNextPage } = isSearched ? found : all;
  const wanted = typed.trim().toLowerCase();
  const names = items.map(({ agent }) => agent).filter((name) => name.toLowerCase().includes(wanted));
  return { names, hasMore: hasNextPage };
}

/** The agent that the address names, or the only one of the key; undefined stands for all. */
export function useAgent(): string | undefined {
  const { current } = useSession();
  const { agent } = useSearch({ strict: false });
  return current?.agent ?? agent;
}

/** Look at another agent: the same page, with nothing of the former one open. */
export function useChooseAgent() {
  const navigate = useNavigate();
  return (agent: string | undefined) => navigate({ to: ".", search: { agent } });
}

/** When an agent was made. */
export function useAgentSince(agent: string | undefined): string | undefined {
  const { data } = useCall(calls.getAgent(agent ?? "-"), { enabled: agent !== undefined });
  return data?.created_at;
}
