-- name: get_settings
SELECT value FROM settings WHERE workspace_id = :workspace;

-- name: put_settings
INSERT INTO settings (workspace_id, value) VALUES (:workspace, :value)
ON CONFLICT (workspace_id) DO UPDATE SET value = excluded.value, updated_at = now();

-- name: ping
SELECT 1;
