-- name: ensure_entities
-- The entities behind aliases in an audience and of these owners, made on first mention; an alias missing from the answer was taken by
-- someone else just now.
WITH wanted AS (
    SELECT DISTINCT ON (w.alias, w.kind) w.*
    FROM unnest(:ids::uuid[], :names::text[], :aliases::text[], :kinds::text[]) AS w(id, name, alias, kind)
    ORDER BY w.alias, w.kind
), known AS (
    SELECT a.alias, a.kind, a.entity_id
    FROM wanted w JOIN entity_aliases a
        ON a.workspace_id = :workspace AND a.audience = :audience AND a.owners = reverie_owners_v1(:owners)
            AND a.alias = w.alias AND a.kind = w.kind
), named AS (
    INSERT INTO entity_aliases (workspace_id, audience, owners, alias, kind, entity_id)
    SELECT :workspace, :audience, reverie_owners_v1(:owners), w.alias, w.kind, w.id
    FROM wanted w WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.alias = w.alias AND k.kind = w.kind)
    ON CONFLICT DO NOTHING
    RETURNING alias, kind, entity_id
), made AS (
    INSERT INTO entities (workspace_id, id, agent_id, audience, owners, name, kind, dream_id)
    SELECT :workspace, n.entity_id, :agent_id, :audience, :owners::text[], w.name, w.kind, :dream_id::uuid
    FROM named n JOIN wanted w ON w.alias = n.alias AND w.kind = n.kind
    RETURNING id
)
SELECT alias, kind, entity_id, false AS made FROM known
UNION ALL SELECT alias, kind, entity_id, true FROM named;

-- name: entities_called
-- The entities of an audience and of these owners that go by these names, with the kind that each goes by them as.
SELECT a.alias, a.kind, a.entity_id, e.name
FROM entity_aliases a JOIN entities e ON e.workspace_id = a.workspace_id AND e.id = a.entity_id
WHERE a.workspace_id = :workspace AND a.audience = :audience AND a.owners = reverie_owners_v1(:owners::text[])
    AND a.alias = ANY(:aliases::text[])
ORDER BY a.alias, a.kind;

-- name: add_spellings
-- Further names of entities, but for those that others go by.
INSERT INTO entity_aliases (workspace_id, audience, owners, alias, kind, entity_id)
SELECT e.workspace_id, e.audience, reverie_owners_v1(e.owners), w.alias, e.kind, e.id
FROM unnest(:ids::uuid[], :aliases::text[]) AS w(id, alias)
JOIN entities e ON e.workspace_id = :workspace AND e.id = w.id
ORDER BY w.alias, e.kind
ON CONFLICT DO NOTHING;

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
SELECT e.id
FROM entity_aliases a JOIN entities e ON e.workspace_id = a.workspace_id AND e.id = a.entity_id
WHERE a.workspace_id = :workspace AND a.audience = :audience AND a.owners = reverie_owners_v1(:owners::text[])
    AND a.alias = :alias
ORDER BY e.id;

-- fragment: visible_mention
-- Whether the reader may see an edge ``x``, from a memory ``m`` that is current.
x.source_kind = 'memory' AND (:audiences::uuid[] IS NULL OR x.audience = ANY(:audiences) AND m.audience = ANY(:audiences))
AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > now())

-- fragment: mentions_of
-- How many current memories that the reader may see speak of an entity ``e``.
(SELECT count(DISTINCT m.id)
    FROM edges x JOIN memories m ON m.workspace_id = :workspace AND m.id = x.source_id
    WHERE x.workspace_id = :workspace AND x.target_id = e.id AND {% include "visible_mention" %})

-- fragment: listed_entity
-- Whether an entity ``e`` may be seen and passes the filters of a list.
(:audiences::uuid[] IS NULL OR e.audience = ANY(:audiences))
AND (:kind::text IS NULL OR e.kind = :kind)
AND (:text::text IS NULL OR position(lower(:text) IN lower(e.name)) > 0)
AND e.merged_into IS NULL

-- name: list_entities
SELECT e.id, e.name, e.kind, e.owners, e.metadata, e.created_at, e.updated_at,
    ARRAY(SELECT a.alias FROM entity_aliases a
        WHERE a.workspace_id = :workspace AND a.entity_id = e.id ORDER BY a.alias) AS aliases,
    {% include "mentions_of" %} AS mentions
FROM entities e
WHERE e.workspace_id = :workspace
    AND {% include "listed_entity" %}
    AND (:before::uuid IS NULL OR e.id < :before)
ORDER BY e.id DESC
LIMIT :limit;

-- name: list_entities_by_mentions
SELECT e.id, e.name, e.kind, e.owners, e.metadata, e.created_at, e.updated_at,
    ARRAY(SELECT a.alias FROM entity_aliases a
        WHERE a.workspace_id = :workspace AND a.entity_id = e.id ORDER BY a.alias) AS aliases,
    coalesce(s.mentions, 0) AS mentions
FROM entities e
LEFT JOIN (
    SELECT x.target_id, count(DISTINCT m.id) AS mentions
    FROM edges x JOIN memories m ON m.workspace_id = :workspace AND m.id = x.source_id
    WHERE x.workspace_id = :workspace AND {% include "visible_mention" %}
    GROUP BY x.target_id
) s ON s.target_id = e.id
WHERE e.workspace_id = :workspace
    AND {% include "listed_entity" %}
    AND (:before::uuid IS NULL OR (coalesce(s.mentions, 0), e.id) < (:before_mentions::bigint, :before))
ORDER BY coalesce(s.mentions, 0) DESC, e.id DESC
LIMIT :limit;

-- name: list_entities_by_name
SELECT e.id, e.name, e.kind, e.owners, e.metadata, e.created_at, e.updated_at,
    ARRAY(SELECT a.alias FROM entity_aliases a
        WHERE a.workspace_id = :workspace AND a.entity_id = e.id ORDER BY a.alias) AS aliases,
    {% include "mentions_of" %} AS mentions
FROM entities e
WHERE e.workspace_id = :workspace
    AND {% include "listed_entity" %}
    AND (:after::uuid IS NULL OR (e.name, e.id) > (:after_name::text, :after))
ORDER BY e.name, e.id
LIMIT :limit;

-- name: most_mentioned_entities
-- The entities that most memories of a span of time speak of, as far as the reader may see both; ``total`` is of all.
SELECT e.id, e.name, e.kind, s.mentions, s.first_at, s.last_at, count(*) OVER () AS total
FROM (
    SELECT x.target_id, count(DISTINCT m.id) AS mentions, min(m.created_at) AS first_at, max(m.created_at) AS last_at
    FROM edges x JOIN memories m ON m.workspace_id = :workspace AND m.id = x.source_id
    WHERE x.workspace_id = :workspace AND x.target_kind = 'entity' AND {% include "visible_mention" %}
        AND (:since::timestamptz IS NULL OR m.created_at >= :since)
        AND (:until::timestamptz IS NULL OR m.created_at < :until)
    GROUP BY x.target_id
) s JOIN entities e ON e.workspace_id = :workspace AND e.id = s.target_id
WHERE e.workspace_id = :workspace AND {% include "listed_entity" %}
ORDER BY s.mentions DESC, e.id
LIMIT :limit;

-- name: co_occurrences_of_many
-- As co_occurrences, of many entities and a span of time. Memories that speak of more than 100 entities relate none.
WITH spoken AS MATERIALIZED (
    SELECT m.id AS memory_id, array_agg(DISTINCT x.target_id ORDER BY x.target_id) AS entity_ids
    FROM edges x JOIN memories m ON m.workspace_id = :workspace AND m.id = x.source_id
    JOIN unnest(:ids::uuid[]) AS wanted(id) ON wanted.id = x.target_id
    WHERE x.workspace_id = :workspace AND {% include "visible_mention" %}
        AND (:since::timestamptz IS NULL OR m.created_at >= :since)
        AND (:until::timestamptz IS NULL OR m.created_at < :until)
    GROUP BY m.id
    HAVING count(DISTINCT x.target_id) BETWEEN 2 AND 100
)
SELECT a.id AS source_id, b.id AS target_id, count(*) AS memories
FROM spoken s
CROSS JOIN LATERAL unnest(s.entity_ids) AS a(id)
CROSS JOIN LATERAL unnest(s.entity_ids) AS b(id)
WHERE a.id < b.id
GROUP BY a.id, b.id
ORDER BY memories DESC, a.id, b.id
LIMIT :limit;

-- name: neighbours
-- Entities that memories speak of together with one of these, or that an edge links to one of them, but for those known:
-- those of most memories first.
SELECT n.id, count(DISTINCT n.by) AS weight
FROM (
    SELECT b.target_id AS id, m.id AS by
    FROM edges x
    JOIN memories m ON m.workspace_id = :workspace AND m.id = x.source_id
    JOIN edges b ON b.workspace_id = :workspace AND b.source_id = m.id AND b.target_kind = 'entity'
    WHERE x.workspace_id = :workspace AND x.target_id = ANY(:ids::uuid[]) AND {% include "visible_mention" %}
        AND (:audiences IS NULL OR b.audience = ANY(:audiences))
    UNION ALL
    SELECT CASE WHEN e.source_id = ANY(:ids) THEN e.target_id ELSE e.source_id END, e.id
    FROM edges e
    WHERE e.workspace_id = :workspace AND (e.source_id = ANY(:ids) OR e.target_id = ANY(:ids))
        AND e.source_kind = 'entity' AND e.target_kind = 'entity'
        AND (:audiences IS NULL OR e.audience = ANY(:audiences)) AND {% include "edge_holds" %}
) n
JOIN entities o ON o.workspace_id = :workspace AND o.id = n.id
WHERE o.workspace_id = :workspace AND o.merged_into IS NULL AND NOT n.id = ANY(:known::uuid[])
    AND (:audiences IS NULL OR o.audience = ANY(:audiences))
GROUP BY n.id
ORDER BY weight DESC, n.id
LIMIT :limit;

-- name: get_entities
SELECT e.id, e.name, e.kind, e.owners, e.metadata, e.created_at, e.updated_at, e.merged_into,
    (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = e.agent_id) AS agent,
    ARRAY(SELECT a.alias FROM entity_aliases a
        WHERE a.workspace_id = :workspace AND a.entity_id = e.id ORDER BY a.alias) AS aliases,
    {% include "mentions_of" %} AS mentions
FROM entities e
WHERE e.workspace_id = :workspace AND e.id = ANY(:ids::uuid[])
    AND (:audiences::uuid[] IS NULL OR e.audience = ANY(:audiences))
ORDER BY e.id;

-- name: entities_named
-- Entities known by a name or alias.
SELECT DISTINCT e.id
FROM entity_aliases a JOIN entities e ON e.workspace_id = a.workspace_id AND e.id = a.entity_id
WHERE a.workspace_id = :workspace AND (:audiences::uuid[] IS NULL OR a.audience = ANY(:audiences)) AND a.alias = :alias
ORDER BY e.id;

-- name: lock_entities
SELECT e.id, e.agent_id, e.audience, e.owners, e.name, e.kind, e.metadata, e.merged_into, e.dream_id, e.updated_at,
    (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = e.agent_id) AS agent
FROM entities e WHERE e.workspace_id = :workspace AND e.id = ANY(:ids::uuid[])
ORDER BY e.id
FOR UPDATE OF e;

-- name: set_entity_metadata
UPDATE entities SET metadata = :metadata::jsonb, updated_at = :now WHERE workspace_id = :workspace AND id = :id;

-- name: aliases
SELECT alias FROM entity_aliases WHERE workspace_id = :workspace AND entity_id = :id;

-- name: rename_entity
UPDATE entities SET name = :name, kind = :kind, updated_at = :now WHERE workspace_id = :workspace AND id = :id;

-- name: clear_aliases
DELETE FROM entity_aliases WHERE workspace_id = :workspace AND entity_id = :id;

-- name: add_names
INSERT INTO entity_aliases (workspace_id, audience, owners, alias, kind, entity_id)
SELECT e.workspace_id, e.audience, reverie_owners_v1(e.owners), w.alias, :kind, e.id
FROM entities e, unnest(:aliases::text[]) AS w(alias)
WHERE e.workspace_id = :workspace AND e.id = :id
ON CONFLICT DO NOTHING;

-- fragment: edge_holds
-- Whether an edge ``e`` holds: one between entities, while the memory that states it is current and may be read.
(e.source_kind = 'memory' OR e.memory_id IS NULL OR EXISTS (
    SELECT 1 FROM memories s
    WHERE s.workspace_id = :workspace AND s.id = e.memory_id AND s.deleted_at IS NULL AND s.superseded_by IS NULL
        AND s.hearsay_by IS NULL AND (s.expires_at IS NULL OR s.expires_at > :now)
        AND (:audiences::uuid[] IS NULL OR s.audience = ANY(:audiences))))

-- name: merge_entity
-- One entity stands for both from now on. What moved, and the edges both had, are recorded for the way back.
WITH named AS (
    UPDATE entity_aliases SET entity_id = :into_id
    WHERE workspace_id = :workspace AND entity_id = :entity_id
    RETURNING alias, kind
), twice AS (
    DELETE FROM edges e
    WHERE e.workspace_id = :workspace AND (e.source_id = :entity_id OR e.target_id = :entity_id)
        AND (EXISTS (
                SELECT 1 FROM edges x
                WHERE x.workspace_id = :workspace AND x.relation = e.relation
                    AND (e.source_kind = 'memory' OR x.memory_id IS NOT DISTINCT FROM e.memory_id)
                    AND x.source_id = CASE WHEN e.source_id = :entity_id THEN :into_id ELSE e.source_id END
                    AND x.target_id = CASE WHEN e.target_id = :entity_id THEN :into_id ELSE e.target_id END)
            OR :into_id IN (e.source_id, e.target_id))
    RETURNING e.*
), moved AS (
    UPDATE edges e SET
        source_id = CASE WHEN e.source_id = :entity_id THEN :into_id ELSE e.source_id END,
        target_id = CASE WHEN e.target_id = :entity_id THEN :into_id ELSE e.target_id END
    WHERE e.workspace_id = :workspace AND (e.source_id = :entity_id OR e.target_id = :entity_id)
        AND e.id NOT IN (SELECT t.id FROM twice t)
    RETURNING e.id, e.source_id = :into_id AS at_source
), marked AS (
    UPDATE entities SET merged_into = :into_id, updated_at = :now WHERE workspace_id = :workspace AND id = :entity_id
)
INSERT INTO entity_merges (workspace_id, id, entity_id, into_id, moved, actor, created_at)
SELECT :workspace, :id::uuid, :entity_id, :into_id, jsonb_build_object(
    'aliases', coalesce((SELECT jsonb_agg(to_jsonb(n)) FROM named n), '[]'),
    'edges', coalesce((SELECT jsonb_agg(to_jsonb(m)) FROM moved m), '[]'),
    'twice', coalesce((SELECT jsonb_agg(to_jsonb(t)) FROM twice t), '[]')
), :actor, :now::timestamptz
RETURNING id;

-- name: unmerge_entity
-- The entity stands for itself again: the names and edges that its merge moved come back.
WITH merge AS (
    DELETE FROM entity_merges m
    USING entities e
    WHERE m.workspace_id = :workspace AND m.entity_id = :entity_id AND e.workspace_id = m.workspace_id
        AND e.id = m.entity_id AND e.merged_into = m.into_id
    RETURNING m.moved, m.into_id
), named AS (
    UPDATE entity_aliases a SET entity_id = :entity_id
    FROM merge, jsonb_to_recordset(merge.moved -> 'aliases') AS n(alias text, kind text)
    WHERE a.workspace_id = :workspace AND a.entity_id = merge.into_id AND a.alias = n.alias AND a.kind = n.kind
), returned AS (
    UPDATE edges e SET
        source_id = CASE WHEN n.at_source THEN :entity_id ELSE e.source_id END,
        target_id = CASE WHEN n.at_source THEN e.target_id ELSE :entity_id END
    FROM merge, jsonb_to_recordset(merge.moved -> 'edges') AS n(id uuid, at_source boolean)
    WHERE e.workspace_id = :workspace AND e.id = n.id
), again AS (
    INSERT INTO edges SELECT r.* FROM merge, jsonb_populate_recordset(NULL::edges, merge.moved -> 'twice') AS r
    ON CONFLICT DO NOTHING
)
UPDATE entities SET merged_into = NULL, updated_at = :now
WHERE workspace_id = :workspace AND id = :entity_id AND EXISTS (SELECT 1 FROM merge);

-- name: split_edges
-- What these memories say of the entity, they say of another one from now on.
UPDATE edges e SET
    source_id = CASE WHEN e.source_id = :entity_id THEN :to_id::uuid ELSE e.source_id END,
    target_id = CASE WHEN e.target_id = :entity_id THEN :to_id ELSE e.target_id END
WHERE e.workspace_id = :workspace AND (
    (e.target_id = :entity_id AND e.source_id = ANY(:memory_ids::uuid[]))
    OR (e.source_id = :entity_id AND e.target_id = ANY(:memory_ids))
);

-- name: walk_graph
-- What lies within so many edges of an entity. Every edge and every node on the way has to be visible.
WITH RECURSIVE reached AS (
    SELECT 'entity'::text AS kind, :entity_id::uuid AS id, 0 AS depth
    UNION
    SELECT n.kind, n.id, r.depth + 1
    FROM reached r
    CROSS JOIN LATERAL (
        SELECT e.target_kind AS kind, e.target_id AS id, e.audience FROM edges e
        WHERE e.workspace_id = :workspace AND e.source_id = r.id AND {% include "edge_holds" %}
        UNION ALL
        SELECT e.source_kind, e.source_id, e.audience FROM edges e
        WHERE e.workspace_id = :workspace AND e.target_id = r.id AND {% include "edge_holds" %}
    ) n
    WHERE r.depth < :depth::integer
        AND (:audiences::uuid[] IS NULL OR n.audience = ANY(:audiences))
        AND CASE n.kind
            WHEN 'entity' THEN EXISTS (
                SELECT 1 FROM entities x
                WHERE x.workspace_id = :workspace AND x.id = n.id
                    AND (:audiences IS NULL OR x.audience = ANY(:audiences)))
            ELSE EXISTS (
                SELECT 1 FROM memories m
                WHERE m.workspace_id = :workspace AND m.id = n.id
                    AND m.deleted_at IS NULL AND m.superseded_by IS NULL
                    AND (m.expires_at IS NULL OR m.expires_at > :now)
                    AND (:audiences IS NULL OR m.audience = ANY(:audiences)))
            END
), bounded AS (
    SELECT * FROM reached LIMIT :nodes_max::integer * 20
), ranked AS (
    SELECT kind, id, min(depth) AS depth, row_number() OVER (PARTITION BY kind ORDER BY min(depth), id) AS place
    FROM bounded GROUP BY kind, id
)
SELECT kind, id, depth FROM ranked WHERE place <= :nodes_max ORDER BY depth, id;

-- name: co_occurrences
-- How many visible memories speak of both of two entities, the pairs of most first.
SELECT a.target_id AS source_id, b.target_id, count(DISTINCT a.source_id) AS memories
FROM edges a
JOIN edges b ON b.workspace_id = a.workspace_id AND b.source_id = a.source_id AND b.target_id > a.target_id
JOIN memories m ON m.workspace_id = a.workspace_id AND m.id = a.source_id
WHERE a.workspace_id = :workspace AND b.workspace_id = :workspace AND m.workspace_id = :workspace
    AND a.source_kind = 'memory' AND a.target_id = ANY(:ids::uuid[]) AND b.target_id = ANY(:ids)
    AND (:audiences::uuid[] IS NULL
        OR a.audience = ANY(:audiences) AND b.audience = ANY(:audiences) AND m.audience = ANY(:audiences))
    AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
GROUP BY a.target_id, b.target_id
ORDER BY memories DESC, a.target_id, b.target_id
LIMIT :limit;

-- name: edges_among
SELECT e.id, e.relation, e.source_kind, e.source_id, e.target_kind, e.target_id, e.memory_id, e.dream_id, e.created_by,
    e.created_at
FROM edges e
WHERE e.workspace_id = :workspace AND e.source_id = ANY(:ids::uuid[]) AND e.target_id = ANY(:ids)
    AND (:audiences::uuid[] IS NULL OR e.audience = ANY(:audiences)) AND {% include "edge_holds" %}
ORDER BY e.id
LIMIT :limit;

-- name: edges_at
SELECT e.id, e.relation, e.source_kind, e.source_id, e.target_kind, e.target_id, e.memory_id, e.dream_id, e.created_by,
    e.created_at
FROM edges e
WHERE e.workspace_id = :workspace AND (e.source_id = :id OR e.target_id = :id)
    AND (:audiences::uuid[] IS NULL OR e.audience = ANY(:audiences)) AND {% include "edge_holds" %}
ORDER BY e.id
LIMIT :limit;

-- fragment: node_owners
-- Whom the memories and entities belong to, as far as the viewer may see them.
(
    SELECT m.id, m.owners FROM memories m WHERE m.workspace_id = :workspace
    UNION ALL SELECT n.id, n.owners FROM entities n WHERE n.workspace_id = :workspace
)

-- name: source_owners
-- Whom the memory or entity belongs to that an edge begins at.
SELECT n.owners FROM {% include "node_owners" %} n WHERE n.id = :id;

-- name: get_edge
-- An edge between nodes that the viewer may see. ``agent`` is whose it is: of the memory that says so, or that it comes
-- from; ``owners`` are those of its source.
SELECT e.id, e.audience, e.relation, e.source_kind, e.source_id, e.target_kind, e.target_id, e.memory_id, e.dream_id,
    e.created_by, e.created_at,
    (SELECT a.agent FROM memories m JOIN agents a ON a.workspace_id = :workspace AND a.id = m.agent_id
        WHERE m.workspace_id = :workspace AND m.id = coalesce(e.memory_id, e.source_id)) AS agent, s.owners
FROM edges e
JOIN {% include "node_owners" %} s ON s.id = e.source_id
JOIN {% include "node_owners" %} t ON t.id = e.target_id
WHERE e.workspace_id = :workspace AND e.id = :id;

-- name: edge_like
SELECT id, relation, source_kind, source_id, target_kind, target_id, memory_id, dream_id, created_by, created_at
FROM edges
WHERE workspace_id = :workspace AND source_id = :source_id AND relation = :relation AND target_id = :target_id
    AND (source_kind = 'memory' OR memory_id IS NULL);
