/** Entities and edges. */

import { get, list, patch, path, post, remove } from "../call.js";
import type { Body, Query } from "../types.js";

/** Entities, newest first, those with most mentions first, or by name. */
export function listEntities(query?: Query<"list_entities">) {
  return list<"list_entities">("/v1/entities", query, { agentIn: "query" });
}

/** One entity. */
export function getEntity(entity: string, query?: Query<"get_entity">) {
  return get<"get_entity">(path`/v1/entities/${entity}`, { query, agentIn: "query" });
}

/** What is known about an entity; with `memories: false` entities alone. Rejects with Ambiguous for a name that several have. */
export function entityGraph(entity: string, query?: Query<"get_entity_graph">) {
  return get<"get_entity_graph">(path`/v1/entities/${entity}/graph`, { query, agentIn: "query" });
}

/** The entities with most mentions, and pairs of them with memories in common. */
export function graphOverview(query?: Query<"get_graph">) {
  return get<"get_graph">("/v1/graph", { query, agentIn: "query" });
}

/** Rename an entity, or change what it is known as. */
export function changeEntity(entityId: string, changes: Body<"update_entity">) {
  return patch<"update_entity">(path`/v1/entities/${entityId}`, changes);
}

/** Make one entity of two. */
export function mergeEntity(entityId: string, into: string) {
  return post<"merge_entity">(path`/v1/entities/${entityId}/merge`, { into });
}

/** Take a merge back: the entity that was merged stands for itself again. */
export function unmergeEntity(entityId: string) {
  return post<"unmerge_entity">(path`/v1/entities/${entityId}/unmerge`);
}

/** Make an entity of its own of what some memories speak of. */
export function splitEntity(entityId: string, memoryIds: string[], name: string) {
  return post<"split_entity">(path`/v1/entities/${entityId}/split`, { memory_ids: memoryIds, name });
}

/** Link memories and entities. */
export function addEdge(edge: Body<"create_edge">) {
  return post<"create_edge">("/v1/edges", edge, { agentIn: "body" });
}

/** Remove a link. */
export function deleteEdge(edgeId: string) {
  return remove<"delete_edge">(path`/v1/edges/${edgeId}`);
}
