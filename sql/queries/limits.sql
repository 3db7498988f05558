-- name: add_requests
-- Add requests to windows, in one order (lock ordering against deadlock); how many each has then.
INSERT INTO request_counts (workspace_id, key_id, period, starts_at, requests)
SELECT :workspace, key_id, period, starts_at, requests
FROM unnest(:key_ids::uuid[], :periods::text[], :starts::timestamptz[], :requests::bigint[])
    AS c(key_id, period, starts_at, requests)
ORDER BY key_id, period, starts_at
ON CONFLICT (workspace_id, key_id, period, starts_at) DO UPDATE SET
    requests = request_counts.requests + excluded.requests
RETURNING key_id, period, starts_at, requests;

-- name: lock_workspace_limits
-- The limits of a workspace, locked against another change and another recount; nobody who writes in it waits.
SELECT workspace_id, limits FROM workspaces WHERE workspace_id = :workspace FOR NO KEY UPDATE;

-- name: limits_in_force
-- Limits of a workspace, and by id those of one of its keys (null: of none) and of the keys that it comes from.
SELECT w.limits AS workspace_limits, (
    SELECT jsonb_object_agg(h.id, h.limits)
    FROM api_keys k JOIN api_keys h ON h.workspace_id = :workspace AND (h.id = k.id OR h.id = ANY(k.makers))
    WHERE k.workspace_id = :workspace AND k.id = :key_id::uuid AND h.limits IS NOT NULL
) AS key_limits
FROM workspaces w
WHERE w.workspace_id = :workspace;

-- fragment: holders_of_stored_limits
-- Whose stored rows are counted: keys with a limit of rows or bytes, and the workspace where it or any key has one.
WITH limited AS (
    SELECT k.id AS key_id FROM api_keys k
    WHERE k.workspace_id = :workspace AND k.revoked_at IS NULL AND k.limits ?| '{rows_max,bytes_max}'
), holder AS (
    SELECT key_id FROM limited
    UNION ALL
    SELECT :no_key::uuid
    WHERE EXISTS (SELECT FROM limited) OR EXISTS (
        SELECT FROM workspaces w WHERE w.workspace_id = :workspace AND w.limits ?| '{rows_max,bytes_max}')
)

-- name: hold_stored_counts
-- Begin to count for those with a limit; from nothing, until the recount that follows.
{% include "holders_of_stored_limits" %}
INSERT INTO stored_counts (workspace_id, key_id, rows, bytes)
SELECT :workspace, key_id, 0, 0 FROM holder ORDER BY key_id
ON CONFLICT DO NOTHING;

-- name: drop_stored_counts
-- Count no more for those without a limit.
{% include "holders_of_stored_limits" %}
DELETE FROM stored_counts
WHERE workspace_id = :workspace AND key_id NOT IN (SELECT key_id FROM holder);

-- name: is_counted
SELECT EXISTS (SELECT FROM stored_days WHERE workspace_id = :workspace AND day = :day)
    AND NOT EXISTS (SELECT FROM stored_counts WHERE workspace_id = :workspace);

-- name: stored_by_writer
-- Rows and bytes of memories and messages by the key that wrote them.
SELECT key_id, count(*) AS rows, sum(bytes)::bigint AS bytes
FROM (
    SELECT key_id, reverie_stored_bytes_v1(content, metadata) AS bytes FROM memories WHERE workspace_id = :workspace
    UNION ALL
    SELECT key_id, reverie_stored_bytes_v1(content, content_json) FROM messages WHERE workspace_id = :workspace
) i
GROUP BY key_id;

-- name: settle_stored
-- On Citus, where no trigger is deferred to the commit, the last statement of a transaction.
SELECT reverie_settle_workspace_v1(:workspace);

-- name: note_waiting
-- Count what waits in a deletion (``sign`` 1), or has left it (-1), where the workspace is counted.
INSERT INTO stored_changes (workspace_id, id, key_id, rows, bytes)
SELECT :workspace, i.id, i.key_id, :sign::integer * i.rows, :sign * i.bytes
FROM jsonb_to_recordset(:items::jsonb) AS i(id uuid, key_id uuid, rows bigint, bytes bigint)
WHERE EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = :workspace)
RETURNING id;

-- name: recount_stored
-- Count memories and messages, those that wait in deletions (``waiting``) among them, by key and in all, note the counts of the day, and add to the counts in force what they
-- lack at this moment. What a key stores counts against those that it comes from, too.
WITH item AS (
    SELECT key_id, reverie_stored_bytes_v1(content, metadata) AS bytes FROM memories WHERE workspace_id = :workspace
    UNION ALL
    SELECT key_id, reverie_stored_bytes_v1(content, content_json) FROM messages WHERE workspace_id = :workspace
), by_key AS (
    SELECT key_id, sum(rows) AS rows, sum(bytes) AS bytes
    FROM (
        SELECT key_id, count(*) AS rows, sum(bytes) AS bytes FROM item GROUP BY key_id
        UNION ALL
        SELECT key_id, rows, bytes FROM jsonb_to_recordset(:waiting::jsonb) AS w(key_id uuid, rows bigint, bytes bigint)
    ) here
    GROUP BY key_id
), counted AS (
    SELECT key_id, rows, bytes FROM by_key WHERE key_id IS NOT NULL
    UNION ALL
    SELECT :no_key::uuid, coalesce(sum(rows), 0), coalesce(sum(bytes), 0) FROM by_key
), noted AS (
    INSERT INTO stored_days (workspace_id, key_id, day, rows, bytes)
    SELECT :workspace, key_id, :day, rows, bytes FROM counted
    ON CONFLICT (workspace_id, day, key_id) DO UPDATE SET rows = excluded.rows, bytes = excluded.bytes
), held AS (
    SELECT key_id, sum(rows) AS rows, sum(bytes) AS bytes
    FROM (
        SELECT key_id, rows, bytes FROM counted
        UNION ALL
        SELECT unnest(k.makers), c.rows, c.bytes
        FROM counted c JOIN api_keys k ON k.workspace_id = :workspace AND k.id = c.key_id
    ) against
    GROUP BY key_id
), drift AS MATERIALIZED (
    SELECT s.key_id, coalesce(h.rows, 0) - s.rows AS rows, coalesce(h.bytes, 0) - s.bytes AS bytes
    FROM stored_counts s LEFT JOIN held h ON h.key_id = s.key_id
    WHERE s.workspace_id = :workspace
), corrected AS (
    UPDATE stored_counts s SET rows = s.rows + d.rows, bytes = s.bytes + d.bytes
    FROM drift d
    WHERE s.workspace_id = :workspace AND s.key_id = d.key_id AND (d.rows <> 0 OR d.bytes <> 0)
    RETURNING s.key_id
)
SELECT count(*) FROM corrected;

-- name: stored_now
-- Rows and bytes as counted for limits, else as last noted.
SELECT key_id, rows, bytes FROM stored_counts WHERE workspace_id = :workspace
UNION ALL
SELECT d.key_id, d.rows, d.bytes
FROM stored_days d
WHERE d.workspace_id = :workspace
    AND d.day = (SELECT max(x.day) FROM stored_days x WHERE x.workspace_id = :workspace)
    AND NOT EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = :workspace AND c.key_id = d.key_id);

-- name: stored_by_day
SELECT day, NULL::uuid AS key_id, rows, bytes FROM stored_days
WHERE workspace_id = :workspace AND key_id = :no_key AND day BETWEEN :since AND :until
ORDER BY day
LIMIT :limit;

-- name: stored_by_key
SELECT DISTINCT ON (key_id) NULL::date AS day, key_id, rows, bytes FROM stored_days
WHERE workspace_id = :workspace AND key_id <> :no_key AND day BETWEEN :since AND :until
ORDER BY key_id, day DESC
LIMIT :limit;

-- name: dreams_by
-- Dreams made on these days (UTC), by day, by the key that asked for them, or by agent.
SELECT CASE WHEN :by_day::boolean THEN (d.created_at AT TIME ZONE 'UTC')::date END AS day,
    CASE WHEN :by_key::boolean THEN d.key_id END AS key_id,
    CASE WHEN :by_agent::boolean THEN a.agent END AS agent,
    count(*) AS dreams
FROM dreams d JOIN agents a ON a.workspace_id = :workspace AND a.id = d.agent_id
WHERE d.workspace_id = :workspace
    AND d.created_at >= :since::date::timestamp AT TIME ZONE 'UTC'
    AND d.created_at < (:until::date + 1)::timestamp AT TIME ZONE 'UTC'
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
LIMIT :limit;

-- name: unfinished_dreams
-- Dreams that wait or run, by each key that they count against (the one that asked, and those that it comes from), and in
-- all.
SELECT h.key_id, count(*) AS dreams
FROM dreams d CROSS JOIN LATERAL (
    SELECT :no_key::uuid AS key_id
    UNION ALL
    SELECT d.key_id WHERE d.key_id IS NOT NULL
    UNION ALL
    SELECT unnest(k.makers) FROM api_keys k WHERE k.workspace_id = :workspace AND k.id = d.key_id
) h
WHERE d.workspace_id = :workspace AND d.status IN ('queued', 'running')
GROUP BY h.key_id;

-- name: limited_keys
SELECT id, name, limits FROM api_keys
WHERE workspace_id = :workspace AND revoked_at IS NULL AND limits IS NOT NULL
ORDER BY id
LIMIT :limit;

-- name: requests_now
SELECT key_id, period, requests FROM request_counts
WHERE workspace_id = :workspace
    AND ((period = 'minute' AND starts_at = :minute) OR (period = 'day' AND starts_at = :day));

-- name: costs_now
SELECT key_id, coalesce(sum(cost_usd) FILTER (WHERE day = :day), 0) AS day_cost_usd, sum(cost_usd) AS month_cost_usd
FROM model_budgets
WHERE workspace_id = :workspace AND day BETWEEN date_trunc('month', :day::date)::date AND :day
GROUP BY key_id;

-- name: collect_stored_days
DELETE FROM stored_days s
USING (
    SELECT day, key_id FROM stored_days
    WHERE workspace_id = :workspace AND day < (:before::timestamptz AT TIME ZONE 'UTC')::date
    LIMIT :limit
) old
WHERE s.workspace_id = :workspace AND s.day = old.day AND s.key_id = old.key_id;

-- name: collect_request_counts
DELETE FROM request_counts c
USING (
    SELECT key_id, period, starts_at FROM request_counts
    WHERE workspace_id = :workspace AND starts_at < :before
    LIMIT :limit
) old
WHERE c.workspace_id = :workspace AND c.key_id = old.key_id AND c.period = old.period AND c.starts_at = old.starts_at;
