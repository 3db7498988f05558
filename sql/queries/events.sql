-- Events are written by the statements that do what they tell, without a position. Whoever reads them first gives them
-- positions, under the workspace's counter: so a position that is seen has none below it that is still to come.

-- name: lock_event_sequence
-- The last position given in this workspace, locked until the transaction ends.
INSERT INTO event_counters (workspace_id, last) VALUES (:workspace, 0)
ON CONFLICT (workspace_id) DO UPDATE SET last = event_counters.last
RETURNING last;

-- name: has_unsequenced_events
-- Whether there are events without a position.
SELECT EXISTS (SELECT 1 FROM events WHERE workspace_id = :workspace AND position IS NULL);

-- name: position_events
-- Give the next positions to events that have none, in the order in which they happened; the last one given.
WITH next AS (
    SELECT id, row_number() OVER (ORDER BY at, id) AS n
    FROM (SELECT id, at FROM events WHERE workspace_id = :workspace AND position IS NULL ORDER BY at, id LIMIT :limit) e
), placed AS (
    UPDATE events e SET position = :last::bigint + next.n
    FROM next
    WHERE e.workspace_id = :workspace AND e.id = next.id
    RETURNING e.position
)
SELECT max(position) FROM placed;

-- name: set_event_sequence
UPDATE event_counters SET last = :last WHERE workspace_id = :workspace;

-- name: last_event
SELECT last FROM event_counters WHERE workspace_id = :workspace;

-- name: list_events
-- Events after a position, in order, of an agent and of some kinds if any are named.
SELECT e.position, e.id, e.kind, a.agent, e.subject_id, s.session, e.details, e.at
FROM events e
LEFT JOIN agents a ON a.workspace_id = :workspace AND a.id = e.agent_id
LEFT JOIN sessions s ON s.workspace_id = :workspace AND s.id = e.subject_id AND e.kind = 'window.compacted'
WHERE e.workspace_id = :workspace AND e.position > :after::bigint
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:kinds::text[] IS NULL OR e.kind = ANY(:kinds))
ORDER BY e.position
LIMIT :limit;

-- name: first_event
-- The oldest position that is still there.
SELECT min(position) FROM events WHERE workspace_id = :workspace AND position IS NOT NULL;

-- name: notify_events
-- Events have been written in these workspaces: their webhooks are due, and whoever listens is told.
WITH due AS (
    UPDATE webhook_schedule SET due_at = :now WHERE workspace_id = ANY(:workspaces::uuid[]) AND due_at > :now::timestamptz
    RETURNING webhook_id
)
SELECT pg_notify('reverie_events', w::text) FROM unnest(:workspaces) w;

-- name: key_hash
-- What is stored of a key that is neither revoked nor expired, in a workspace that is not suspended.
SELECT hash FROM api_keys
WHERE workspace_id = :workspace AND id = :id AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > clock_timestamp())
    AND NOT EXISTS (SELECT FROM workspaces WHERE workspace_id = :workspace AND suspended_at IS NOT NULL);
