-- name: add_webhook
INSERT INTO webhooks (workspace_id, id, url, name, kinds, secret, position, created_at)
VALUES (:workspace, :id, :url, :name, :kinds, :secret, :position, :now);

-- name: schedule_webhook
-- Send to this webhook from now on.
INSERT INTO webhook_schedule (workspace_id, webhook_id, due_at) VALUES (:workspace, :id, :now)
ON CONFLICT (workspace_id, webhook_id) DO UPDATE SET due_at = least(webhook_schedule.due_at, excluded.due_at), paused_until = NULL;

-- name: list_webhooks
SELECT id, url, name, kinds AS events, position, failures, last_error AS error, last_sent_at, disabled_at, created_at
FROM webhooks
WHERE workspace_id = :workspace AND (:before::uuid IS NULL OR id < :before) AND (:id::uuid IS NULL OR id = :id)
ORDER BY id DESC
LIMIT :limit;

-- name: pauses
-- Until when nothing is sent to the webhooks of a workspace.
SELECT webhook_id, paused_until FROM webhook_schedule WHERE workspace_id = :workspace AND paused_until > now();

-- name: count_webhooks
SELECT count(*) FROM webhooks WHERE workspace_id = :workspace;

-- name: delete_webhook
DELETE FROM webhooks WHERE workspace_id = :workspace AND id = :id;

-- name: unschedule_webhook
DELETE FROM webhook_schedule WHERE workspace_id = :workspace AND webhook_id = :id;

-- name: enable_webhook
-- Begin again, after the last event that has arrived.
UPDATE webhooks SET disabled_at = NULL, failures = 0 WHERE workspace_id = :workspace AND id = :id
RETURNING id;

-- name: lock_webhook
-- A webhook that is to be changed.
SELECT url, name, kinds, secret, failures, disabled_at FROM webhooks WHERE workspace_id = :workspace AND id = :id
FOR UPDATE;

-- name: change_webhook
UPDATE webhooks SET
    url = :url, name = :name, kinds = :kinds, secret = :secret, failures = :failures, disabled_at = :disabled_at
WHERE workspace_id = :workspace AND id = :id;

-- name: webhook_target
-- Where a webhook is sent to, disabled or not, with its secret.
SELECT url, secret FROM webhooks WHERE workspace_id = :workspace AND id = :id;

-- name: claim_webhook
-- A webhook that is due, for one worker and a while; looked at again later, unless something happens. Workspaces take
-- turns: the one with the fewest leases is first, then the one served longest ago. ``reserved``: only of a workspace
-- without a lease.
WITH tenant AS MATERIALIZED (
    SELECT workspace_id, count(*) FILTER (WHERE lease_until > now()) AS leases, max(claimed_at) AS served_at
    FROM webhook_schedule
    WHERE workspace_id IN (
        SELECT workspace_id FROM webhook_schedule
        WHERE due_at <= :now AND (paused_until IS NULL OR paused_until <= :now)
            AND (lease_until IS NULL OR lease_until <= now())
    ) AND workspace_id NOT IN (SELECT w.workspace_id FROM workspaces w WHERE w.suspended_at IS NOT NULL)
    GROUP BY workspace_id
)
UPDATE webhook_schedule s SET
    lease_until = now() + make_interval(secs => :lease_s::float8), owner = :worker, due_at = :again_at, claimed_at = now()
FROM (
    SELECT d.workspace_id, d.webhook_id
    FROM webhook_schedule d JOIN tenant t ON t.workspace_id = d.workspace_id
    WHERE d.due_at <= :now AND (d.paused_until IS NULL OR d.paused_until <= :now)
        AND (d.lease_until IS NULL OR d.lease_until <= now()) AND (t.leases = 0 OR NOT :reserved::boolean)
    ORDER BY t.leases, t.served_at NULLS FIRST, d.due_at, d.webhook_id
    LIMIT 1
    FOR UPDATE OF d SKIP LOCKED
) next
WHERE s.workspace_id = next.workspace_id AND s.webhook_id = next.webhook_id
RETURNING s.workspace_id AS workspace, s.webhook_id AS id, s.owner AS worker;

-- name: extend_webhook_lease
-- Go on with a webhook, if it is still this worker's.
UPDATE webhook_schedule SET lease_until = now() + make_interval(secs => :lease_s::float8)
WHERE workspace_id = :workspace AND webhook_id = :id AND owner = :worker AND lease_until > now();

-- name: release_webhook
UPDATE webhook_schedule SET
    lease_until = NULL, owner = NULL, due_at = least(due_at, :due_at::timestamptz), paused_until = :paused_until
WHERE workspace_id = :workspace AND webhook_id = :id AND owner = :worker;

-- name: get_webhook
-- A webhook that is to be sent to, with its secret.
SELECT id, url, kinds, secret, position, failures FROM webhooks
WHERE workspace_id = :workspace AND id = :id AND disabled_at IS NULL;

-- name: webhook_sent
-- What came up to this position has arrived.
UPDATE webhooks SET position = :position, failures = 0, last_error = NULL, last_sent_at = coalesce(:sent_at, last_sent_at)
WHERE workspace_id = :workspace AND id = :id;

-- name: webhook_failed
UPDATE webhooks SET failures = failures + 1, last_error = :error, disabled_at = :disabled_at
WHERE workspace_id = :workspace AND id = :id;
