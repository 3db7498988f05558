-- name: export_agent
-- The id of the one agent to export.
SELECT id FROM agents WHERE workspace_id = :workspace AND agent = :agent;

-- fragment: exported_memory
-- Whether a memory ``m`` is of an export.
(:with_deleted::boolean OR m.deleted_at IS NULL)
    AND (:with_expired::boolean OR m.expires_at IS NULL OR m.expires_at > :now)
    {% if where %} AND EXISTS (SELECT FROM (SELECT :where_values::jsonb AS v) w WHERE {% include "where" %}) {% endif %}

-- fragment: exported_entity
-- Whether an entity ``e`` is of an export: some memory of the export mentions it, or what it was merged into, or no memory does.
(NOT EXISTS (
        SELECT 1 FROM edges x
        WHERE x.workspace_id = :workspace AND x.target_id = coalesce(e.merged_into, e.id) AND x.memory_id IS NOT NULL)
    OR EXISTS (
        SELECT 1 FROM edges x JOIN memories m ON m.workspace_id = :workspace AND m.id = x.memory_id
        WHERE x.workspace_id = :workspace AND x.target_id = coalesce(e.merged_into, e.id)
            AND (:with_deleted::boolean OR m.deleted_at IS NULL)
            AND (:with_expired::boolean OR m.expires_at IS NULL OR m.expires_at > :now)))

-- name: export_counts
-- How many lines of each kind an export will have, for progress.
WITH memory AS (
    SELECT m.id FROM memories m
    WHERE m.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR m.agent_id = :agent_id)
        AND {% include "exported_memory" %}
), session AS (
    SELECT s.id FROM sessions s
    WHERE s.workspace_id = :workspace AND (:agent_id IS NULL OR s.agent_id = :agent_id) AND {% include "seen_session" %}
)
SELECT
    (SELECT count(*) FROM agents a WHERE a.workspace_id = :workspace AND (:agent_id IS NULL OR a.id = :agent_id)) AS agent,
    (SELECT count(*) FROM session) AS session,
    (SELECT count(*) FROM messages x JOIN session ON session.id = x.session_id WHERE x.workspace_id = :workspace) AS message,
    (SELECT count(*) FROM memory) AS memory,
    (SELECT count(*) FROM memory_versions v JOIN memory ON memory.id = v.memory_id WHERE v.workspace_id = :workspace) AS history,
    (SELECT count(*) FROM entities e WHERE e.workspace_id = :workspace AND (:agent_id IS NULL OR e.agent_id = :agent_id)
        AND {% include "exported_entity" %}) AS entity,
    (SELECT count(*) FROM documents d WHERE d.workspace_id = :workspace AND (:agent_id IS NULL OR d.agent_id = :agent_id)) AS document;

-- name: export_settings
-- Without the models of the workspace: their keys are of this installation alone.
SELECT value - 'llm' AS settings FROM settings WHERE workspace_id = :workspace AND :agent_id::uuid IS NULL;

-- name: export_agents
SELECT a.agent, a.name, a.prime, a.settings, a.created_at,
    ARRAY(SELECT t.team FROM team_members m JOIN teams t ON t.workspace_id = :workspace AND t.id = m.team_id
        WHERE m.workspace_id = :workspace AND m.agent_id = a.id ORDER BY t.team) AS teams
FROM agents a
WHERE a.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR a.id = :agent_id) AND a.agent >= :start
ORDER BY a.agent;

-- name: export_tasks
-- Tasks that only their members may name; of one agent, those it is a member of or has memories in, without the others.
SELECT t.task, ARRAY(
    SELECT a.agent FROM task_members m JOIN agents a ON a.workspace_id = :workspace AND a.id = m.agent_id
    WHERE m.workspace_id = :workspace AND m.task_id = t.id AND (:agent_id::uuid IS NULL OR m.agent_id = :agent_id)
    ORDER BY a.agent
) AS members
FROM tasks t
WHERE t.workspace_id = :workspace AND t.members_only AND t.task >= :start
    AND (:agent_id IS NULL
        OR EXISTS (SELECT FROM task_members m
            WHERE m.workspace_id = :workspace AND m.task_id = t.id AND m.agent_id = :agent_id)
        OR t.id IN (SELECT m.task_id FROM memories m WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id))
ORDER BY t.task;

-- name: export_sessions
SELECT s.id, a.agent, s.session, s.user_name AS "user", s.members, s.dreamed_seq, s.window_seq, s.window_from_seq,
    s.window_started_at, s.last_message_at, s.created_at
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR s.agent_id = :agent_id) AND s.id >= :start
    AND {% include "seen_session" %}
ORDER BY s.id;

-- name: export_messages
SELECT m.id, a.agent, s.session, m.seq, m.role, m.content, m.content_json, m.name, m.tool_call_id,
    m.user_name AS "user", m.owners, m.created_at, m.searchable, m.time_zone
FROM messages m
JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE m.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR s.agent_id = :agent_id) AND m.id >= :start
ORDER BY m.id;

-- name: export_memories
SELECT r.*, m.changed_by, m.change_reason, m.reinforced_at,
    ARRAY(SELECT x.message_id FROM memory_sources x
        WHERE x.workspace_id = :workspace AND x.memory_id = m.id ORDER BY x.message_id) AS message_ids
FROM memories m
JOIN {% set joined = true %}{% include "records_of_memories" %} r ON r.workspace_id = :workspace AND r.id = m.id
WHERE m.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR m.agent_id = :agent_id) AND m.id >= :start
    AND {% include "exported_memory" %}
ORDER BY m.id;

-- name: export_history
SELECT v.memory_id, v.version, v.record AS memory, v.changed_by AS actor, v.change_reason AS reason, v.dream_id, v.at
FROM memory_versions v JOIN memories m ON m.workspace_id = v.workspace_id AND m.id = v.memory_id
WHERE v.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR m.agent_id = :agent_id) AND v.memory_id >= :start
    AND {% include "exported_memory" %}
ORDER BY v.memory_id, v.version;

-- name: export_windows
-- Which memories sum up which turns, as far as those memories are exported.
SELECT w.session_id, a.agent, s.session, w.from_seq, w.to_seq, w.memory_id
FROM window_summaries w
JOIN sessions s ON s.workspace_id = w.workspace_id AND s.id = w.session_id
JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
JOIN memories m ON m.workspace_id = w.workspace_id AND m.id = w.memory_id
WHERE w.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR s.agent_id = :agent_id) AND w.session_id >= :start
    AND {% include "exported_memory" %}
ORDER BY w.session_id, w.from_seq;

-- name: export_entities
SELECT e.id, a.agent, e.name, e.kind, e.metadata, e.audience, e.owners, e.merged_into, e.dream_id, e.created_at, e.updated_at,
    ARRAY(SELECT x.alias FROM entity_aliases x
        WHERE x.workspace_id = :workspace AND x.entity_id = e.id ORDER BY x.alias) AS aliases
FROM entities e JOIN agents a ON a.workspace_id = :workspace AND a.id = e.agent_id
WHERE e.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR e.agent_id = :agent_id) AND e.id >= :start
    AND {% include "exported_entity" %}
ORDER BY e.id;

-- name: export_merges
-- Merges that can be taken back: what each of them moved, and the edges that it made one of two.
SELECT m.id, m.entity_id, m.into_id, m.moved -> 'aliases' AS aliases, m.moved -> 'edges' AS edges,
    m.moved -> 'twice' AS twice, m.actor, m.created_at
FROM entity_merges m JOIN entities e ON e.workspace_id = m.workspace_id AND e.id = m.entity_id
WHERE m.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR e.agent_id = :agent_id) AND m.id >= :start
    AND {% include "exported_entity" %}
ORDER BY m.id;

-- name: export_edges
-- Edges whose memories are exported too; of one agent, those that begin at a memory or entity of its own, and for users,
-- those of which they may see both ends and the memory.
SELECT e.id, e.audience, e.relation, e.source_kind, e.source_id, e.target_kind, e.target_id, e.memory_id, e.dream_id,
    e.created_by, e.created_at
FROM edges e
WHERE e.workspace_id = :workspace AND e.id >= :start
    AND (:agent_id::uuid IS NULL
        OR EXISTS (SELECT 1 FROM memories m
            WHERE m.workspace_id = :workspace AND m.id = e.source_id AND m.agent_id = :agent_id)
        OR EXISTS (SELECT 1 FROM entities n
            WHERE n.workspace_id = :workspace AND n.id = e.source_id AND n.agent_id = :agent_id))
    AND ({% if not where %} :with_deleted::boolean AND :with_expired::boolean OR {% endif %} NOT EXISTS (
        SELECT 1 FROM memories m
        WHERE m.workspace_id = :workspace AND m.id IN (e.source_id, e.target_id, e.memory_id)
            AND NOT ({% include "exported_memory" %})))
    AND ((SELECT reverie_viewer_v1()) = '{}'::text[] OR NOT EXISTS (
        SELECT 1 FROM unnest(ARRAY[e.source_id, e.target_id, e.memory_id]) AS part(id)
        WHERE part.id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.id = part.id)
            AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.workspace_id = :workspace AND n.id = part.id)))
ORDER BY e.id;

-- name: export_documents
SELECT d.id, a.agent, d.title, d.text, d.user_name AS "user", d.owners, d.metadata, d.created_by, d.created_at
FROM documents d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR d.agent_id = :agent_id) AND d.id >= :start
ORDER BY d.id;

-- name: export_bulletins
SELECT b.owners, {% include "bulletin_columns" %}
FROM bulletins b JOIN agents a ON a.workspace_id = b.workspace_id AND a.id = b.agent_id
WHERE b.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR b.agent_id = :agent_id) AND a.agent >= :start
ORDER BY a.agent, b.version;

-- name: export_pages
SELECT p.id, a.agent, p.question, p.scope, p.trigger, p.max_tokens, p.revision, p.due_at, p.due_dream_id, p.created_by,
    p.created_at, p.updated_at, coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'version', v.version, 'sentences', v.sentences, 'writer', v.writer, 'dropped', v.dropped,
            'inputs_hash', v.inputs_hash, 'dream_id', v.dream_id, 'created_at', v.created_at) ORDER BY v.version)
        FROM page_versions v WHERE v.workspace_id = :workspace AND v.page_id = p.id), '[]') AS versions
FROM pages p JOIN agents a ON a.workspace_id = p.workspace_id AND a.id = p.agent_id
WHERE p.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR p.agent_id = :agent_id) AND p.id >= :start
ORDER BY p.id;

-- name: export_searches
SELECT s.id, a.agent, s.name, s.query, s.options, s.expected, s.k, s.revision, s.created_by, s.created_at, s.updated_at,
    coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'id', r.id, 'revision', r.revision, 'cause', r.cause, 'k', r.k, 'recall', r.recall, 'outcomes', r.outcomes,
            'overrides', r.overrides, 'settings', r.settings, 'strategy', r.strategy, 'embedder', r.embedder,
            'degraded', r.degraded, 'created_at', r.created_at) ORDER BY r.id)
        FROM saved_search_results r WHERE r.workspace_id = :workspace AND r.search_id = s.id), '[]') AS results
FROM saved_searches s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR s.agent_id = :agent_id) AND s.id >= :start
ORDER BY s.id;

-- name: export_proposals
-- What waits in the inbox, and what is not to come again. Of what was accepted there is the memory.
SELECT p.id, a.agent, p.status, p.fingerprint, p.type, p.content, p.user_name AS "user", p.owners, p.hearsay_by, p.importance,
    p.confidence, p.tags, p.source, p.metadata, p.message_ids, p.reason, p.said_at, p.occurred_at, p.occurred_until, p.dream_id, p.decided_by, p.decided_at,
    p.version, p.created_at, p.updated_at
FROM proposals p JOIN agents a ON a.workspace_id = p.workspace_id AND a.id = p.agent_id
WHERE p.workspace_id = :workspace AND (:agent_id::uuid IS NULL OR p.agent_id = :agent_id) AND p.status <> 'accepted'
    AND p.id >= :start
ORDER BY p.id;

-- name: audience_names
-- What the ids of audiences stand for.
SELECT a.id, 'agent' AS scope, a.agent, NULL AS team, NULL AS task, NULL AS session
FROM agents a WHERE a.workspace_id = :workspace AND a.id = ANY(:ids::uuid[])
UNION ALL
SELECT a.prime_audience, 'prime', a.agent, NULL, NULL, NULL
FROM agents a WHERE a.workspace_id = :workspace AND a.prime_audience = ANY(:ids)
UNION ALL
SELECT t.id, 'team', NULL, t.team, NULL, NULL FROM teams t WHERE t.workspace_id = :workspace AND t.id = ANY(:ids)
UNION ALL
SELECT t.id, 'task', NULL, NULL, t.task, NULL FROM tasks t WHERE t.workspace_id = :workspace AND t.id = ANY(:ids)
UNION ALL
SELECT s.id, 'session', a.agent, NULL, NULL, s.session
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND s.id = ANY(:ids);

-- name: import_sessions
-- Sessions that are not there yet, with their ids; the number of those made.
INSERT INTO sessions (
    workspace_id, id, agent_id, session, user_name, members, dreamed_seq, window_seq, window_from_seq, window_started_at,
    last_message_at, created_at
)
SELECT :workspace, i.id, i.agent_id, i.session, i."user", coalesce(i.members, array_remove(ARRAY[i."user"], NULL)), i.dreamed_seq, i.window_seq, i.window_from_seq,
    i.window_started_at, i.last_message_at, coalesce(i.created_at, :now)
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, agent_id uuid, session text, "user" text, members text[], dreamed_seq bigint, window_seq bigint, window_from_seq bigint,
    window_started_at timestamptz, last_message_at timestamptz, created_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: lock_sessions
-- Lock these sessions while messages are numbered, in one order (lock ordering against deadlock between imports).
SELECT id FROM sessions WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: existing_messages
SELECT id FROM messages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: import_messages
-- Messages under the number they come with; the ids of those whose number was free.
INSERT INTO messages (
    workspace_id, id, session_id, seq, role, content, content_json, name, tool_call_id, user_name, owners, tokens,
    created_at, key_id, searchable, time_zone
)
SELECT :workspace, i.id, i.session_id, i.seq, i.role, i.content, i.content_json, i.name, i.tool_call_id, i.user_name,
    i.owners, i.tokens, coalesce(i.created_at, :now), :key_id::uuid, i.searchable, i.time_zone
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, session_id uuid, seq bigint, role text, content text, content_json jsonb, name text, tool_call_id text,
    user_name text, owners text[], tokens integer, created_at timestamptz,
    searchable boolean, time_zone text
)
WHERE i.seq IS NOT NULL
ON CONFLICT DO NOTHING
RETURNING id;

-- name: import_messages_at_the_end
-- Messages numbered after all that their session has, in the order given.
INSERT INTO messages (
    workspace_id, id, session_id, seq, role, content, content_json, name, tool_call_id, user_name, owners, tokens,
    created_at, key_id, searchable, time_zone
)
SELECT :workspace, i.id, i.session_id,
    greatest(s.last_seq, (SELECT max(m.seq) FROM messages m WHERE m.workspace_id = :workspace AND m.session_id = s.id))
        + row_number() OVER (PARTITION BY i.session_id ORDER BY i.ordinal),
    i.role, i.content, i.content_json, i.name, i.tool_call_id, i.user_name, i.owners,
    i.tokens, coalesce(i.created_at, :now), :key_id::uuid, i.searchable, i.time_zone
FROM jsonb_to_recordset(:items::jsonb) AS i(
    ordinal integer, id uuid, session_id uuid, role text, content text, content_json jsonb, name text, tool_call_id text,
    user_name text, owners text[], tokens integer, created_at timestamptz,
    searchable boolean, time_zone text
)
JOIN sessions s ON s.workspace_id = :workspace AND s.id = i.session_id
RETURNING id;

-- name: join_sessions
-- Members that have joined sessions by what an import brings.
UPDATE sessions s SET members = i.members
FROM jsonb_to_recordset(:items::jsonb) AS i(id uuid, members text[])
WHERE s.workspace_id = :workspace AND s.id = i.id;

-- name: owners_of_messages
SELECT id, owners FROM messages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]) ORDER BY created_at, seq;

-- name: owners_of_memories
SELECT id, owners FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: own_entities
-- Entities that came without owners get those of the first memory that mentions them, and with them their names.
WITH first AS (
    SELECT DISTINCT ON (n.id) n.id, m.owners
    FROM edges x
    CROSS JOIN LATERAL (VALUES (x.source_id), (x.target_id)) AS n(id)
    JOIN memories m ON m.workspace_id = :workspace AND m.id = x.memory_id
    WHERE x.workspace_id = :workspace AND n.id = ANY(:ids::uuid[])
    ORDER BY n.id, m.created_at, m.id
), owned AS (
    UPDATE entities e SET owners = f.owners FROM first f
    WHERE e.workspace_id = :workspace AND e.id = f.id AND f.owners <> '{}'
    RETURNING e.id, e.owners
)
UPDATE entity_aliases a SET owners = reverie_owners_v1(o.owners) FROM owned o
WHERE a.workspace_id = :workspace AND a.entity_id = o.id AND NOT EXISTS (
    SELECT 1 FROM entity_aliases t
    WHERE t.workspace_id = :workspace AND t.audience = a.audience AND t.alias = a.alias AND t.kind = a.kind
        AND t.owners = reverie_owners_v1(o.owners));

-- name: update_session_counters
-- Bring the watermarks of sessions in line with the messages they have now.
UPDATE sessions s SET
    last_seq = greatest(s.last_seq, m.seq),
    dreamed_seq = CASE WHEN s.id = ANY(:made::uuid[]) THEN least(s.dreamed_seq, m.seq) ELSE s.dreamed_seq END,
    window_seq = CASE WHEN s.id = ANY(:made) THEN least(s.window_seq, m.seq + 1) ELSE s.window_seq END,
    window_from_seq = CASE WHEN s.id = ANY(:made) THEN least(s.window_from_seq, m.seq + 1) ELSE s.window_from_seq END,
    window_started_at = coalesce(s.window_started_at, m.first_at),
    last_message_at = greatest(s.last_message_at, m.last_at)
FROM unnest(:ids::uuid[]) AS i(id)
CROSS JOIN LATERAL (
    SELECT coalesce(max(x.seq), 0) AS seq, min(x.created_at) AS first_at, max(x.created_at) AS last_at
    FROM messages x WHERE x.workspace_id = :workspace AND x.session_id = i.id
) m
WHERE s.workspace_id = :workspace AND s.id = i.id;

-- name: import_agent_times
-- An agent made by this import is as old as it says.
UPDATE agents SET created_at = least(created_at, :created_at) WHERE workspace_id = :workspace AND id = :id;

-- name: place_in_time
-- The state of a rewritten memory that only an import may set.
UPDATE memories SET
    version = :version, created_at = :created_at, updated_at = :updated_at, valid_from = :valid_from,
    valid_until = :valid_until, superseded_by = :superseded_by, deleted_at = :deleted_at,
    reinforced_at = coalesce(:reinforced_at, reinforced_at)
WHERE workspace_id = :workspace AND id = :id;

-- name: import_usage
-- Access counts, never lowered.
INSERT INTO memory_usage (workspace_id, memory_id, access_count, last_accessed_at)
SELECT :workspace, u.id, u.n, u.at
FROM unnest(:ids::uuid[], :counts::bigint[], :times::timestamptz[]) AS u(id, n, at)
ON CONFLICT (workspace_id, memory_id) DO UPDATE SET
    access_count = greatest(memory_usage.access_count, excluded.access_count),
    last_accessed_at = greatest(memory_usage.last_accessed_at, excluded.last_accessed_at);

-- name: existing_memories
SELECT id FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: import_history
-- What every version has and this one leaves out is as the memory has it now.
INSERT INTO memory_versions (workspace_id, memory_id, version, record, changed_by, change_reason, dream_id, at)
SELECT :workspace, i.memory_id, i.version,
    jsonb_build_object(
        'type', m.type, 'scope', m.scope, 'owners', m.owners, 'origin', m.origin, 'content', m.content,
        'summary', m.summary, 'tokens', m.tokens, 'importance', m.importance, 'confidence', m.confidence,
        'tags', m.tags, 'metadata', m.metadata, 'source', m.source, 'decay_exempt', m.decay_exempt,
        'valid_from', m.valid_from, 'updated_at', i.at
    ) || i.memory || jsonb_build_object('version', i.version),
    i.actor, i.reason, i.dream_id, i.at
FROM jsonb_to_recordset(:items::jsonb) AS i(
    memory_id uuid, version integer, memory jsonb, actor text, reason text, dream_id uuid, at timestamptz
)
JOIN memories m ON m.workspace_id = :workspace AND m.id = i.memory_id
ON CONFLICT DO NOTHING
RETURNING memory_id;

-- name: find_entity_by_alias
-- The entity that is this one here: by its id, else by one of its names in its audience, of its owners.
SELECT e.id FROM entities e WHERE e.workspace_id = :workspace AND e.id = :id
UNION ALL
(SELECT a.entity_id FROM entity_aliases a
WHERE a.workspace_id = :workspace AND a.audience = :audience AND a.owners = reverie_owners_v1(:owners::text[])
    AND a.kind = :kind AND a.alias = ANY(:aliases::text[])
ORDER BY a.entity_id)
LIMIT 1;

-- name: import_windows
-- Summaries of windows whose memory is here; how many of those given are (found), and how many of them are new (made).
WITH item AS (
    SELECT i.* FROM jsonb_to_recordset(:items::jsonb) AS i(
        session_id uuid, from_seq bigint, to_seq bigint, memory_id uuid, fresh boolean
    )
    WHERE EXISTS (SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.id = i.memory_id)
        AND (i.fresh OR EXISTS (
            SELECT 1 FROM window_summaries w
            WHERE w.workspace_id = :workspace AND w.session_id = i.session_id AND w.from_seq = i.from_seq
                AND w.memory_id = i.memory_id))
), made AS (
    INSERT INTO window_summaries (workspace_id, session_id, from_seq, to_seq, memory_id)
    SELECT :workspace, session_id, from_seq, to_seq, memory_id FROM item
    ON CONFLICT DO NOTHING
    RETURNING memory_id
), marked AS (
    UPDATE search_index SET window_summary = true
    WHERE workspace_id = :workspace AND id = ANY(ARRAY(SELECT memory_id FROM item)) RETURNING id
)
SELECT (SELECT count(*) FROM item) AS found, (SELECT count(*) FROM made) AS made;

-- name: import_entity
INSERT INTO entities (
    workspace_id, id, agent_id, audience, owners, name, kind, metadata, merged_into, dream_id, created_at, updated_at
)
VALUES (
    :workspace, :id, :agent_id, :audience, :owners::text[], :name, :kind, :metadata::jsonb, :merged_into, :dream_id, :created_at, :updated_at
);

-- name: complete_entity
-- What is said of an entity elsewhere and not here.
UPDATE entities SET metadata = :metadata::jsonb || metadata
WHERE workspace_id = :workspace AND id = :id AND NOT metadata @> :metadata::jsonb;

-- name: merged_elsewhere
-- What an entity was merged into is here under another id, so this merge cannot be taken back here.
UPDATE entities SET merged_into = :into_id WHERE workspace_id = :workspace AND id = :id AND merged_into IS NOT NULL;

-- name: import_merge
INSERT INTO entity_merges (workspace_id, id, entity_id, into_id, moved, actor, created_at)
SELECT :workspace, :id, :entity_id, :into_id, :moved::jsonb, :actor, :created_at
WHERE EXISTS (SELECT 1 FROM entities e
    WHERE e.workspace_id = :workspace AND e.id = :entity_id AND e.merged_into = :into_id)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: existing_merges
SELECT id FROM entity_merges WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: existing_documents
SELECT id FROM documents WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: add_aliases
INSERT INTO entity_aliases (workspace_id, audience, owners, alias, kind, entity_id)
SELECT :workspace, :audience, reverie_owners_v1(:owners::text[]), a.alias, :kind, :entity_id
FROM unnest(:aliases::text[]) AS a(alias)
ON CONFLICT DO NOTHING;

-- name: import_edges
-- Edges whose ends are here; how many of those given are (found), and how many of them are new (made).
WITH item AS (
    SELECT i.* FROM jsonb_to_recordset(:items::jsonb) AS i(
        id uuid, audience uuid, relation text, source_kind text, source_id uuid, target_kind text, target_id uuid,
        memory_id uuid, dream_id uuid, created_by text, created_at timestamptz
    )
    WHERE NOT EXISTS (
        SELECT 1 FROM (VALUES (i.source_kind, i.source_id), (i.target_kind, i.target_id)) AS x(kind, id)
        WHERE NOT CASE x.kind
            WHEN 'memory' THEN EXISTS (SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.id = x.id)
            ELSE EXISTS (SELECT 1 FROM entities e WHERE e.workspace_id = :workspace AND e.id = x.id) END)
), made AS (
    INSERT INTO edges (
        workspace_id, id, audience, relation, source_kind, source_id, target_kind, target_id, memory_id, dream_id,
        created_by, created_at
    )
    SELECT :workspace, id, audience, relation, source_kind, source_id, target_kind, target_id, memory_id, dream_id,
        created_by, coalesce(created_at, :now)
    FROM item
    ON CONFLICT DO NOTHING
    RETURNING id
)
SELECT (SELECT count(*) FROM item) AS found, (SELECT count(*) FROM made) AS made;

-- name: import_bulletins
INSERT INTO bulletins (workspace_id, agent_id, owners, version, content, tokens, inputs_hash, parts, dream_id, created_at)
SELECT :workspace, i.agent_id, coalesce(i.owners, '{}'), i.version, i.content, i.tokens, i.inputs_hash, i.parts, i.dream_id,
    coalesce(i.created_at, :now)
FROM jsonb_to_recordset(:items::jsonb) AS i(
    agent_id uuid, owners text[], version integer, content text, tokens integer, inputs_hash text, parts jsonb, dream_id uuid,
    created_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING version;

-- name: import_pages
INSERT INTO pages (
    workspace_id, id, agent_id, owners, question, scope, trigger, max_tokens, revision, due_at, due_dream_id, created_by,
    created_at, updated_at
)
SELECT :workspace, i.id, i.agent_id, i.owners, i.question, i.scope, i.trigger, i.max_tokens, i.revision, i.due_at, i.due_dream_id,
    i.created_by, coalesce(i.created_at, :now), coalesce(i.updated_at, :now)
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, agent_id uuid, owners text[], question text, scope jsonb, trigger text, max_tokens integer, revision integer,
    due_at timestamptz, due_dream_id uuid, created_by text, created_at timestamptz, updated_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: import_page_versions
INSERT INTO page_versions (
    workspace_id, page_id, version, sentences, writer, dropped, inputs_hash, dream_id, created_at
)
SELECT :workspace, i.page_id, i.version, i.sentences, i.writer, i.dropped, i.inputs_hash, i.dream_id, i.created_at
FROM jsonb_to_recordset(:items::jsonb) AS i(
    page_id uuid, version integer, sentences jsonb, writer text, dropped integer, inputs_hash text, dream_id uuid,
    created_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING version;

-- name: import_searches
INSERT INTO saved_searches (
    workspace_id, id, agent_id, owners, name, query, options, expected, k, revision, created_by, created_at, updated_at
)
SELECT :workspace, i.id, i.agent_id, i.owners, i.name, i.query, i.options, i.expected, i.k, i.revision, i.created_by,
    coalesce(i.created_at, :now), coalesce(i.updated_at, :now)
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, agent_id uuid, owners text[], name text, query text, options jsonb, expected jsonb, k integer,
    revision integer, created_by text, created_at timestamptz, updated_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: import_search_results
INSERT INTO saved_search_results (
    workspace_id, search_id, id, revision, cause, k, recall, outcomes, overrides, settings, strategy, embedder, degraded,
    created_at
)
SELECT :workspace, i.search_id, i.id, i.revision, i.cause, i.k, i.recall, i.outcomes, i.overrides, i.settings,
    i.strategy, i.embedder, i.degraded, i.created_at
FROM jsonb_to_recordset(:items::jsonb) AS i(
    search_id uuid, id uuid, revision integer, cause text, k integer, recall float8, outcomes jsonb, overrides jsonb,
    settings jsonb, strategy text, embedder text, degraded boolean, created_at timestamptz
)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: import_proposals
-- Proposals that are not here, nor any that says the same.
INSERT INTO proposals (
    workspace_id, id, agent_id, dream_id, status, fingerprint, identity_hash, type, content, user_name, owners, hearsay_by, importance,
    confidence, tags, source, metadata, message_ids, reason, said_at, occurred_at, occurred_until, decided_by, decided_at, version, created_at, updated_at
)
SELECT :workspace, i.id, i.agent_id, i.dream_id, i.status, i.fingerprint, decode(i.identity_hash, 'hex'), i.type, i.content,
    i."user", coalesce(i.owners, array_remove(ARRAY[i."user"], NULL)), i.hearsay_by, i.importance, i.confidence, i.tags, i.source, i.metadata, i.message_ids, i.reason, i.said_at, i.occurred_at, i.occurred_until,
    i.decided_by, i.decided_at, i.version, coalesce(i.created_at, :now), coalesce(i.updated_at, i.created_at, :now)
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, agent_id uuid, dream_id uuid, status text, fingerprint text, identity_hash text, type text, content text, "user" text,
    owners text[], hearsay_by text, importance float8, confidence float8, tags text[], source jsonb, metadata jsonb, message_ids uuid[], reason text,
    said_at timestamptz, occurred_at timestamptz, occurred_until timestamptz, decided_by text, decided_at timestamptz, version integer,
    created_at timestamptz, updated_at timestamptz
)
ORDER BY i.fingerprint
ON CONFLICT DO NOTHING
RETURNING id;
