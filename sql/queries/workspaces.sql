-- name: active_workspaces
-- Workspaces that are not suspended.
SELECT workspace_id FROM workspaces WHERE suspended_at IS NULL;

-- name: list_workspaces
-- Workspaces newest first.
SELECT workspace_id AS id, name, created_at, suspended_at, coalesce(limits, '{}') AS limits
FROM workspaces
WHERE deletion_of IS NULL
    AND (:created_at::timestamptz IS NULL OR (created_at, workspace_id) < (:created_at, :id::uuid))
ORDER BY created_at DESC, workspace_id DESC
LIMIT :limit;

-- name: get_workspace
-- The workspace of this id, else of this name.
SELECT workspace_id AS id, name, created_at, suspended_at, coalesce(limits, '{}') AS limits
FROM workspaces
WHERE deletion_of IS NULL AND (name = :given OR workspace_id = :id)
ORDER BY workspace_id = :id DESC
LIMIT 1;

-- name: update_workspace
-- Rename, suspend, resume or limit a workspace; a name or state that is null stays. A suspended one stays suspended since then.
UPDATE workspaces SET
    name = coalesce(:name, name),
    suspended_at = CASE WHEN :suspended::boolean THEN coalesce(suspended_at, :now)
        WHEN NOT :suspended THEN NULL ELSE suspended_at END,
    limits = :limits
WHERE workspace_id = :id
RETURNING workspace_id AS id, name, created_at, suspended_at, coalesce(limits, '{}') AS limits;

-- name: hold_workspace
-- Keep a workspace from being deleted for the rest of the transaction; nothing where it is gone.
SELECT 1 FROM workspaces WHERE workspace_id = :workspace FOR KEY SHARE;

-- name: lock_suspended_workspace
-- Lock a workspace for its deletion; nothing where it is gone or not suspended.
SELECT 1 FROM workspaces WHERE workspace_id = :id AND suspended_at IS NOT NULL FOR UPDATE;
