-- name: authenticate
-- The key with this hash, the settings of its workspace and the limits of both; nothing for an unknown or revoked one.
-- ``retry_after_s`` is set when the key has used up its rate.
SELECT id, role, agent, user_name AS "user", hash, settings, retry_after_s, scopes, expires_at, expired, suspended,
    coalesce(limits, '{}') AS limits, maker_limits, coalesce(workspace_limits, '{}') AS workspace_limits, agent_users
FROM reverie_authenticate_v6(:workspace, :hash);

-- fragment: maker_limits
-- Limits of the keys that the key ``k`` comes from, by id; null where none has any.
(
    SELECT jsonb_object_agg(m.id, m.limits) FROM api_keys m
    WHERE m.workspace_id = :workspace AND m.id = ANY(k.makers) AND m.limits IS NOT NULL
)

-- fragment: credential_is_current
-- Whether a key is as it was last seen: live, with this secret and these limits, its makers' among them, in a workspace
-- that is not suspended and has these limits and settings.
-- Its role, its agent and its user never change, its scopes and its expiry only together with its secret.
(
    EXISTS (
        SELECT FROM api_keys k
        WHERE k.workspace_id = :workspace AND k.id = :key_id AND k.hash = :key_hash AND k.revoked_at IS NULL
            AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
            AND k.limits IS NOT DISTINCT FROM :key_limits::jsonb
            AND {% include "maker_limits" %} IS NOT DISTINCT FROM :maker_limits::jsonb
    )
    AND EXISTS (
        SELECT FROM workspaces w
        WHERE w.workspace_id = :workspace AND w.suspended_at IS NULL
            AND w.limits IS NOT DISTINCT FROM :workspace_limits::jsonb
    )
    AND (SELECT value FROM settings WHERE workspace_id = :workspace) IS NOT DISTINCT FROM :key_settings::jsonb
)

-- name: add_workspace
-- Make a workspace; nothing when the name or id is taken.
INSERT INTO workspaces (workspace_id, name) VALUES (:workspace, :name) ON CONFLICT DO NOTHING;

-- name: workspace_by_name
SELECT workspace_id FROM workspaces WHERE name = :name;

-- name: workspace_name
SELECT name FROM workspaces WHERE workspace_id = :workspace;

-- name: add_key
INSERT INTO api_keys (
    workspace_id, id, name, role, agent, user_name, hash, prefix, scopes, expires_at, limits, client_id, makers, subject
)
VALUES (
    :workspace, :id, :name, :role, :agent, :user, :hash, :prefix, :scopes, :expires_at, :limits, :client_id, :makers, :subject
)
ON CONFLICT DO NOTHING;

-- name: key_with_secret
-- The key that has, or had, the secret with this hash, and whether it still opens with it.
SELECT role, hash = :hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS valid
FROM api_keys
WHERE workspace_id = :workspace AND (hash = :hash OR :hash = ANY(former_hashes))
ORDER BY valid DESC
LIMIT 1;

-- name: list_keys
-- Keys newest first, revoked ones included; never their hashes.
SELECT k.id, k.name, k.role, k.agent, k.user_name AS "user", k.prefix, k.scopes, coalesce(k.limits, '{}') AS limits, k.created_at, k.expires_at,
    k.revoked_at, k.client_id, k.makers[cardinality(k.makers)] AS granted_by, (
    SELECT u.last_used_at FROM key_usage u WHERE u.workspace_id = :workspace AND u.key_id = k.id
    ORDER BY u.day DESC LIMIT 1
) AS last_used_at
FROM api_keys k
WHERE k.workspace_id = :workspace AND (:before::uuid IS NULL OR k.id < :before)
ORDER BY k.id DESC
LIMIT :limit;

-- name: describe_key
-- What a key is called, what it may do, and the workspace it opens.
SELECT w.name AS workspace, k.id AS key_id, k.name, k.role, k.agent, k.user_name AS "user", k.prefix, k.scopes, k.expires_at,
    coalesce(k.limits, '{}') AS limits, k.client_id
FROM api_keys k JOIN workspaces w ON w.workspace_id = k.workspace_id
WHERE k.workspace_id = :workspace AND k.id = :id;

-- name: rotate_key
-- Replace the secret of a live key; the hash of the former one is kept, so that no start takes it in again.
UPDATE api_keys SET hash = :hash, prefix = :prefix, former_hashes = array_append(former_hashes, hash)
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL AND client_id IS NULL
RETURNING id, name, role, agent, user_name AS "user", prefix, scopes, expires_at, coalesce(limits, '{}') AS limits;

-- name: key_limits
SELECT limits FROM api_keys WHERE workspace_id = :workspace AND id = :id;

-- name: update_key_limits
-- Set the limits of a live key.
UPDATE api_keys SET limits = :limits WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL;

-- name: lock_keys
-- Live keys, which stay as they are until the transaction ends; in one order (lock ordering against deadlock).
SELECT k.id, k.role, k.name, k.agent, k.user_name AS "user", k.scopes, k.expires_at, coalesce(k.limits, '{}') AS limits,
    {% include "maker_limits" %} AS maker_limits, k.client_id, coalesce(k.makers, '{}') AS makers, k.subject
FROM api_keys k
WHERE k.workspace_id = :workspace AND k.id = ANY(:ids::uuid[]) AND k.revoked_at IS NULL
ORDER BY k.id
FOR NO KEY UPDATE;

-- name: revoke_key
UPDATE api_keys SET revoked_at = now()
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL;

-- name: revoke_made_keys
-- Revoke the keys that come from this key and, where it is that of a sign-in, those of its subject.
UPDATE api_keys k SET revoked_at = now()
WHERE k.workspace_id = :workspace AND k.revoked_at IS NULL AND (
    :id = ANY(k.makers) OR k.subject = (
        SELECT s.subject FROM api_keys s WHERE s.workspace_id = :workspace AND s.id = :id AND s.makers IS NULL
    )
);

-- name: revoke_client_keys
-- Revoke the keys of OAuth clients that this key has consented to.
UPDATE api_keys SET revoked_at = now()
WHERE workspace_id = :workspace AND :id = ANY(makers) AND client_id IS NOT NULL AND revoked_at IS NULL;

-- name: lock_keys_of_subject
-- Live keys of whoever signs in as this subject, and what is made with them.
SELECT k.id, k.role, k.name, k.agent, k.user_name AS "user", k.scopes, k.expires_at, coalesce(k.limits, '{}') AS limits,
    {% include "maker_limits" %} AS maker_limits, k.client_id, coalesce(k.makers, '{}') AS makers, k.subject
FROM api_keys k
WHERE k.workspace_id = :workspace AND k.subject = :subject AND k.revoked_at IS NULL
ORDER BY k.id
FOR NO KEY UPDATE;

-- name: live_admin_keys
-- How many admin keys can administer the workspace for good: those that expire do not count, nor does that of processes
-- with Reverie in them, which has no text.
SELECT count(*) FROM api_keys
WHERE workspace_id = :workspace AND role = 'admin' AND revoked_at IS NULL AND scopes IS NULL
    AND expires_at IS NULL AND prefix <> '';

-- name: add_key_usage
-- Count requests of keys, each on its day (UTC). A key that is gone is left out.
INSERT INTO key_usage (workspace_id, key_id, day, requests, last_used_at)
SELECT :workspace, k.id, (u.at AT TIME ZONE 'UTC')::date, u.requests, u.at
FROM unnest(:ids::uuid[], :requests::bigint[], :times::timestamptz[]) AS u (id, requests, at)
JOIN api_keys k ON k.workspace_id = :workspace AND k.id = u.id
ORDER BY k.id
ON CONFLICT (workspace_id, key_id, day) DO UPDATE SET
    requests = key_usage.requests + excluded.requests,
    last_used_at = greatest(key_usage.last_used_at, excluded.last_used_at);

-- name: key_requests
-- Requests from the day of ``since`` to that of ``until``, added up by day or by key.
SELECT CASE WHEN :by_day::boolean THEN day END AS day, CASE WHEN NOT :by_day THEN key_id END AS key_id,
    sum(requests)::bigint AS requests
FROM key_usage
WHERE workspace_id = :workspace AND day BETWEEN :since AND :until
GROUP BY 1, 2
ORDER BY 1, 2
LIMIT :limit;

-- name: collect_key_usage
-- Requests of days past their term, but for the last day of each key, which says when it was used last.
DELETE FROM key_usage u
USING (
    SELECT o.key_id, o.day FROM key_usage o
    WHERE o.workspace_id = :workspace AND o.day < (:before::timestamptz AT TIME ZONE 'UTC')::date AND EXISTS (
        SELECT FROM key_usage l WHERE l.workspace_id = :workspace AND l.key_id = o.key_id AND l.day > o.day
    )
    LIMIT :limit
) old
WHERE u.workspace_id = :workspace AND u.key_id = old.key_id AND u.day = old.day;
