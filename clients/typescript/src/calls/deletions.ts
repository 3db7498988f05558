/** Deletions of sessions, agents and teams, counted first, and their undoing. */

import { list, path, post, remove } from "../call.js";
import type { Query } from "../types.js";

type Session = Pick<NonNullable<Query<"delete_session">>, "agent">;

/** Count what goes with a session; the answer has the `token` that deletes it. */
export function countSession(session: string, query?: Session) {
  const counted = { ...query, dry_run: true };
  return remove<"delete_session">(path`/v1/sessions/${session}`, { query: counted, agentIn: "query" });
}

/** Delete a session with its messages and what was made of them alone, as counted by `countSession`. */
export function deleteSession(session: string, token: string, query?: Session) {
  return remove<"delete_session">(path`/v1/sessions/${session}`, { query: { ...query, token }, agentIn: "query" });
}

/** Count everything an agent holds; the answer has the `token` that deletes it. */
export function countAgent(agent: string) {
  return remove<"delete_agent">(path`/v1/agents/${agent}`, { query: { dry_run: true } });
}

/** Delete an agent with everything it holds, as counted by `countAgent`. For admins. */
export function deleteAgent(agent: string, token: string) {
  return remove<"delete_agent">(path`/v1/agents/${agent}`, { query: { token } });
}

/** Count a team and the memories of its scope; the answer has the `token` that deletes them. */
export function countTeam(team: string) {
  return remove<"delete_team">(path`/v1/teams/${team}`, { query: { dry_run: true } });
}

/** Delete a team with the memories of its scope, as counted by `countTeam`. For admins. */
export function deleteTeam(team: string, token: string) {
  return remove<"delete_team">(path`/v1/teams/${team}`, { query: { token } });
}

/** Deletions of sessions, agents and teams, newest first. */
export function listDeletions(query?: Query<"list_deletions">) {
  return list<"list_deletions">("/v1/deletions", query);
}

/** Bring back what a deletion took. */
export function undoDeletion(deletionId: string) {
  return post<"undo_deletion">(path`/v1/deletions/${deletionId}/undo`);
}
