-- fragment: subject
-- What a dead letter ``d`` is of: a message, a memory or a part of a document.
coalesce(d.message_id, d.memory_id, d.chunk_id)

-- fragment: readable_text
-- Whether the text of a row ``i`` of the search index may be read.
NOT EXISTS (
    SELECT 1 FROM dead_letters d
    WHERE d.workspace_id = :workspace AND d.status IN ('dead', 'discarded') AND {% include "subject" %} = i.id
)

-- name: record_in_flight
-- What this worker begins to process, committed before it begins.
INSERT INTO in_flight (workspace_id, job, owner_id, worker, step, subject_ids, deaths, deadline_at)
VALUES (
    :workspace, :job, :owner_id, :worker, :step, :subject_ids::uuid[], :deaths,
    now() + make_interval(secs => :deadline_s::float8)
)
ON CONFLICT (workspace_id, job, owner_id, worker) DO UPDATE SET
    step = excluded.step, subject_ids = excluded.subject_ids, deaths = excluded.deaths,
    deadline_at = excluded.deadline_at;

-- name: clear_in_flight
DELETE FROM in_flight
WHERE workspace_id = :workspace AND job = :job AND owner_id = :owner_id AND worker = ANY(:workers::text[]);

-- name: in_flight_elsewhere
-- What other workers were processing here; ``overdue``: for longer than any worker lives over one step.
SELECT worker, step, subject_ids, deaths, deadline_at <= now() AS overdue FROM in_flight
WHERE workspace_id = :workspace AND job = :job AND owner_id = :owner_id AND worker <> :worker
ORDER BY worker
FOR UPDATE;

-- name: add_dead_letter
-- Set a text aside, or once more one that was tried again; nothing for one that is gone.
INSERT INTO dead_letters (
    workspace_id, id, message_id, memory_id, chunk_id, status, job, step, attempts, dream_id, created_at
)
SELECT :workspace, :id, f.message_id, f.memory_id, f.chunk_id, 'dead', :job, :step, :attempts::integer, :dream_id::uuid,
    :now::timestamptz
FROM (
    SELECT m.id AS message_id, NULL::uuid AS memory_id, NULL::uuid AS chunk_id
    FROM messages m WHERE m.workspace_id = :workspace AND m.id = :subject_id
    UNION ALL
    SELECT NULL, r.id, NULL FROM memories r WHERE r.workspace_id = :workspace AND r.id = :subject_id
    UNION ALL
    SELECT NULL, NULL, c.id FROM chunks c WHERE c.workspace_id = :workspace AND c.id = :subject_id
) f
ON CONFLICT (workspace_id, coalesce(message_id, memory_id, chunk_id)) DO UPDATE SET
    status = excluded.status, job = excluded.job, step = excluded.step, attempts = excluded.attempts,
    dream_id = excluded.dream_id, created_at = excluded.created_at;

-- name: dead_messages
-- Which of these messages are not to be read.
SELECT message_id FROM dead_letters
WHERE workspace_id = :workspace AND message_id = ANY(:ids::uuid[]) AND status IN ('dead', 'discarded');

-- name: retried_messages
-- Messages of the agent, of these owners, behind the watermark that are to be dreamed about after all. What is not
-- searchable comes without its text.
SELECT m.id, s.id AS session_id, s.session, s.dreamed_seq, m.seq, m.role,
    CASE WHEN m.searchable THEN m.content ELSE '' END AS content,
    CASE WHEN m.searchable THEN m.content_json END AS parts, m.name,
    coalesce(m.user_name, s.user_name) AS user_name, m.created_at, m.time_zone, d.status, d.step, d.attempts
FROM dead_letters d
JOIN messages m ON m.workspace_id = d.workspace_id AND m.id = d.message_id
JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
WHERE d.workspace_id = :workspace AND d.status = 'retrying' AND s.agent_id = :agent_id AND m.seq <= s.dreamed_seq
    AND m.owners = :owners::text[]
ORDER BY s.id, m.seq
LIMIT :limit;

-- name: resolve_retried_messages
-- They have been dreamed about; an undo of the dream makes them due again.
UPDATE dead_letters SET status = 'resolved', dream_id = :dream_id
WHERE workspace_id = :workspace AND message_id = ANY(:ids::uuid[]) AND status = 'retrying';

-- name: memories_set_aside
-- Memories of the agent that workers died on in this dream.
SELECT d.memory_id, d.step, d.attempts
FROM dead_letters d JOIN memories m ON m.workspace_id = d.workspace_id AND m.id = d.memory_id
WHERE d.workspace_id = :workspace AND d.dream_id = :dream_id::uuid AND d.status = 'dead' AND m.agent_id = :agent_id
ORDER BY d.memory_id;

-- name: resolve_retried_memories
-- A dream has read them; an undo of it makes them due again.
UPDATE dead_letters SET status = 'resolved', dream_id = :dream_id
WHERE workspace_id = :workspace AND memory_id = ANY(:ids::uuid[]) AND status = 'retrying' AND job = 'dream';

-- name: resolve_retried_texts
-- Memories and parts of documents that have their vectors after all.
UPDATE dead_letters d SET status = 'resolved'
WHERE d.workspace_id = :workspace AND d.status = 'retrying' AND d.message_id IS NULL AND EXISTS (
    SELECT 1 FROM search_index i
    WHERE i.workspace_id = :workspace AND i.id = coalesce(d.memory_id, d.chunk_id) AND i.embedding_model IS NOT NULL);

-- name: reopen_dead_letters
-- The dream that resolved them has been undone.
UPDATE dead_letters SET status = 'retrying'
WHERE workspace_id = :workspace AND dream_id = :dream_id AND status = 'resolved';

-- name: list_dead_letters
SELECT d.id, d.status, CASE WHEN d.message_id IS NOT NULL THEN 'message' WHEN d.memory_id IS NOT NULL THEN 'memory'
        ELSE 'chunk' END AS kind,
    {% include "subject" %} AS subject_id, a.agent, s.session, m.seq, c.document_id, d.job, d.step, d.attempts, d.created_at
FROM dead_letters d
LEFT JOIN messages m ON m.workspace_id = d.workspace_id AND m.id = d.message_id
LEFT JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
LEFT JOIN memories r ON r.workspace_id = d.workspace_id AND r.id = d.memory_id
LEFT JOIN chunks c ON c.workspace_id = d.workspace_id AND c.id = d.chunk_id
LEFT JOIN documents t ON t.workspace_id = c.workspace_id AND t.id = c.document_id
JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = coalesce(s.agent_id, r.agent_id, t.agent_id)
WHERE d.workspace_id = :workspace AND d.status IN ('dead', 'retrying')
    AND (:before::uuid IS NULL OR d.id < :before) AND (:id::uuid IS NULL OR d.id = :id)
ORDER BY d.id DESC
LIMIT :limit;

-- name: count_dead_letters
SELECT count(*) AS count, min(created_at) AS oldest_at FROM dead_letters
WHERE workspace_id = :workspace AND status = 'dead';

-- name: retry_dead_letter
UPDATE dead_letters SET status = 'retrying' WHERE workspace_id = :workspace AND id = :id AND status = 'dead';

-- name: discard_dead_letter
-- Given up: never read again, and no longer listed.
UPDATE dead_letters SET status = 'discarded'
WHERE workspace_id = :workspace AND id = :id AND status IN ('dead', 'retrying');
