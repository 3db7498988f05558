-- name: unused_memories
-- Live memories that were stored, said again, changed and found for the last time before, a batch of them, locked. What is
-- to stay whether it is used or not is left out.
SELECT m.id FROM memories m
LEFT JOIN memory_usage u ON u.workspace_id = :workspace AND u.memory_id = m.id
WHERE m.workspace_id = :workspace AND m.deleted_at IS NULL AND m.superseded_by IS NULL
    AND m.key IS NULL AND NOT m.decay_exempt AND {% include "policy_type" %} NOT IN ('identity', 'insight') AND (m.type <> 'todo' OR m.status = 'done')
    AND greatest(m.created_at, m.learned_at, m.updated_at, m.reinforced_at, u.last_accessed_at) < :before::timestamptz
ORDER BY m.id
LIMIT :limit
FOR UPDATE OF m SKIP LOCKED;

-- name: collectable_memories
-- Memories deleted or expired before, a batch of them, locked; those that others lock are left for the next time.
SELECT id FROM memories
WHERE workspace_id = :workspace AND (deleted_at < :before::timestamptz OR expires_at < :before)
ORDER BY id
LIMIT :limit
FOR UPDATE SKIP LOCKED;

-- name: collect_edges
-- Edges of memories about to go.
DELETE FROM edges
WHERE workspace_id = :workspace AND (memory_id = ANY(:ids::uuid[]) OR source_id = ANY(:ids) OR target_id = ANY(:ids));

-- name: collect_terms
DELETE FROM search_terms WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: collect_index
DELETE FROM search_index WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: collect_memories
-- With their versions, sources and usage. What they had replaced stays replaced.
DELETE FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: collect_steps
-- Old checkpoints, or else old verdicts, but for those of dreams that are still to be finished.
DELETE FROM dream_steps s
USING (
    SELECT c.agent_id, c.input_hash
    FROM dream_steps c LEFT JOIN dreams d ON d.workspace_id = c.workspace_id AND d.id = c.dream_id
    WHERE c.workspace_id = :workspace AND c.created_at < :before::timestamptz AND (c.step = 'verdict') = :verdicts::boolean
        AND coalesce(d.status, 'gone') NOT IN ('queued', 'running')
    LIMIT :limit
) old
WHERE s.workspace_id = :workspace AND s.agent_id = old.agent_id AND s.input_hash = old.input_hash;

-- name: collect_responses
-- Answers kept for repeated requests, past their term.
DELETE FROM idempotency i
USING (
    SELECT key_id, request_key FROM idempotency
    WHERE workspace_id = :workspace AND created_at <= :before::timestamptz
    LIMIT :limit
) old
WHERE i.workspace_id = :workspace AND i.key_id = old.key_id AND i.request_key = old.request_key;

-- name: collect_events
-- What happened, past its days. Positions follow the time, so the oldest are the first.
DELETE FROM events e
USING (
    SELECT id, at FROM events WHERE workspace_id = :workspace AND position IS NOT NULL ORDER BY position LIMIT :limit
) old
WHERE e.workspace_id = :workspace AND e.id = old.id AND old.at < :before::timestamptz;

-- name: collect_unread_events
-- The same of what nobody has given a position.
DELETE FROM events e
USING (
    SELECT id FROM events WHERE workspace_id = :workspace AND position IS NULL AND at < :before::timestamptz
    ORDER BY at, id LIMIT :limit
) old
WHERE e.workspace_id = :workspace AND e.id = old.id;
