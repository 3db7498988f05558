-- name: request_rescan
-- Ask the worker to scan a workspace for stored secrets; a scan under way is kept.
INSERT INTO rescans (workspace_id, id, dry_run, requested_at)
VALUES (:workspace, :id, :dry_run, :now)
ON CONFLICT (workspace_id) DO UPDATE SET
    id = excluded.id, dry_run = excluded.dry_run, total = NULL, done = 0, attempts = 0, error = NULL,
    requested_at = excluded.requested_at, finished_at = NULL, lease_until = NULL, owner = NULL
WHERE rescans.finished_at IS NOT NULL;

-- name: get_rescan
SELECT id, dry_run, done, total, error, requested_at, finished_at FROM rescans WHERE workspace_id = :workspace;

-- name: claim_rescan
-- The longest waiting scan that no worker holds, for one worker and a while. One that changes nothing begins again
-- under another id, so that nothing counts twice.
UPDATE rescans s SET
    owner = :worker, lease_until = now() + make_interval(secs => :lease_s::float8), attempts = s.attempts + 1,
    done = 0, total = NULL, id = CASE WHEN s.dry_run THEN :id::uuid ELSE s.id END
FROM (
    SELECT workspace_id FROM rescans
    WHERE finished_at IS NULL AND (lease_until IS NULL OR lease_until <= now())
        AND workspace_id NOT IN (SELECT w.workspace_id FROM workspaces w WHERE w.suspended_at IS NOT NULL)
    ORDER BY requested_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED
) next
WHERE s.workspace_id = next.workspace_id
RETURNING s.workspace_id AS workspace, s.id, s.dry_run, s.attempts, s.owner AS worker;

-- name: extend_rescan
-- Go on with a scan, if it is still this worker's.
UPDATE rescans SET
    lease_until = now() + make_interval(secs => :lease_s::float8),
    total = coalesce(:total::bigint, total),
    done = least(done + :done::bigint, coalesce(:total, total))
WHERE workspace_id = :workspace AND owner = :worker AND lease_until > now();

-- name: release_rescan
-- Leave a scan to the next worker; the attempt does not count.
UPDATE rescans SET lease_until = NULL, owner = NULL, attempts = attempts - 1
WHERE workspace_id = :workspace AND owner = :worker;

-- name: finish_rescan
UPDATE rescans SET
    finished_at = :now, error = :error, done = CASE WHEN :error::text IS NULL THEN total ELSE done END,
    lease_until = NULL, owner = NULL
WHERE workspace_id = :workspace AND owner = :worker;

-- name: rescan_counts
-- What a scan has found: rows by table, and fields by kind.
SELECT part.name, count.key, sum(count.value::bigint)::bigint AS count
FROM audit_log line
CROSS JOIN LATERAL (VALUES ('rows', line.details -> 'rows'), ('kinds', line.details -> 'kinds')) AS part(name, counts)
CROSS JOIN LATERAL jsonb_each_text(part.counts) AS count
WHERE line.workspace_id = :workspace AND line.id >= :since AND line.details ->> 'rescan' = :rescan::text
    AND line.action IN ('secrets.found', 'secrets.masked')
GROUP BY part.name, count.key
ORDER BY part.name, count.key;

-- name: rescan_findings
-- The fields with secrets that a scan has found, in the order in which it went.
SELECT line.id, found.place, line.target AS table, found.value ->> 'row' AS row, found.value ->> 'field' AS field,
    found.value -> 'kinds' AS kinds, a.agent, s.session, c.document_id
FROM audit_log line
CROSS JOIN LATERAL jsonb_array_elements(line.details -> 'findings') WITH ORDINALITY AS found(value, place)
LEFT JOIN messages m ON m.workspace_id = line.workspace_id
    AND m.id = CASE line.target WHEN 'messages' THEN (found.value ->> 'row')::uuid END
LEFT JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
LEFT JOIN chunks c ON c.workspace_id = line.workspace_id
    AND c.id = CASE line.target WHEN 'chunks' THEN (found.value ->> 'row')::uuid END
WHERE line.workspace_id = :workspace AND line.id >= :since AND line.details ->> 'rescan' = :rescan::text
    AND line.action IN ('secrets.found', 'secrets.masked')
    AND (:after::uuid IS NULL OR (line.id, found.place) > (:after, :after_place::bigint))
ORDER BY line.id, found.place
LIMIT :limit;
