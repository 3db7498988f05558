-- name: count_audiences
-- Count the audiences of a workspace afresh, keeping those that are not small; ``part`` of the HNSW index has them, or
-- none.
WITH counted AS (
    SELECT audience, kind, count(*) AS rows
    FROM search_index WHERE workspace_id = :workspace
    GROUP BY audience, kind HAVING count(*) >= :least::bigint
), shrunk AS (
    DELETE FROM audience_rows r
    WHERE r.workspace_id = :workspace
        AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.audience = r.audience AND c.kind = r.kind)
)
INSERT INTO audience_rows (workspace_id, audience, kind, rows)
SELECT :workspace, audience, kind, rows FROM counted
ON CONFLICT (workspace_id, audience, kind) DO UPDATE SET rows = excluded.rows
RETURNING audience, kind, rows, part;

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

-- name: lock_audience
-- The parts of the HNSW index that have an audience's rows, of whatever kind, none of which anybody else can give now.
SELECT part FROM audience_rows
WHERE workspace_id = :workspace AND audience = :audience
ORDER BY kind
FOR UPDATE;

-- name: partition_of_rows
-- The part where rows of an audience are that was large once.
SELECT part FROM search_index
WHERE workspace_id = :workspace AND audience = :audience AND kind = ANY('{0,1,2}') AND ann
LIMIT 1;

-- name: assign_partition
-- From now on a part of the HNSW index has the rows of this kind of an audience.
UPDATE audience_rows SET part = :part::smallint
WHERE workspace_id = :workspace AND audience = :audience AND kind = :kind;

-- name: index_rows
-- Hand rows of an audience to the part of the HNSW index that was given them.
UPDATE search_index i SET ann = true, part = r.part
FROM audience_rows r
WHERE r.workspace_id = :workspace AND r.audience = :audience AND r.kind = :kind AND r.part IS NOT NULL
    AND i.workspace_id = :workspace AND i.id IN (
        SELECT id FROM search_index
        WHERE workspace_id = :workspace AND audience = :audience AND kind = :kind AND NOT ann AND embedding_model = :model
        LIMIT :limit
    );

-- name: hnsw_indexes
-- The parts of the HNSW indexes that there are: the size of each, and whether it was left half built.
SELECT c.relname AS name, pg_relation_size(c.oid) AS bytes,
    NOT i.indisvalid AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid) AS broken
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'search_index'::regclass AND c.relname LIKE 'ix\_search\_index\_ann\_%';
