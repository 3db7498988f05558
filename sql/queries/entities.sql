-- name: ensure_entity
-- The entity behind an alias in an audience, made on first mention.
WITH known AS (
    SELECT entity_id FROM entity_aliases
    WHERE workspace_id = :workspace AND audience = :audience AND alias = :alias AND kind = :kind
), named AS (
    INSERT INTO entity_aliases (workspace_id, audience, alias, kind, entity_id)
    SELECT :workspace, :audience, :alias, :kind, :id WHERE NOT EXISTS (SELECT 1 FROM known)
    ON CONFLICT DO NOTHING
    RETURNING entity_id
), made AS (
    INSERT INTO entities (workspace_id, id, agent_id, audience, name, kind, dream_id)
    SELECT :workspace, entity_id, :agent_id, :audience, :name, :kind, :dream_id::uuid FROM named
)
SELECT entity_id FROM known UNION ALL SELECT entity_id FROM named LIMIT 1;

-- name: ensure_entities
-- As ensure_entity, for many at once; an alias missing from the answer was taken by someone else just now.
WITH wanted AS (
    SELECT DISTINCT ON (w.alias, w.kind) w.*
    FROM unnest(:ids::uuid[], :names::text[], :aliases::text[], :kinds::text[]) AS w(id, name, alias, kind)
    ORDER BY w.alias, w.kind
), known AS (
    SELECT a.alias, a.kind, a.entity_id
    FROM wanted w JOIN entity_aliases a
        ON a.workspace_id = :workspace AND a.audience = :audience AND a.alias = w.alias AND a.kind = w.kind
), named AS (
    INSERT INTO entity_aliases (workspace_id, audience, alias, kind, entity_id)
    SELECT :workspace, :audience, w.alias, w.kind, w.id
    FROM wanted w WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.alias = w.alias AND k.kind = w.kind)
    ON CONFLICT DO NOTHING
    RETURNING alias, kind, entity_id
), made AS (
    INSERT INTO entities (workspace_id, id, agent_id, audience, name, kind, dream_id)
    SELECT :workspace, n.entity_id, :agent_id, :audience, w.name, w.kind, :dream_id::uuid
    FROM named n JOIN wanted w ON w.alias = n.alias AND w.kind = n.kind
)
SELECT alias, kind, entity_id, false AS made FROM known
UNION ALL SELECT alias, kind, entity_id, true FROM named;

-- name: add_edges
-- Edges, but for those that are there already.
INSERT INTO edges (
    workspace_id, id, audience, relation, source_kind, source_id, target_kind, target_id, memory_id, dream_id, created_by
)
SELECT :workspace, e.id, e.audience, e.relation, e.source_kind, e.source_id, e.target_kind, e.target_id, e.memory_id,
    e.dream_id, e.created_by
FROM jsonb_to_recordset(:items::jsonb) AS e(
    id uuid, audience uuid, relation text, source_kind text, source_id uuid, target_kind text, target_id uuid,
    memory_id uuid, dream_id uuid, created_by text
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: find_entities
SELECT e.id, e.name, e.kind, e.audience, e.created_at
FROM entity_aliases a JOIN entities e ON e.workspace_id = a.workspace_id AND e.id = a.entity_id
WHERE a.workspace_id = :workspace AND a.audience = ANY(:audiences::uuid[]) AND a.alias = :alias
    AND (:kind::text IS NULL OR a.kind = :kind)
ORDER BY e.id;

-- name: list_entities
SELECT e.id, e.name, e.kind, e.created_at, e.updated_at,
    ARRAY(SELECT a.alias FROM entity_aliases a
        WHERE a.workspace_id = e.workspace_id AND a.entity_id = e.id ORDER BY a.alias) AS aliases,
    (SELECT count(*) FROM edges x WHERE x.workspace_id = e.workspace_id AND x.target_id = e.id) AS mentions
FROM entities e
WHERE e.workspace_id = :workspace
    AND (:audiences::uuid[] IS NULL OR e.audience = ANY(:audiences))
    AND (:kind::text IS NULL OR e.kind = :kind)
    AND (:text::text IS NULL OR position(lower(:text) IN lower(e.name)) > 0)
    AND (:before::uuid IS NULL OR e.id < :before)
ORDER BY e.id DESC
LIMIT :limit;

-- name: add_edge
INSERT INTO edges (
    workspace_id, id, audience, relation, source_kind, source_id, target_kind, target_id, memory_id, dream_id, created_by
)
VALUES (
    :workspace, :id, :audience, :relation, :source_kind, :source_id, :target_kind, :target_id, :memory_id, :dream_id,
    :created_by
)
ON CONFLICT DO NOTHING
RETURNING id;
