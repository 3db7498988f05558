-- name: add_search_counts
INSERT INTO search_counts (workspace_id, agent_id, day, searches, degraded, latencies)
SELECT :workspace, a.id, :day, :searches, :degraded, :latencies::bigint[]
FROM agents a
WHERE a.workspace_id = :workspace AND a.agent = :agent
ON CONFLICT (workspace_id, agent_id, day) DO UPDATE SET
    searches = search_counts.searches + excluded.searches,
    degraded = search_counts.degraded + excluded.degraded,
    latencies = ARRAY(
        SELECT x.was + x.new FROM unnest(search_counts.latencies, excluded.latencies) WITH ORDINALITY AS x(was, new, n)
        ORDER BY x.n);

-- fragment: of_agent
-- Whether a row ``x`` is of the agent asked for; of any when none is named.
(:agent::text IS NULL OR x.agent_id = (
    SELECT a.id FROM agents a WHERE a.workspace_id = :workspace AND a.agent = :agent))

-- name: memories_by_day
-- Memories made, superseded and deleted on each day, as far as they are still kept. One deleted after it was superseded
-- counts as deleted alone.
SELECT e.day, count(*) FILTER (WHERE e.what = 'made') AS made,
    count(*) FILTER (WHERE e.what = 'superseded') AS superseded, count(*) FILTER (WHERE e.what = 'deleted') AS deleted
FROM memories x
CROSS JOIN LATERAL (
    SELECT v.what, (v.at AT TIME ZONE 'UTC')::date AS day
    FROM (VALUES
        ('made', x.created_at),
        ('superseded', CASE WHEN x.superseded_by IS NOT NULL AND x.deleted_at IS NULL THEN x.updated_at END),
        ('deleted', x.deleted_at)
    ) AS v(what, at)
) e
WHERE x.workspace_id = :workspace AND {% include "of_agent" %} AND e.day BETWEEN :since AND :until
GROUP BY e.day;

-- fragment: dream_day
-- The day on which a dream ``x`` ended.
(x.finished_at AT TIME ZONE 'UTC')::date

-- name: faded_by_day
-- Memories that dreams found faded, by the day on which the dream ended.
SELECT {% include "dream_day" %} AS day, count(*) AS faded
FROM dreams x
JOIN dream_changes c ON c.workspace_id = x.workspace_id AND c.dream_id = x.id
WHERE x.workspace_id = :workspace AND c.workspace_id = :workspace AND {% include "of_agent" %}
    AND x.status = 'succeeded' AND {% include "dream_day" %} BETWEEN :since AND :until
    AND c.op = 'decayed' AND c.after ->> 'faded' = 'true' AND c.before ->> 'faded' = 'false'
GROUP BY 1;

-- name: dreams_by_day
-- Dreams that ended on each day, without dry runs.
SELECT {% include "dream_day" %} AS day, count(*) AS dreams,
    count(*) FILTER (WHERE x.status = 'failed') AS failed, count(*) FILTER (WHERE x.status = 'undone') AS undone,
    coalesce(sum((x.report ->> 'messages')::bigint) FILTER (WHERE x.status <> 'failed'), 0)::bigint AS messages,
    coalesce(sum((x.report ->> 'created')::bigint), 0)::bigint AS created,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY coalesce((x.report ->> 'duration_s')::float8, 0)) AS duration_p50_s,
    max(coalesce((x.report ->> 'duration_s')::float8, 0)) AS duration_max_s,
    coalesce(sum(coalesce((x.usage ->> 'prompt_tokens')::bigint, 0)
        + coalesce((x.usage ->> 'completion_tokens')::bigint, 0)), 0)::bigint AS tokens,
    coalesce(sum((x.usage ->> 'cost_usd')::float8), 0)::float8 AS cost_usd
FROM dreams x
WHERE x.workspace_id = :workspace AND {% include "of_agent" %} AND NOT x.dry_run
    AND {% include "dream_day" %} BETWEEN :since AND :until
GROUP BY 1;

-- name: searches_by_day
-- Searches of each day; ``latencies`` are counts by bucket, added up over agents.
SELECT g.day, g.searches, g.degraded, ARRAY(
        SELECT sum(l.count)::bigint
        FROM search_counts x, unnest(x.latencies) WITH ORDINALITY AS l(count, n)
        WHERE x.workspace_id = :workspace AND x.day = g.day AND {% include "of_agent" %}
        GROUP BY l.n ORDER BY l.n) AS latencies
FROM (
    SELECT x.day, sum(x.searches)::bigint AS searches, sum(x.degraded)::bigint AS degraded
    FROM search_counts x
    WHERE x.workspace_id = :workspace AND x.day BETWEEN :since AND :until AND {% include "of_agent" %}
    GROUP BY x.day
) g;

-- name: stats_totals
SELECT m.memories, m.superseded, m.deleted,
    (SELECT count(*) FROM entities x
        WHERE x.workspace_id = :workspace AND x.merged_into IS NULL AND {% include "of_agent" %}) AS entities,
    (SELECT count(*) FROM sessions x WHERE x.workspace_id = :workspace AND {% include "of_agent" %}) AS sessions,
    (SELECT count(*) FROM dreams x
        WHERE x.workspace_id = :workspace AND NOT x.dry_run AND {% include "of_agent" %}) AS dreams
FROM (
    SELECT
        count(*) FILTER (WHERE x.deleted_at IS NULL AND x.superseded_by IS NULL
            AND (x.expires_at IS NULL OR x.expires_at > :now::timestamptz)) AS memories,
        count(*) FILTER (WHERE x.deleted_at IS NULL AND x.superseded_by IS NOT NULL) AS superseded,
        count(*) FILTER (WHERE x.deleted_at IS NOT NULL) AS deleted
    FROM memories x
    WHERE x.workspace_id = :workspace AND {% include "of_agent" %}
) m;

-- name: collect_search_counts
-- Counts of days past their term.
DELETE FROM search_counts s
USING (
    SELECT agent_id, day FROM search_counts
    WHERE workspace_id = :workspace AND day < (:before::timestamptz AT TIME ZONE 'UTC')::date
    LIMIT :limit
) old
WHERE s.workspace_id = :workspace AND s.agent_id = old.agent_id AND s.day = old.day;
