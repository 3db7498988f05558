-- name: add_audit
-- One line of the audit log.
INSERT INTO audit_log (workspace_id, id, actor, key_id, action, target, subject, details)
VALUES (:workspace, :id, :actor, :key_id::uuid, :action, :target, :subject, :details);

-- name: list_audit
-- The audit log, newest first; fields that a scan has found are listed with the scan.
SELECT id, at, actor, key_id, action, target, subject, details - 'findings' AS details
FROM audit_log
WHERE workspace_id = :workspace
    AND (:action::text IS NULL OR action = :action)
    AND (:actor::text IS NULL OR actor = :actor)
    AND (:since::timestamptz IS NULL OR at >= :since)
    AND (:until::timestamptz IS NULL OR at < :until)
    AND (:before::uuid IS NULL OR id < :before)
ORDER BY id DESC
LIMIT :limit;
