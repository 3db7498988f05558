-- fragment: cited_states
-- What the memories that a bulletin ``b`` of agent ``a`` cites are now, and whose word, by id: null for those that are gone, deleted, expired or
-- not the agent's to read. One holds unless it is superseded, done, or says something else than when the bulletin was written.
-- Each is looked up by itself: in a join the planner takes a bulletin for large, and reads every memory of the workspace.
(
    SELECT coalesce(jsonb_object_agg(cited.id, (
        SELECT jsonb_build_object('user', m.user_name, 'hearsay_by', m.hearsay_by, 'origin', m.origin, 'session_user', (
                SELECT s.user_name FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id),
            'superseded_by', m.superseded_by, 'holds', m.superseded_by IS NULL
            AND (m.valid_until IS NULL OR m.valid_until > :now) AND m.status IS DISTINCT FROM 'done'
            AND (m.updated_at <= b.created_at OR m.content = coalesce((
                SELECT v.record ->> 'content' FROM memory_versions v
                WHERE v.workspace_id = :workspace AND v.memory_id = m.id AND v.at <= b.created_at
                ORDER BY v.version DESC LIMIT 1), m.content)))
        FROM memories m
        WHERE m.workspace_id = :workspace AND m.id = cited.id::uuid AND m.deleted_at IS NULL
            AND (m.expires_at IS NULL OR m.expires_at > :now) AND m.scope IN ('agent', 'prime')
            AND (m.agent_id = b.agent_id OR a.prime)
    )), '{}')
    FROM (
        SELECT DISTINCT jsonb_path_query(b.parts, '$[*].lines[*].memories[*]') #>> '{}' AS id
    ) cited
)

-- fragment: bulletin_columns
a.agent, b.version, b.content, b.tokens, b.inputs_hash, b.parts, b.dream_id, b.created_at,
b.version = (
    SELECT max(n.version) FROM bulletins n
    WHERE n.workspace_id = :workspace AND n.agent_id = b.agent_id AND n.owners = b.owners) AS newest,
{% include "cited_states" %} AS states

-- name: get_bulletin
-- A bulletin, of these owners the latest or of any the one of that version, and what became of what it cites.
SELECT {% include "bulletin_columns" %}
FROM bulletins b JOIN agents a ON a.workspace_id = :workspace AND a.id = b.agent_id
WHERE b.workspace_id = :workspace AND a.agent = :agent
    AND CASE WHEN :version::integer IS NULL THEN b.owners = :owners::text[] ELSE b.version = :version END
ORDER BY b.version DESC
LIMIT 1;

-- name: bulletins_shown
-- As get_bulletin, the latest for each set of owners that the viewer may see, nobody's first.
SELECT {% include "bulletin_columns" %}
FROM (
    SELECT owners, max(version) AS version FROM bulletins
    WHERE workspace_id = :workspace AND agent_id = :agent_id
    GROUP BY owners
    ORDER BY owners
    LIMIT :limit
) latest
JOIN bulletins b ON b.workspace_id = :workspace AND b.agent_id = :agent_id AND b.version = latest.version
JOIN agents a ON a.workspace_id = :workspace AND a.id = b.agent_id
WHERE b.workspace_id = :workspace
ORDER BY b.owners;

-- name: bulletin_versions
-- As get_bulletin, a page of those of these owners.
SELECT {% include "bulletin_columns" %}
FROM bulletins b JOIN agents a ON a.workspace_id = :workspace AND a.id = b.agent_id
WHERE b.workspace_id = :workspace AND a.agent = :agent AND b.owners = :owners::text[] AND (:before::bigint IS NULL OR b.version < :before)
ORDER BY b.version DESC
LIMIT :limit;

-- name: bulletin_hash
SELECT inputs_hash FROM bulletins
WHERE workspace_id = :workspace AND agent_id = :agent_id AND owners = :owners::text[]
ORDER BY version DESC
LIMIT 1;

-- name: add_bulletin
INSERT INTO bulletins (workspace_id, agent_id, owners, version, content, tokens, inputs_hash, parts, dream_id, created_at)
SELECT :workspace, :agent_id, :owners::text[], coalesce(max(version), 0) + 1, :content, :tokens, :inputs_hash, :parts, :dream_id::uuid, :now
FROM bulletins WHERE workspace_id = :workspace AND agent_id = :agent_id
RETURNING version;

-- name: bulletin_inputs
-- What an agent knows now, of what belongs to these owners, that is worth a line: its live memories, and those of all agents for prime agents where it is
-- one, weightiest first, hearsay after all else; otherwise only of the :origins; nothing faded, no summaries of windows, and no insights, which say the same again; own types as the built-in ones that they are like. As it will be after a dream: without the :left_out, and with the weight that
-- `reinforce_memory` gives the :reinforced.
SELECT r.id, r.content, r.importance, r."user", r.hearsay_by, r.origin, r.occurred_at, r.occurred_until, r.status,
    coalesce((SELECT m.like_type FROM memories m WHERE m.workspace_id = :workspace AND m.id = r.id), r.type) AS type,
    CASE WHEN r.id = ANY(:reinforced::uuid[]) THEN r.importance + (1 - r.importance) * 0.1
        ELSE r.effective_importance END AS weight,
    coalesce(r.occurred_at, r.created_at) AS at
FROM {% include "memory_records" %} r
WHERE r.workspace_id = :workspace AND r.owners = :owners::text[]
    AND r.audience = ANY(ARRAY(
        SELECT unnest(ARRAY[a.id, a.prime_audience]) FROM agents a WHERE a.workspace_id = :workspace AND a.id = :agent_id
        UNION ALL
        SELECT p.prime_audience FROM agents a JOIN agents p ON p.workspace_id = :workspace AND p.id <> a.id
        WHERE a.workspace_id = :workspace AND a.id = :agent_id AND a.prime))
    AND (r.effective_importance >= :faded_below::float8 OR r.effective_importance = r.importance)
    AND r.deleted_at IS NULL AND r.superseded_by IS NULL AND r.id <> ALL(:left_out::uuid[])
    AND (r.expires_at IS NULL OR r.expires_at > :now)
    AND r.scope IN ('agent', 'prime')
    AND r.status IS DISTINCT FROM 'done'
    AND r.source ->> 'kind' IS DISTINCT FROM 'window' AND r.type <> 'insight'
    AND (r.hearsay_by IS NOT NULL OR r.origin = ANY(:origins::text[]))
ORDER BY r.hearsay_by IS NOT NULL, weight DESC, at DESC, r.id
LIMIT :limit;
