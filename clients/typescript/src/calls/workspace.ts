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

/** Give a key a new secret. */
export function rotateKey(keyId: string) {
  return post<"rotate_key">(path`/v1/keys/${keyId}/rotate`);
}

/** Revoke a key. */
export function revokeKey(keyId: string) {
  return remove<"revoke_key">(path`/v1/keys/${keyId}`);
}

/** Who administered, and who read what is not their own. */
export function listAudit(query?: Query<"list_audit_entries">) {
  return list<"list_audit_entries">("/v1/audit", query);
}

/** What models were used for, by purpose, and what of today's budget is taken. */
export function usage(query?: Query<"get_usage">) {
  return get<"get_usage">("/v1/usage", { query });
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
