-- name: queue_dream
-- A dream waiting for a worker; one already waiting for this agent is taken instead.
WITH waiting AS (
    SELECT id FROM dreams
    WHERE workspace_id = :workspace AND agent_id = :agent_id AND status = 'queued' AND dry_run = :dry_run
    ORDER BY created_at LIMIT 1
), made AS (
    INSERT INTO dreams (workspace_id, id, agent_id, status, trigger, dry_run, created_at)
    SELECT :workspace, :id, :agent_id, 'queued', :trigger, :dry_run, :now
    WHERE NOT EXISTS (SELECT 1 FROM waiting)
    RETURNING id
), due AS (
    UPDATE dream_schedule SET due_at = least(due_at, :now)
    WHERE workspace_id = :workspace AND agent_id = :agent_id
)
SELECT id FROM waiting UNION ALL SELECT id FROM made;

-- name: get_dream
SELECT d.id, a.agent, d.status, d.trigger, d.dry_run, d.report, d.error, d.created_at, d.started_at, d.finished_at
FROM dreams d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace AND d.id = :id;

-- name: list_dreams
SELECT d.id, a.agent, d.status, d.trigger, d.dry_run, d.report, d.error, d.created_at, d.started_at, d.finished_at
FROM dreams d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:status::text IS NULL OR d.status = :status)
    AND (:before::uuid IS NULL OR d.id < :before)
ORDER BY d.id DESC
LIMIT :limit;

-- name: dream_changes
SELECT op, memory_id, before, after, reason
FROM dream_changes
WHERE workspace_id = :workspace AND dream_id = :dream_id
ORDER BY ordinal;

-- name: claim_due_agent
-- Take the agent that has been due longest, unless another worker holds it: a lease with the next fencing token.
UPDATE dream_schedule s SET
    lease_owner = :worker, lease_until = :now::timestamptz + make_interval(secs => :lease_s::float8), lease_token = lease_token + 1
FROM (
    SELECT workspace_id, agent_id FROM dream_schedule
    WHERE due_at <= :now AND (lease_until IS NULL OR lease_until <= :now)
    ORDER BY due_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED
) due
WHERE s.workspace_id = due.workspace_id AND s.agent_id = due.agent_id
RETURNING s.workspace_id, s.agent_id, s.lease_token, s.dream_id;

-- name: claim_agent
-- Take one agent, due or not, unless another worker holds it.
UPDATE dream_schedule SET
    lease_owner = :worker, lease_until = :now::timestamptz + make_interval(secs => :lease_s::float8), lease_token = lease_token + 1
WHERE workspace_id = :workspace AND agent_id = :agent_id AND (lease_until IS NULL OR lease_until <= :now)
RETURNING workspace_id, agent_id, lease_token, dream_id;

-- name: extend_lease
-- Still alive: the lease runs on, if it is still this worker's.
UPDATE dream_schedule SET lease_until = :now::timestamptz + make_interval(secs => :lease_s::float8)
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token AND lease_until > :now;

-- name: fence
-- Lock the lease for the rest of the transaction; nothing when it has been lost.
SELECT 1 FROM dream_schedule
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token AND lease_until > :now
FOR UPDATE;

-- name: release_lease
-- Done with the agent: free for others, due again at the time given, or when the schedule next fires.
UPDATE dream_schedule SET lease_owner = NULL, lease_until = NULL, dream_id = NULL, due_at = coalesce(:due_at::timestamptz, 'infinity')
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: free_lease
-- Let go without having finished: due as before, for whoever comes next.
UPDATE dream_schedule SET lease_owner = NULL, lease_until = NULL
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: hold_dream
UPDATE dream_schedule SET dream_id = :dream_id
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: take_queued
-- The next dream waiting for this agent.
SELECT id, dry_run, trigger FROM dreams
WHERE workspace_id = :workspace AND agent_id = :agent_id AND status = 'queued'
ORDER BY created_at LIMIT 1;

-- name: start_dream
UPDATE dreams SET status = 'running', started_at = coalesce(started_at, :now)
WHERE workspace_id = :workspace AND id = :id;

-- name: finish_dream
UPDATE dreams SET status = :status, report = :report, error = :error, finished_at = :now
WHERE workspace_id = :workspace AND id = :id;

-- name: add_changes
INSERT INTO dream_changes (workspace_id, dream_id, ordinal, op, memory_id, before, after, reason)
SELECT :workspace, :dream_id, c.ordinal, c.op, c.memory_id, c.before, c.after, c.reason
FROM jsonb_to_recordset(:changes::jsonb) AS c(
    ordinal integer, op text, memory_id uuid, before jsonb, after jsonb, reason text
);

-- name: due_messages
-- Messages past the watermark of the agent's sessions, oldest session first, in order, at most ``limit``.
SELECT m.id, s.id AS session_id, s.session, m.seq, m.role, m.content, m.name, coalesce(m.user_name, s.user_name) AS user_name,
    m.created_at
FROM sessions s
JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.seq > s.dreamed_seq
WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND s.dreamed_seq < s.last_seq
ORDER BY s.id, m.seq
LIMIT :limit;

-- name: advance_watermark
-- The session has been dreamed about up to ``seq``; nothing when something else moved the watermark meanwhile.
UPDATE sessions SET dreamed_seq = :seq
WHERE workspace_id = :workspace AND id = :session_id AND dreamed_seq = :from_seq;

-- name: known_in_slot
-- Live memories of this agent that fill one of these slots, or say something identical.
SELECT id, type, content, source, identity_hash, version
FROM memories
WHERE workspace_id = :workspace AND agent_id = :agent_id AND audience = :agent_id
    AND deleted_at IS NULL AND superseded_by IS NULL
    AND (source ->> 'slot' = ANY(:slots::text[]) OR identity_hash = ANY(:hashes::bytea[]));

-- name: agent_by_id
SELECT agent FROM agents WHERE workspace_id = :workspace AND id = :agent_id;

-- name: make_all_due
-- The schedule fires: every agent is due, but for those being dreamed for.
UPDATE dream_schedule SET due_at = least(due_at, :now) WHERE lease_until IS NULL OR lease_until <= :now;
