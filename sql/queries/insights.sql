-- fragment: has_fallen
-- Whether an insight ``m`` rests on less than it was concluded from: something of it is gone, says something else, is
-- somebody else's, has been replaced (or, what was replaced then, holds again), or expires before the insight does. A
-- field of a profile may rest on one memory.
(jsonb_array_length(m.source -> 'evidence') < CASE WHEN m.source ? 'field' THEN 1 ELSE 2 END OR EXISTS (
    SELECT 1
    FROM jsonb_to_recordset(m.source -> 'evidence') AS e(id uuid, says text, former boolean)
    LEFT JOIN memories t ON t.workspace_id = :workspace AND t.id = e.id
    WHERE t.id IS NULL OR t.deleted_at IS NOT NULL OR encode(t.identity_hash, 'hex') <> e.says
        OR (t.superseded_by IS NOT NULL) <> e.former
        OR t.agent_id <> m.agent_id OR t.audience <> m.audience OR t.owners <> m.owners OR t.user_name IS DISTINCT FROM m.user_name
        OR t.hearsay_by IS NOT NULL OR t.type = 'insight'
        OR t.expires_at < coalesce(m.expires_at, 'infinity')
        OR NOT EXISTS (
            SELECT 1 FROM edges x
            WHERE x.workspace_id = :workspace AND x.source_id = m.id AND x.target_id = t.id AND x.memory_id = m.id)))

-- name: fallen_insights
-- Current insights that have fallen, locked: those among these memories, and those concluded from one of them; of the
-- workspace where ``ids`` is null.
SELECT m.id FROM memories m
WHERE m.workspace_id = :workspace AND m.type = 'insight' AND m.deleted_at IS NULL AND m.superseded_by IS NULL
    AND (:ids::uuid[] IS NULL OR m.id = ANY(:ids) OR m.id = ANY(ARRAY(
        SELECT e.source_id FROM edges e WHERE e.workspace_id = :workspace AND e.target_id = ANY(:ids))))
    AND {% include "has_fallen" %}
ORDER BY m.id
FOR UPDATE OF m;

-- name: insights_on
-- Insights that were concluded from one of these memories, whether they are current or not.
SELECT DISTINCT m.id FROM edges e
JOIN memories m ON m.workspace_id = :workspace AND m.id = e.source_id AND m.type = 'insight'
WHERE e.workspace_id = :workspace AND e.target_id = ANY(:ids::uuid[]);

-- name: read_evidence_again
-- The newest of the memories that each of these insights was concluded from is due again, so that the next dream
-- concludes what the rest of them supports. What somebody else has locked is left.
UPDATE memories m SET dream_analysis = NULL
FROM (
    SELECT t.id FROM memories t
    WHERE t.workspace_id = :workspace AND t.deleted_at IS NULL AND t.superseded_by IS NULL AND t.id = ANY(ARRAY(
        SELECT DISTINCT ON (i.id) x.id
        FROM memories i
        CROSS JOIN LATERAL jsonb_to_recordset(i.source -> 'evidence') AS e(id uuid)
        JOIN memories x ON x.workspace_id = :workspace AND x.id = e.id
        WHERE i.workspace_id = :workspace AND i.id = ANY(:ids::uuid[])
            AND x.deleted_at IS NULL AND x.superseded_by IS NULL
        ORDER BY i.id, x.id DESC))
    FOR UPDATE SKIP LOCKED
) due
WHERE m.workspace_id = :workspace AND m.id = due.id;

-- name: insights_about
-- What an agent has concluded on these matters, from these memories, or of these users ('': of nobody) by a model
-- or as an open question, what was deleted of it included; nothing that was replaced.
SELECT m.id, m.version, m.content, m.user_name, m.source, m.deleted_at IS NOT NULL AS deleted
FROM memories m
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.audience = :agent_id AND m.owners = :owners::text[]
    AND m.type = 'insight' AND m.superseded_by IS NULL
    AND (m.source ->> 'about' = ANY(:about::text[])
        OR (m.source ->> 'by' = 'model' OR m.source ->> 'about' LIKE 'question:%') AND coalesce(m.user_name, '') = ANY(:users::text[])
        OR m.id = ANY(ARRAY(
        SELECT e.source_id FROM edges e WHERE e.workspace_id = :workspace AND e.target_id = ANY(:ids::uuid[]))))
ORDER BY m.id;

-- name: memories_reporting
-- Current memories of an agent's own that report one of these habits, tastes or questions; and those of ``ids``.
SELECT m.id, {% include "policy_type" %} AS type, m.content, m.user_name, m.identity_hash, coalesce(m.occurred_at, m.valid_from) AS at, m.valid_from,
    m.expires_at, m.dream_analysis ->> 'habit' AS habit, coalesce((m.dream_analysis ->> 'denied')::boolean, false) AS denied
FROM memories m
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.audience = :agent_id AND m.owners = :owners::text[]
    AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND m.hearsay_by IS NULL
    AND (coalesce(m.dream_analysis ->> 'habit', m.dream_analysis ->> 'taste', m.dream_analysis ->> 'question') = ANY(:keys::text[])
        OR m.id = ANY(:ids::uuid[]))
ORDER BY m.id;

-- name: memories_to_reflect_on
-- The newest current memories of an agent's own of one user, or of nobody, oldest first.
SELECT * FROM (
    SELECT m.id, m.type, m.content, m.identity_hash, m.valid_from, m.expires_at,
        coalesce(m.occurred_at, m.valid_from) AS at
    FROM memories m
    WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.audience = :agent_id
        AND m.owners = :owners::text[] AND m.type <> 'insight' AND m.hearsay_by IS NULL AND m.user_name IS NOT DISTINCT FROM :user::text
        AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
        AND m.source ->> 'kind' IS DISTINCT FROM 'window'
    ORDER BY m.valid_from DESC, m.id DESC
    LIMIT :limit
) newest
ORDER BY valid_from, id;

-- name: last_reflection
-- When a model was last asked to conclude something for the agent, by a dream that has not been undone.
SELECT max(finished_at) FROM dreams
WHERE workspace_id = :workspace AND agent_id = :agent_id AND owners = :owners::text[] AND status = 'succeeded'
    AND (report -> 'reflection' ->> 'asked')::boolean;
