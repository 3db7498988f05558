-- name: count_audiences
-- Count the audiences of a workspace afresh, keeping the large ones.
WITH counted AS (
    SELECT audience, kind, count(*) AS rows
    FROM search_index WHERE workspace_id = :workspace
    GROUP BY audience, kind HAVING count(*) >= :large::bigint
), shrunk AS (
    DELETE FROM audience_rows r
    WHERE r.workspace_id = :workspace
        AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.audience = r.audience AND c.kind = r.kind)
)
INSERT INTO audience_rows (workspace_id, audience, kind, rows)
SELECT :workspace, audience, kind, rows FROM counted
ON CONFLICT (workspace_id, audience, kind) DO UPDATE SET rows = excluded.rows
RETURNING audience, rows;

-- name: count_terms
-- Count the postings of a workspace afresh, keeping the long lists.
WITH counted AS (
    SELECT term, count(*) AS rows
    FROM search_terms WHERE workspace_id = :workspace
    GROUP BY term HAVING count(*) >= :common::bigint
), shrunk AS (
    DELETE FROM common_terms t
    WHERE t.workspace_id = :workspace AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.term = t.term)
)
INSERT INTO common_terms (workspace_id, term, rows)
SELECT :workspace, term, rows FROM counted
ON CONFLICT (workspace_id, term) DO UPDATE SET rows = excluded.rows;

-- name: index_rows
-- Hand rows of an audience to the HNSW index.
UPDATE search_index SET ann = true
WHERE workspace_id = :workspace AND id IN (
    SELECT id FROM search_index
    WHERE workspace_id = :workspace AND audience = :audience AND kind = ANY('{0,1,2}') AND NOT ann
        AND embedding_model = :model
    LIMIT :limit
);

-- name: invalid_index
-- Whether an index of that name was left half built.
SELECT NOT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relname = :name;
