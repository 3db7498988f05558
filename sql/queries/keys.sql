-- name: authenticate
-- The key with this hash and the settings of its workspace; nothing for an unknown or revoked one.
-- ``retry_after_s`` is set when the key has used up its rate.
SELECT id, role, agent, hash, settings, retry_after_s FROM reverie_authenticate_v3(:workspace, :hash);

-- fragment: credential_is_current
-- Whether a key is as it was last seen: live, with this secret, in a workspace with these settings. Its role and its
-- agent never change.
(
    EXISTS (
        SELECT FROM api_keys k
        WHERE k.workspace_id = :workspace AND k.id = :key_id AND k.hash = :key_hash AND k.revoked_at IS NULL
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
INSERT INTO api_keys (workspace_id, id, name, role, agent, hash)
VALUES (:workspace, :id, :name, :role, :agent, :hash)
ON CONFLICT DO NOTHING;

-- name: key_with_secret
-- The key that has, or had, the secret with this hash, and whether it still opens with it.
SELECT role, hash = :hash AND revoked_at IS NULL AS valid
FROM api_keys
WHERE workspace_id = :workspace AND (hash = :hash OR :hash = ANY(former_hashes))
ORDER BY valid DESC
LIMIT 1;

-- name: list_keys
-- Keys newest first, revoked ones included; never their hashes.
SELECT id, name, role, agent, created_at, revoked_at
FROM api_keys
WHERE workspace_id = :workspace AND (:before::uuid IS NULL OR id < :before)
ORDER BY id DESC
LIMIT :limit;

-- name: describe_key
-- What a key is called, and the workspace it opens.
SELECT w.name AS workspace, k.name
FROM api_keys k JOIN workspaces w ON w.workspace_id = k.workspace_id
WHERE k.workspace_id = :workspace AND k.id = :id;

-- name: rotate_key
-- Replace the secret of a live key; the hash of the former one is kept, so that no start takes it in again.
UPDATE api_keys SET hash = :hash, former_hashes = array_append(former_hashes, hash)
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL
RETURNING id, name, role, agent, created_at, revoked_at;

-- name: revoke_key
UPDATE api_keys SET revoked_at = now()
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL;

-- name: live_admin_keys
-- How many admin keys could still administer the workspace.
SELECT count(*) FROM api_keys WHERE workspace_id = :workspace AND role = 'admin' AND revoked_at IS NULL;
