-- name: get_settings
SELECT value FROM settings WHERE workspace_id = :workspace;

-- name: get_agent_settings
SELECT (SELECT value FROM settings WHERE workspace_id = :workspace) AS workspace,
    (SELECT settings FROM agents WHERE workspace_id = :workspace AND id = :agent_id) AS agent;

-- name: put_settings
INSERT INTO settings (workspace_id, value, updated_at) VALUES (:workspace, :value, now())
ON CONFLICT (workspace_id) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: ping
SELECT 1;

-- name: login_role
-- Whether this login may take on the service's role, and whether row-level security stops it at all; whether this is
-- Citus, and whether its nodes are told in whose workspace a transaction is.
SELECT
    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS spread,
    current_setting('citus.propagate_set_commands', true) = 'local' AS citus_propagates_guc,
    coalesce((SELECT pg_has_role(r.oid, 'SET') FROM pg_roles r WHERE r.rolname = :app_role::text), false) AS may_switch,
    (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = current_user) AS bypasses_rls;

-- name: schema_revision
-- Which migration the schema is at.
SELECT version_num FROM alembic_version;

-- name: schema_serves_from
-- The oldest release, by its newest migration, that can work on the schema of a newer one.
SELECT serves_from FROM schema_compatibility WHERE revision = :revision;
