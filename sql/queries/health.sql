-- name: heartbeat
-- A worker is alive, and this is how what it depends on is.
INSERT INTO worker_heartbeats (worker, started_at, seen_at, health)
VALUES (:worker, clock_timestamp(), clock_timestamp(), :health)
ON CONFLICT (worker) DO UPDATE SET seen_at = clock_timestamp(), health = excluded.health;

-- name: forget_worker
DELETE FROM worker_heartbeats WHERE worker = :worker OR seen_at < :before;

-- name: workers
-- Workers heard of within the hour; alive are those that have not been silent for ``alive_s``.
SELECT worker, extract(epoch FROM clock_timestamp() - seen_at) < :alive_s::float8 AS alive, started_at, seen_at, health
FROM worker_heartbeats
WHERE seen_at > clock_timestamp() - interval '1 hour'
ORDER BY started_at, worker;

-- name: dreams_waiting
-- How many agents wait for a dream, in one workspace or (null) in all, and since when the first of them does.
SELECT count(*) AS due,
    min(least(
        CASE WHEN due_at <= :now::timestamptz THEN due_at END,
        CASE WHEN asked > answered THEN coalesce(asked_at, :now::timestamptz) END
    )) AS oldest_due_at
FROM dream_schedule
WHERE (due_at <= :now OR asked > answered) AND (lease_until IS NULL OR lease_until <= now())
    AND (:workspace::uuid IS NULL OR workspace_id = :workspace);

-- name: abandoned_lease
-- For how many more seconds an agent is held by a worker that has not been heard of for so long.
SELECT extract(epoch FROM s.lease_until - clock_timestamp())::float8 AS seconds
FROM dream_schedule s JOIN worker_heartbeats h ON h.worker = s.lease_owner
WHERE s.workspace_id = :workspace AND s.agent_id = (
        SELECT a.id FROM agents a WHERE a.workspace_id = :workspace AND a.agent = :agent)
    AND s.lease_until > clock_timestamp() AND h.seen_at < clock_timestamp() - make_interval(secs => :silent_s::float8);

-- name: agent_is_held
-- Whether a worker holds the agent.
SELECT EXISTS (
    SELECT 1 FROM dream_schedule s JOIN agents a ON a.workspace_id = :workspace AND a.id = s.agent_id
    WHERE s.workspace_id = :workspace AND a.agent = :agent AND s.lease_until > clock_timestamp());

-- name: dreams_running
SELECT count(*) FROM dream_schedule WHERE workspace_id = :workspace AND lease_until > now();

-- name: server
-- What answers, and how large it is, in bytes.
SELECT current_setting('server_version') AS postgres,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
    (SELECT version_num FROM alembic_version) AS schema_version,
    pg_database_size(current_database()) AS database_bytes,
    pg_total_relation_size('search_index') AS search_index_bytes,
    pg_total_relation_size('search_terms') AS search_terms_bytes,
    pg_total_relation_size('memories') AS memories_bytes,
    pg_total_relation_size('messages') AS messages_bytes;

-- name: index_counts
-- What a workspace has to search: how much of each kind, and how much of it has no vector.
SELECT count(*) FILTER (WHERE kind = 0) AS memories, count(*) FILTER (WHERE kind = 1) AS messages,
    count(*) FILTER (WHERE kind = 2) AS chunks,
    count(*) FILTER (WHERE embedding_model IS NULL AND NOT deleted AND {% include "readable_text" %}) AS pending
FROM search_index i
WHERE workspace_id = :workspace;

-- name: totals
SELECT name, value FROM totals;

-- name: add_totals
-- In the order of their names: lock ordering against deadlock.
INSERT INTO totals (name, value)
SELECT name, value FROM unnest(:names::text[], :values::float8[]) AS t(name, value) ORDER BY name
ON CONFLICT (name) DO UPDATE SET value = totals.value + excluded.value;

-- name: set_total
INSERT INTO totals (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;
