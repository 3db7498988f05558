/** The workspace: settings, engine, keys, audit, webhooks. */

import { get, list, patch, path, post, put, remove } from "../call.js";
import type { Body, Fields, Query } from "../types.js";

/** The workspace's settings. */
export function getSettings() {
  return get<"get_settings">("/v1/settings");
}

/** Change settings; what is left out stays. */
export function putSettings(settings: Body<"update_settings">) {
  return put<"update_settings">("/v1/settings", settings);
}

/** How the engine is. */
export function engine() {
  return get<"get_engine">("/v1/engine");
}

/** What can embed here. */
export function embeddingProviders() {
  return get<"list_embedding_providers">("/v1/embedding-providers");
}

/** Embed again what has no vector of the present model. */
export function reindex(fields?: Body<"start_reindex">) {
  return post<"start_reindex">("/v1/reindex", { ...fields });
}

/** How far embedding again has come. */
export function reindexProgress() {
  return get<"get_reindex">("/v1/reindex");
}

/** Find secrets in all that is stored and, unless it is a dry run, mask them for good. */
export function rescan(fields?: Body<"start_rescan">) {
  return post<"start_rescan">("/v1/rescan", { ...fields });
}

/** How far the last scan for secrets has come, and its counts. */
export function rescanProgress() {
  return get<"get_rescan">("/v1/rescan");
}

/** Fields in which the last scan has found secrets. */
export function listRescanFindings(query?: Query<"list_rescan_findings">) {
  return list<"list_rescan_findings">("/v1/rescan/findings", query);
}

/** Write, find and delete a memory, to see that everything works. */
export function verify() {
  return post<"verify_engine">("/v1/verify");
}

/** Which workspace the client's key opens, and as whom. */
export function whoami() {
  return get<"get_caller">("/v1/whoami");
}

/** Make a key; its text is shown this once. */
export function createKey(
  role: Body<"create_key">["role"],
  name: string,
  fields?: Fields<"create_key", "role" | "name">,
) {
  return post<"create_key">("/v1/keys", { role, name, ...fields });
}

/** Keys, newest first. */
export function listKeys(query?: Query<"list_keys">) {
  return list<"list_keys">("/v1/keys", query);
}

/** Set those limits of a key that are named; null lifts one. */
export function limitKey(keyId: string, limits: Body<"update_key">["limits"]) {
  return patch<"update_key">(path`/v1/keys/${keyId}`, { limits });
}

/** Give a key a new secret. */
export function rotateKey(keyId: string) {
  return post<"rotate_key">(path`/v1/keys/${keyId}/rotate`);
}

/** Revoke a key. */
export function revokeKey(keyId: string) {
  return remove<"revoke_key">(path`/v1/keys/${keyId}`);
}

/** Make a workspace; `key`, its first admin key, is shown this once. For admins of the installation. */
export function createWorkspace(name: string) {
  return post<"create_workspace">("/v1/workspaces", { name });
}

/** Workspaces of the installation, newest first. */
export function listWorkspaces(query?: Query<"list_workspaces">) {
  return list<"list_workspaces">("/v1/workspaces", query);
}

/** Rename, suspend, resume or limit a workspace, by its id or name. */
export function updateWorkspace(workspace: string, changes?: Body<"update_workspace">) {
  return patch<"update_workspace">(path`/v1/workspaces/${workspace}`, { ...changes });
}

/** Count the rows of a suspended workspace; the answer has the `token` that deletes it. */
export function countWorkspace(workspace: string) {
  return remove<"delete_workspace">(path`/v1/workspaces/${workspace}`, { query: { dry_run: true } });
}

/** Delete a suspended workspace for good, as counted by `countWorkspace`. */
export function deleteWorkspace(workspace: string, token: string) {
  return remove<"delete_workspace">(path`/v1/workspaces/${workspace}`, { query: { token } });
}

/** Who administered, and who read what is not their own. */
export function listAudit(query?: Query<"list_audit_entries">) {
  return list<"list_audit_entries">("/v1/audit", query);
}

/** Every setting of the workspace with its default and its source. */
export function settingSources() {
  return get<"list_setting_sources">("/v1/settings/sources");
}

/** Set settings, or sections of them, back to their defaults; the settings after that. */
export function resetSettings(names: string[]) {
  return post<"reset_settings">("/v1/settings/reset", { names });
}

/** What models were used for, by purpose, requests, what is stored, dreams, and what is used of the limits. */
export function usage(query?: Query<"get_usage">) {
  return get<"get_usage">("/v1/usage", { query });
}

/** Kept calls of language models with the beginnings of their texts, newest first. */
export function listModelCalls(query?: Query<"list_model_calls">) {
  return list<"list_model_calls">("/v1/model-calls", query);
}

/** A kept call of a language model with its texts. */
export function getModelCall(id: string) {
  return get<"get_model_call">(path`/v1/model-calls/${id}`);
}

/** Memories, dreams and searches by day, and what there is now. */
export function stats(query?: Query<"get_stats">) {
  return get<"get_stats">("/v1/stats", { query });
}

/** Webhooks. */
export function listWebhooks(query?: Query<"list_webhooks">) {
  return list<"list_webhooks">("/v1/webhooks", query);
}

/** Have events sent to an address. */
export function addWebhook(webhook: Body<"create_webhook">) {
  return post<"create_webhook">("/v1/webhooks", webhook);
}

/** Change a webhook; only the fields given change. `rotate_secret` answers with a new secret, this once. */
export function updateWebhook(webhookId: string, changes?: Body<"update_webhook">) {
  return patch<"update_webhook">(path`/v1/webhooks/${webhookId}`, { ...changes });
}

/** Send one `ping` to a webhook now: how that went. */
export function testWebhook(webhookId: string) {
  return post<"test_webhook">(path`/v1/webhooks/${webhookId}/test`);
}

/** Send again to a webhook that was given up. */
export function enableWebhook(webhookId: string) {
  return post<"enable_webhook">(path`/v1/webhooks/${webhookId}/enable`);
}

/** Stop sending events to an address. */
export function deleteWebhook(webhookId: string) {
  return remove<"delete_webhook">(path`/v1/webhooks/${webhookId}`);
}

/** Texts set aside because workers died over them. */
export function listDeadLetters(query?: Query<"list_dead_letters">) {
  return list<"list_dead_letters">("/v1/dead-letters", query);
}

/** Process such a text once more. */
export function retryDeadLetter(deadLetterId: string) {
  return post<"retry_dead_letter">(path`/v1/dead-letters/${deadLetterId}/retry`);
}

/** Give such a text up. */
export function discardDeadLetter(deadLetterId: string) {
  return remove<"discard_dead_letter">(path`/v1/dead-letters/${deadLetterId}`);
}

/** The process is alive. */
export function health() {
  return get<"check_liveness">("/healthz");
}

/** The database answers. */
export function ready() {
  return get<"check_readiness">("/readyz");
}
