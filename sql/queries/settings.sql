-- name: get_settings
SELECT value FROM settings WHERE workspace_id = :workspace;

-- name: put_settings
INSERT INTO settings (workspace_id, value) VALUES (:workspace, :value)
ON CONFLICT (workspace_id) DO UPDATE SET value = excluded.value, updated_at = now();

-- name: ping
SELECT 1;

-- name: login_role
-- Whether this login may take on the service's role, and whether row-level security stops it at all.
SELECT
    coalesce((SELECT pg_has_role(r.oid, 'SET') FROM pg_roles r WHERE r.rolname = :app_role::text), false) AS may_switch,
    (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = current_user) AS passes_walls;
