-- name: register_client
-- Take in a client; nothing where as many as :per_minute have registered within the last minute.
INSERT INTO oauth_clients (id, name, redirect_uris, created_at)
SELECT :id::uuid, :name, :redirect_uris, :now::timestamptz
WHERE (SELECT count(*) FROM oauth_clients WHERE created_at > :now::timestamptz - interval '1 minute') < :per_minute::int;

-- name: drop_unused_clients
-- Delete the oldest clients that nobody has consented to, all but the newest :kept.
DELETE FROM oauth_clients
WHERE used_at IS NULL AND id IN (
    SELECT id FROM oauth_clients WHERE used_at IS NULL ORDER BY created_at DESC, id OFFSET :kept
);

-- name: client
SELECT id, name, redirect_uris FROM oauth_clients WHERE id = :id;

-- name: note_client_use
UPDATE oauth_clients SET used_at = :now WHERE id = :id;

-- name: collect_clients
-- Delete clients that nobody has consented to since they registered, and those not used for long.
DELETE FROM oauth_clients
WHERE CASE WHEN used_at IS NULL THEN created_at < :unused_before ELSE used_at < :used_before END;

-- name: add_code
INSERT INTO oauth_codes (
    workspace_id, hash, client_id, granted_by, role, agent, scopes, challenge, redirect_uri, redirect_uri_given, expires_at,
    user_name
)
VALUES (
    :workspace, :hash, :client_id, :granted_by, :role, :agent, :scopes, :challenge, :redirect_uri, :redirect_uri_given,
    :expires_at, :user
);

-- name: code
SELECT client_id, granted_by, role, agent, user_name AS "user", scopes, challenge, redirect_uri, redirect_uri_given, expires_at, key_id
FROM oauth_codes
WHERE workspace_id = :workspace AND hash = :hash;

-- name: use_code
-- Exchange a code that is neither used nor expired for a key.
UPDATE oauth_codes SET key_id = :key_id
WHERE workspace_id = :workspace AND hash = :hash AND key_id IS NULL AND expires_at > :now;

-- name: add_refresh_token
INSERT INTO oauth_refresh_tokens (workspace_id, hash, key_id, scopes, expires_at)
VALUES (:workspace, :hash, :key_id, :scopes, :expires_at);

-- name: refresh_token
-- A refresh token of a live key, with the client and the granter of the key.
SELECT r.key_id, r.scopes, r.expires_at, r.used_at, k.client_id, k.makers[cardinality(k.makers)] AS granted_by
FROM oauth_refresh_tokens r JOIN api_keys k ON k.workspace_id = :workspace AND k.id = r.key_id
WHERE r.workspace_id = :workspace AND r.hash = :hash AND k.revoked_at IS NULL;

-- name: use_refresh_token
UPDATE oauth_refresh_tokens SET used_at = :now
WHERE workspace_id = :workspace AND hash = :hash AND used_at IS NULL AND expires_at > :now;

-- name: renew_client_key
-- Give the live key of a client another secret, other scopes and another expiry.
UPDATE api_keys SET hash = :hash, prefix = :prefix, scopes = :scopes, expires_at = :expires_at
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL;

-- name: client_key
-- The live key of an OAuth client that has this secret, or a refresh token with it.
SELECT id, role, agent, client_id, scopes FROM api_keys
WHERE workspace_id = :workspace AND client_id IS NOT NULL AND revoked_at IS NULL AND (
    hash = :hash OR id = (
        SELECT key_id FROM oauth_refresh_tokens WHERE workspace_id = :workspace AND hash = :hash
    )
);

-- name: collect_codes
DELETE FROM oauth_codes
WHERE workspace_id = :workspace AND hash IN (
    SELECT hash FROM oauth_codes WHERE workspace_id = :workspace AND expires_at < :before LIMIT :limit
);

-- name: collect_refresh_tokens
DELETE FROM oauth_refresh_tokens
WHERE workspace_id = :workspace AND hash IN (
    SELECT hash FROM oauth_refresh_tokens WHERE workspace_id = :workspace AND expires_at < :before LIMIT :limit
);
