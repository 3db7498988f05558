-- fragment: saved_search_records
-- The saved searches of the workspace, each with the newest result of its present content and without overrides.
(
    SELECT s.id, (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = s.agent_id) AS agent,
        s.agent_id, s.owners, s.name, s.query, s.options, s.expected, s.k, s.revision, s.created_at, s.updated_at,
        l.id AS last_id, l.recall AS last_recall, l.created_at AS last_at
    FROM saved_searches s
    LEFT JOIN saved_search_results l ON l.workspace_id = :workspace AND l.search_id = s.id AND l.id = (
        SELECT r.id FROM saved_search_results r
        WHERE r.workspace_id = :workspace AND r.search_id = s.id AND r.revision = s.revision AND r.overrides = '{}'
        ORDER BY r.id DESC
        LIMIT 1)
    WHERE s.workspace_id = :workspace
)

-- name: add_saved_search
INSERT INTO saved_searches (
    workspace_id, id, agent_id, owners, name, query, options, expected, k, created_by, created_at, updated_at
)
VALUES (:workspace, :id, :agent_id, :owners, :name, :query, :options, :expected, :k, :created_by, :now, :now);

-- name: count_saved_searches
SELECT count(*) FROM saved_searches WHERE workspace_id = :workspace AND agent_id = :agent_id;

-- name: get_saved_search
SELECT r.* FROM {% include "saved_search_records" %} r
WHERE r.id = :id AND (:agent::text IS NULL OR r.agent = :agent);

-- name: list_saved_searches
SELECT r.* FROM {% include "saved_search_records" %} r
WHERE (:agent::text IS NULL OR r.agent = :agent) AND (:before::uuid IS NULL OR r.id < :before)
ORDER BY r.id DESC
LIMIT :limit;

-- name: change_saved_search
-- Another content is another revision, whose results are compared with each other alone; another name is not.
UPDATE saved_searches SET owners = :owners, name = :name, query = :query, options = :options, expected = :expected, k = :k, updated_at = :now,
    revision = revision
        + (query <> :query OR options <> :options OR expected <> :expected OR k <> :k)::integer
WHERE workspace_id = :workspace AND id = :id
RETURNING id;

-- name: delete_saved_search
DELETE FROM saved_searches WHERE workspace_id = :workspace AND id = :id;

-- name: expected_memories
-- For each agent and memory the memory that holds now in its place: itself, or what superseded it, however often. Left out
-- where that is deleted or expired, or the agent may not read it.
WITH RECURSIVE chain AS (
    SELECT c.agent_id, c.id AS expected, c.id, 0 AS steps FROM unnest(:agent_ids::uuid[], :ids::uuid[]) AS c(agent_id, id)
    UNION ALL
    SELECT c.agent_id, c.expected, m.superseded_by, c.steps + 1
    FROM chain c JOIN memories m ON m.workspace_id = :workspace AND m.id = c.id
    WHERE m.superseded_by IS NOT NULL AND c.steps < :steps_max
)
SELECT c.agent_id, c.expected, c.id AS current
FROM chain c
JOIN agents a ON a.workspace_id = :workspace AND a.id = c.agent_id
JOIN memories m ON m.workspace_id = :workspace AND m.id = c.id
WHERE m.superseded_by IS NULL AND m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND (m.agent_id = a.id
        OR m.audience IN (
            SELECT t.team_id FROM team_members t WHERE t.workspace_id = :workspace AND t.agent_id = a.id)
        OR (a.prime AND m.audience IN (SELECT o.prime_audience FROM agents o WHERE o.workspace_id = :workspace)));

-- name: add_saved_search_result
-- Nothing for a search that is gone or has been changed since it was read. RETURNING keeps Citus from an INSERT by COPY, which
-- row-level security refuses.
INSERT INTO saved_search_results (
    workspace_id, search_id, id, revision, cause, k, recall, outcomes, overrides, settings, strategy, embedder, degraded,
    created_at
)
SELECT :workspace, s.id, :id, s.revision, :cause, s.k, :recall::float8, :outcomes, :overrides, :settings, :strategy,
    :embedder::text, :degraded, :now
FROM saved_searches s
WHERE s.workspace_id = :workspace AND s.id = :search_id AND s.revision = :revision
RETURNING id;

-- name: trim_saved_search_results
DELETE FROM saved_search_results r
WHERE r.workspace_id = :workspace AND r.search_id = :search_id AND r.id < (
    SELECT n.id FROM saved_search_results n
    WHERE n.workspace_id = :workspace AND n.search_id = :search_id
    ORDER BY n.id DESC
    OFFSET :kept - 1
    LIMIT 1);

-- name: list_saved_search_results
SELECT id, search_id, revision, cause, k, recall, outcomes, overrides, settings, strategy, embedder, degraded, created_at
FROM saved_search_results
WHERE workspace_id = :workspace AND search_id = :search_id AND (:before::uuid IS NULL OR id < :before)
ORDER BY id DESC
LIMIT :limit;

-- name: saved_search_texts
-- A stretch of all saved searches of the workspace, ``locked`` or not.
SELECT s.id, s.name, s.query, s.options FROM saved_searches s
WHERE s.workspace_id = :workspace AND (:after::uuid IS NULL OR s.id > :after)
ORDER BY s.id
LIMIT :limit
{% if locked %} FOR UPDATE {% endif %};

-- name: purge_saved_searches
DELETE FROM saved_searches WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);
