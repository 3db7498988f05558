/** Agents, their tasks, their dreams and their bulletins. */

import { get, list, path, post, put } from "../call.js";
import type { Body, Fields, Query } from "../types.js";

/** Agents by name; with `q`, those whose name has it in it. */
export function listAgents(query?: Query<"list_agents">) {
  return list<"list_agents">("/v1/agents", query);
}

/** One agent. */
export function getAgent(agent: string) {
  return get<"get_agent">(path`/v1/agents/${agent}`);
}

/** Make or change an agent. */
export function putAgent(agent: string, changes?: Body<"put_agent">) {
  return put<"put_agent">(path`/v1/agents/${agent}`, { ...changes });
}

/** Tasks by name. */
export function listTasks(query?: Query<"list_tasks">) {
  return list<"list_tasks">("/v1/tasks", query);
}

/** One task. */
export function getTask(task: string) {
  return get<"get_task">(path`/v1/tasks/${task}`);
}

/** Declare the only agents that may read and write a task; null opens it to every agent that names it. */
export function putTask(task: string, members: string[] | null) {
  return put<"put_task">(path`/v1/tasks/${task}`, { members });
}

/** Ask for a dream; with `wait` the answer comes when it is done. */
export function dream(agent: string, fields?: Body<"request_dream">) {
  return post<"request_dream">(path`/v1/agents/${agent}/dream`, { ...fields });
}

/** Dreams, newest first. */
export function listDreams(query?: Query<"list_dreams">) {
  return list<"list_dreams">("/v1/dreams", query, { agentIn: "query" });
}

/** One dream with its changes. */
export function getDream(dreamId: string) {
  return get<"get_dream">(path`/v1/dreams/${dreamId}`);
}

/** What a dream changed, in order, with the messages and memories that each change rests on. */
export function listDreamChanges(dreamId: string, query?: Query<"list_dream_changes">) {
  return list<"list_dream_changes">(path`/v1/dreams/${dreamId}/changes`, query);
}

/** Take back one change of a dream. Rejects with Conflict, with a `reason`, where that is not possible. */
export function undoDreamChange(dreamId: string, n: number) {
  return post<"undo_dream_change">(path`/v1/dreams/${dreamId}/changes/${String(n)}/undo`);
}

/** End a dream that waits or runs; it changes nothing. Rejects with Conflict for one that is over. */
export function cancelDream(dreamId: string) {
  return post<"cancel_dream">(path`/v1/dreams/${dreamId}/cancel`);
}

/** Restore the state before a dream. Rejects with Conflict where later changes are in the way. */
export function undoDream(dreamId: string) {
  return post<"undo_dream">(path`/v1/dreams/${dreamId}/undo`);
}

/** Compare a decision model with what people decided on an agent's dreams and proposals. */
export function calibrate(agent: string, options?: Body<"calibrate_agent">) {
  return post<"calibrate_agent">(path`/v1/agents/${agent}/calibration`, { ...options });
}

/** What an agent knows, now or at a version. */
export function bulletin(agent: string, query?: Query<"get_bulletin">) {
  return get<"get_bulletin">(path`/v1/agents/${agent}/bulletin`, { query });
}

/** Every bulletin of an agent, newest first. */
export function listBulletins(agent: string, query?: Query<"list_bulletin_versions">) {
  return list<"list_bulletin_versions">(path`/v1/agents/${agent}/bulletin/versions`, query);
}

/** Have the bulletin of an agent rewritten. */
export function writeBulletin(agent: string) {
  return post<"rewrite_bulletin">(path`/v1/agents/${agent}/bulletin`);
}

/** Statements that dreams were not sure enough of, newest first; `status` for those decided on. */
export function listInbox(query?: Query<"list_inbox">) {
  return list<"list_inbox">("/v1/inbox", query, { agentIn: "query" });
}

/** A proposal of any status, with the messages it comes from. */
export function getProposal(proposalId: string) {
  return get<"get_proposal">(path`/v1/inbox/${proposalId}`);
}

/** Accept, edit (with the changes to it), reject or reopen a proposal. Rejects with Conflict where somebody was faster. */
export function decideProposal(
  proposalId: string,
  action: Body<"decide_proposal">["action"],
  changes?: Fields<"decide_proposal", "action">,
) {
  return post<"decide_proposal">(path`/v1/inbox/${proposalId}`, { action, ...changes });
}

/** Decide alike on up to 100 proposals, all or none. */
export function decideProposals(
  ids: string[],
  action: Body<"decide_proposals">["action"],
  changes?: Fields<"decide_proposals", "ids" | "action">,
) {
  return post<"decide_proposals">("/v1/inbox", { ids, action, ...changes });
}
