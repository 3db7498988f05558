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
