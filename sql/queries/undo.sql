-- name: hold_schedule
-- The lease of a dream's agent under its lock: taken before the dream's, as dreams do when they commit.
SELECT 1 FROM dream_schedule
WHERE workspace_id = :workspace AND agent_id = :agent_id
FOR UPDATE;

-- name: dream_agent
SELECT agent_id FROM dreams WHERE workspace_id = :workspace AND id = :id;

-- name: lock_dream
SELECT status, watermarks, agent_id FROM dreams WHERE workspace_id = :workspace AND id = :id FOR UPDATE;

-- name: undoable_changes
SELECT op, memory_id, undo, undone_at FROM dream_changes
WHERE workspace_id = :workspace AND dream_id = :dream_id AND undo IS NOT NULL AND undone_at IS NULL
ORDER BY ordinal;

-- name: undoable_change
SELECT op, memory_id, undo, undone_at FROM dream_changes
WHERE workspace_id = :workspace AND dream_id = :dream_id AND ordinal = :ordinal;

-- name: links_of_memory
-- Links that a dream drew from or to a memory, and that have not been undone.
SELECT c.ordinal, e.id AS edge_id
FROM dream_changes c
JOIN edges e ON e.workspace_id = :workspace AND e.id = (c.undo ->> 'edge_id')::uuid
WHERE c.workspace_id = :workspace AND c.dream_id = :dream_id AND c.op = 'linked' AND c.undone_at IS NULL
    AND :memory_id IN (e.source_id, e.target_id, e.memory_id);

-- name: mark_changes_undone
UPDATE dream_changes SET undone_at = :now
WHERE workspace_id = :workspace AND dream_id = :dream_id AND ordinal = ANY(:ordinals::integer[]);

-- name: remaining
-- Those of entities, and of versions of a bulletin, that are still there.
SELECT e.id::text AS id FROM entities e WHERE e.workspace_id = :workspace AND e.id = ANY(:entities::uuid[])
UNION ALL
SELECT b.version::text FROM bulletins b
WHERE b.workspace_id = :workspace AND b.agent_id = :agent_id AND b.version = ANY(:versions::integer[]);

-- name: depended_on
-- What others have made since that rests on memories of the dream, and edges of the dream that are gone or moved. What
-- was concluded from these memories is no hindrance: it falls with them.
SELECT m.id FROM memories m
WHERE m.workspace_id = :workspace AND m.superseded_by = ANY(:ids::uuid[]) AND m.dream_id IS DISTINCT FROM :dream_id
    AND m.type <> 'insight'
UNION
SELECT e.id FROM edges e
WHERE e.workspace_id = :workspace AND (e.source_id = ANY(:ids) OR e.target_id = ANY(:ids))
    AND e.dream_id IS DISTINCT FROM :dream_id
    AND NOT EXISTS (
        SELECT 1 FROM memories i WHERE i.workspace_id = :workspace AND i.id = e.source_id AND i.type = 'insight')
UNION
SELECT wanted.id
FROM unnest(:edges::uuid[]) AS wanted(id)
LEFT JOIN edges e ON e.workspace_id = :workspace AND e.id = wanted.id
WHERE e.id IS NULL;

-- name: undo_edges
DELETE FROM edges WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: undo_terms
DELETE FROM search_terms WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: undo_index
DELETE FROM search_index WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: undo_memories
WITH changed AS (
    DELETE FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[])
    RETURNING id, agent_id, owners
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'memory.deleted', agent_id, owners, id,
    '{}', clock_timestamp()
FROM changed
RETURNING id;

-- name: undo_entities
DELETE FROM entities e
WHERE e.workspace_id = :workspace AND e.id = ANY(:ids::uuid[]) AND e.updated_at = e.created_at
    AND e.merged_into IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM edges x WHERE x.workspace_id = :workspace AND (x.source_id = e.id OR x.target_id = e.id))
    AND NOT EXISTS (
        SELECT 1 FROM entity_merges m WHERE m.workspace_id = :workspace AND (m.entity_id = e.id OR m.into_id = e.id));

-- name: undo_entity_metadata
-- Metadata as it was before a dream, where nobody has changed it since.
UPDATE entities SET metadata = :before::jsonb, updated_at = :updated_at
WHERE workspace_id = :workspace AND id = :id AND metadata = :after::jsonb;

-- name: restore_rows
-- The columns a dream may change, as they were.
WITH changed AS (
    UPDATE memories m SET
        importance = r.importance, confidence = r.confidence, tags = r.tags, metadata = r.metadata,
        superseded_by = r.superseded_by, valid_until = r.valid_until, updated_at = r.updated_at,
        reinforced_at = r.reinforced_at, version = r.version, changed_by = r.changed_by, change_reason = r.change_reason,
        dream_id = r.dream_id, status = coalesce(r.status, m.status), origin = coalesce(r.origin, m.origin)
    FROM jsonb_to_recordset(:items::jsonb) AS i(id uuid, row jsonb), jsonb_to_record(i.row) AS r(
        importance float8, confidence float8, tags text[], metadata jsonb, superseded_by uuid, valid_until timestamptz,
        updated_at timestamptz, reinforced_at timestamptz, version integer, changed_by text, change_reason text, dream_id uuid,
        status text, origin text
    )
    WHERE m.workspace_id = :workspace AND m.id = i.id
    RETURNING m.id, m.agent_id, m.owners, m.version
)
{% include "memory_updated_events" %};

-- name: undo_versions
DELETE FROM memory_versions v
USING jsonb_to_recordset(:items::jsonb) AS i(id uuid, row jsonb)
WHERE v.workspace_id = :workspace AND v.memory_id = i.id AND v.version >= (i.row ->> 'version')::integer;

-- name: undo_sources
DELETE FROM memory_sources s
USING unnest(:memory_ids::uuid[], :message_ids::uuid[]) AS p(memory_id, message_id)
WHERE s.workspace_id = :workspace AND s.memory_id = p.memory_id AND s.message_id = p.message_id;

-- name: undo_bulletin
DELETE FROM bulletins b
WHERE b.workspace_id = :workspace AND b.dream_id = :dream_id AND b.version = ANY(:versions::integer[])
    AND NOT EXISTS (
        SELECT 1 FROM bulletins later
        WHERE later.workspace_id = :workspace AND later.agent_id = b.agent_id AND later.owners = b.owners
            AND later.version > b.version);

-- name: undo_watermarks
UPDATE sessions s SET dreamed_seq = w.from_seq
FROM jsonb_to_recordset(:items::jsonb) AS w(session_id uuid, from_seq bigint, to_seq bigint)
WHERE s.workspace_id = :workspace AND s.id = w.session_id AND s.dreamed_seq = w.to_seq;

-- name: undo_readings
-- The memories that a dream read are due again, unless they have been read since.
UPDATE memories m SET dream_analysis = NULL
FROM dreams d
WHERE d.workspace_id = :workspace AND d.id = :dream_id AND m.workspace_id = :workspace AND m.id = ANY(d.memory_ids)
    AND m.dream_analysis ->> 'dream_id' = d.id::text;

-- name: mark_undone
WITH changed AS (
    UPDATE dreams SET status = 'undone' WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'dream.undone', agent_id, owners, id,
    '{}', clock_timestamp()
FROM changed
RETURNING id;
