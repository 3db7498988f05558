-- Events are written by the statements that do what they tell, without a position. Whoever reads them first gives them
-- positions, under the workspace's counter: so a position that is seen has none below it that is still to come.

-- name: hold_event_counter
-- The last position given in this workspace, locked until the transaction ends.
INSERT INTO event_counters (workspace_id, last) VALUES (:workspace, 0)
ON CONFLICT (workspace_id) DO UPDATE SET last = event_counters.last
RETURNING last;

-- name: events_waiting
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

-- name: move_event_counter
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

-- name: collect_events
DELETE FROM events WHERE workspace_id = :workspace AND at < :before;

-- name: add_webhook
INSERT INTO webhooks (workspace_id, id, url, name, kinds, secret, position, created_at)
VALUES (:workspace, :id, :url, :name, :kinds, :secret, :position, :now);

-- name: schedule_webhooks
-- Look at the webhooks of this workspace from now on.
INSERT INTO webhook_schedule (workspace_id, due_at) VALUES (:workspace, :now)
ON CONFLICT (workspace_id) DO UPDATE SET due_at = least(webhook_schedule.due_at, excluded.due_at);

-- name: list_webhooks
SELECT id, url, name, kinds AS events, position, failures, last_error AS error, last_sent_at, next_at AS retry_at, created_at
FROM webhooks
WHERE workspace_id = :workspace AND (:before::uuid IS NULL OR id < :before)
ORDER BY id DESC
LIMIT :limit;

-- name: delete_webhook
DELETE FROM webhooks WHERE workspace_id = :workspace AND id = :id;

-- name: claim_webhooks
-- The workspace whose webhooks have waited longest, for one worker and a while.
UPDATE webhook_schedule s SET lease_until = :now::timestamptz + make_interval(secs => :lease_s::float8), owner = :worker
FROM (
    SELECT workspace_id FROM webhook_schedule
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
    ORDER BY due_at, workspace_id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
) due
WHERE s.workspace_id = due.workspace_id
RETURNING s.workspace_id;

-- name: keep_webhooks
-- Go on with the webhooks of a workspace, if they are still this worker's.
UPDATE webhook_schedule SET lease_until = :now::timestamptz + make_interval(secs => :lease_s::float8)
WHERE workspace_id = :workspace AND owner = :worker AND lease_until > :now;

-- name: leave_webhooks
UPDATE webhook_schedule SET lease_until = NULL, owner = NULL, due_at = :due_at
WHERE workspace_id = :workspace AND owner = :worker;

-- name: unschedule_webhooks
-- Nothing to look at any more.
DELETE FROM webhook_schedule WHERE workspace_id = :workspace AND owner = :worker;

-- name: due_webhooks
-- Webhooks of a workspace that may be sent to now.
SELECT id, url, kinds, secret, position, failures FROM webhooks
WHERE workspace_id = :workspace AND (next_at IS NULL OR next_at <= :now)
ORDER BY id;

-- name: count_webhooks
SELECT count(*) FROM webhooks WHERE workspace_id = :workspace;

-- name: webhook_sent
-- What came up to this position has arrived.
UPDATE webhooks SET position = :position, failures = 0, next_at = NULL, last_error = NULL,
    last_sent_at = coalesce(:sent_at, last_sent_at)
WHERE workspace_id = :workspace AND id = :id;

-- name: webhook_failed
UPDATE webhooks SET failures = failures + 1, next_at = :next_at, last_error = :error
WHERE workspace_id = :workspace AND id = :id;
