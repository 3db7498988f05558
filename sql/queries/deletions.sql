-- name: rows_of_deletion
-- What goes with a session, an agent or a team (``kind``), as the ``table`` and the id of each row that others refer to. Of
-- what was made of messages, that which no message outside goes on saying.
WITH session AS (
    SELECT id FROM sessions WHERE workspace_id = :workspace AND
        {% if kind == "session" %} id {% elif kind == "agent" %} agent_id {% else %} NULL::uuid {% endif %} = :id::uuid
), message AS (
    SELECT id FROM messages WHERE workspace_id = :workspace AND session_id IN (SELECT id FROM session)
), memory AS (
    SELECT m.id FROM memories m
    WHERE m.workspace_id = :workspace AND m.session_id IN (SELECT id FROM session) AND (m.scope = 'session' OR NOT EXISTS (
        SELECT 1 FROM memory_sources o
        WHERE o.workspace_id = :workspace AND o.memory_id = m.id AND o.message_id NOT IN (SELECT id FROM message)))
    {% if kind != "session" %}
    UNION
    SELECT id FROM memories
    WHERE workspace_id = :workspace AND {% if kind == "agent" %} agent_id {% else %} team_id {% endif %} = :id
    {% endif %}
    UNION
    SELECT memory_id FROM window_summaries WHERE workspace_id = :workspace AND session_id IN (SELECT id FROM session)
    UNION
    SELECT s.memory_id FROM memory_sources s
    WHERE s.workspace_id = :workspace AND s.message_id IN (SELECT id FROM message) AND NOT EXISTS (
        SELECT 1 FROM memory_sources o
        WHERE o.workspace_id = :workspace AND o.memory_id = s.memory_id AND o.message_id NOT IN (SELECT id FROM message))
)
SELECT 'sessions' AS table, id FROM session
UNION ALL SELECT 'messages', id FROM message
UNION ALL SELECT 'memories', id FROM memory
{% if kind == "agent" %}
UNION ALL SELECT 'agents', :id
UNION ALL SELECT 'audiences', prime_audience FROM agents WHERE workspace_id = :workspace AND id = :id
UNION ALL SELECT 'entities', id FROM entities WHERE workspace_id = :workspace AND agent_id = :id
UNION ALL SELECT 'dreams', id FROM dreams WHERE workspace_id = :workspace AND agent_id = :id
UNION ALL SELECT 'pages', id FROM pages WHERE workspace_id = :workspace AND agent_id = :id
UNION ALL SELECT 'saved_searches', id FROM saved_searches WHERE workspace_id = :workspace AND agent_id = :id
UNION ALL SELECT 'documents', id FROM documents WHERE workspace_id = :workspace AND agent_id = :id
UNION ALL SELECT 'chunks', c.id FROM documents d JOIN chunks c ON c.workspace_id = :workspace AND c.document_id = d.id
    WHERE d.workspace_id = :workspace AND d.agent_id = :id
{% elif kind == "team" %}
UNION ALL SELECT 'teams', :id
UNION ALL SELECT 'entities', id FROM entities WHERE workspace_id = :workspace AND audience = :id
{% endif %};

-- name: entities_of_deletion
-- The entities that these memories alone speak of, with those that have been merged into them.
WITH RECURSIVE lonely AS (
    SELECT e.id FROM entities e
    WHERE e.workspace_id = :workspace AND e.id IN (
            SELECT target_id FROM edges WHERE workspace_id = :workspace AND source_id = ANY(:memories::uuid[]))
        AND NOT EXISTS (
            SELECT 1 FROM edges o
            WHERE o.workspace_id = :workspace AND e.id IN (o.source_id, o.target_id)
                AND o.source_id <> ALL(:memories) AND (o.memory_id IS NULL OR o.memory_id <> ALL(:memories)))
    UNION
    SELECT m.id FROM lonely l JOIN entities m ON m.workspace_id = :workspace AND m.merged_into = l.id
)
SELECT id FROM lonely;

-- name: detach_sessions
-- Of the memories that are not among these, those that have one of the sessions lose it; what they had.
WITH had AS (
    SELECT id, session_id FROM memories
    WHERE workspace_id = :workspace AND session_id = ANY(:sessions::uuid[]) AND id <> ALL(:memories::uuid[])
    ORDER BY id FOR UPDATE
), indexed AS (
    UPDATE search_index SET session_id = NULL WHERE workspace_id = :workspace AND id IN (SELECT id FROM had)
), detached AS (
    UPDATE memories SET session_id = NULL WHERE workspace_id = :workspace AND id IN (SELECT id FROM had)
)
SELECT id, session_id FROM had;

-- name: attach_sessions
WITH had AS (
    SELECT * FROM unnest(:memories::uuid[], :sessions::uuid[]) AS h(id, session_id)
), indexed AS (
    UPDATE search_index i SET session_id = h.session_id FROM had h
    WHERE i.workspace_id = :workspace AND i.id = h.id AND i.session_id IS NULL
)
UPDATE memories m SET session_id = h.session_id FROM had h
WHERE m.workspace_id = :workspace AND m.id = h.id AND m.session_id IS NULL;

-- name: links_across
-- The sources of memories of which either the memory or the message is among these, and the other is not.
SELECT memory_id, message_id FROM memory_sources
WHERE workspace_id = :workspace AND (memory_id = ANY(:memories::uuid[])) <> (message_id = ANY(:messages::uuid[]))
    AND (memory_id = ANY(:memories) OR message_id = ANY(:messages));

-- name: find_deleted
-- An agent, a session or a team (``kind``), with the agents that dream about what it holds, and the members of the session.
{% if kind == "agent" %}
SELECT id, ARRAY[id] AS agents, '{}'::text[] AS owners FROM agents WHERE workspace_id = :workspace AND agent = :name::text
{% elif kind == "session" %}
SELECT s.id, ARRAY[s.agent_id] AS agents, s.members AS owners
FROM sessions s JOIN agents a ON a.workspace_id = :workspace AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND s.session = :name::text AND a.agent = :agent::text AND {% include "seen_session" %}
{% else %}
SELECT t.id, ARRAY(
        SELECT agent_id FROM team_members WHERE workspace_id = :workspace AND team_id = t.id
        UNION SELECT agent_id FROM memories WHERE workspace_id = :workspace AND team_id = t.id) AS agents, '{}'::text[] AS owners
FROM teams t WHERE t.workspace_id = :workspace AND t.team = :name::text
{% endif %};

-- name: lock_deleted
-- An agent with its sessions, a session or a team: from now on nothing is written to it.
{% if kind == "agent" %}
WITH session AS (
    SELECT id FROM sessions WHERE workspace_id = :workspace AND agent_id = :id::uuid ORDER BY id FOR UPDATE
), agent AS (
    SELECT id FROM agents WHERE workspace_id = :workspace AND id = :id FOR UPDATE
)
SELECT id, (SELECT count(*) FROM session) FROM agent
{% else %}
SELECT id FROM {% if kind == "session" %} sessions {% else %} teams {% endif %} WHERE workspace_id = :workspace AND id = :id::uuid FOR UPDATE
{% endif %};

-- name: add_deletion
INSERT INTO deletions (workspace_id, id, kind, name, agent, owners, counts, kept, deleted_by, deleted_at)
VALUES (:workspace, :id, :kind, :name, :agent, :owners, :counts, :kept, :deleted_by, :at);

-- name: add_deletion_workspace
-- The workspace in which the rows of a deletion wait: suspended, so that no worker looks at it, and on no list.
INSERT INTO workspaces (workspace_id, name, suspended_at, deletion_of) VALUES (:id, 'deletion ' || :id::uuid, :at, :workspace);

-- name: lock_deletion
SELECT kind, name, agent, owners, counts, kept, deleted_at, restored_at
FROM deletions WHERE workspace_id = :workspace AND id = :id
FOR UPDATE;

-- name: list_deletions
-- Newest first; of one agent's sessions where one is given.
SELECT id, kind, name, agent, counts, deleted_by, deleted_at, restored_at,
    deleted_at + :time_to_undo::interval AS restorable_until
FROM deletions
WHERE workspace_id = :workspace AND (:agent::text IS NULL OR (kind = 'session' AND agent = :agent))
    AND (:before_at::timestamptz IS NULL OR (deleted_at, id) < (:before_at, :before::uuid))
ORDER BY deleted_at DESC, id DESC
LIMIT :limit;

-- name: deletion_workspaces
-- Where the rows of deletions wait that have not been undone.
SELECT workspace_id FROM workspaces WHERE deletion_of = :workspace ORDER BY workspace_id;

-- name: expired_deletions
SELECT id, restored_at IS NULL AS waiting FROM deletions
WHERE workspace_id = :workspace AND deleted_at < :before
ORDER BY deleted_at LIMIT :limit
FOR UPDATE;

-- name: remove_deletion
DELETE FROM deletions WHERE workspace_id = :workspace AND id = :id;

-- name: mark_restored
UPDATE deletions SET restored_at = :at WHERE workspace_id = :workspace AND id = :id;

-- name: still_there
-- Of the rows that a deletion refers to and did not take, those that are there, by ``table``.
SELECT 'agents' AS table, id FROM agents WHERE workspace_id = :workspace AND id = ANY(:agents::uuid[])
UNION ALL SELECT 'teams', id FROM teams WHERE workspace_id = :workspace AND id = ANY(:teams::uuid[])
UNION ALL SELECT 'tasks', id FROM tasks WHERE workspace_id = :workspace AND id = ANY(:tasks::uuid[])
UNION ALL SELECT 'sessions', id FROM sessions WHERE workspace_id = :workspace AND id = ANY(:sessions::uuid[])
UNION ALL SELECT 'dreams', id FROM dreams WHERE workspace_id = :workspace AND id = ANY(:dreams::uuid[]);

-- name: restore_links
INSERT INTO memory_sources (workspace_id, memory_id, message_id)
SELECT :workspace, l.memory_id, l.message_id
FROM unnest(:memories::uuid[], :messages::uuid[]) AS l(memory_id, message_id)
WHERE EXISTS (SELECT 1 FROM memories WHERE workspace_id = :workspace AND id = l.memory_id)
    AND EXISTS (SELECT 1 FROM messages WHERE workspace_id = :workspace AND id = l.message_id)
ON CONFLICT DO NOTHING;

-- name: unschedule_deleted
DELETE FROM dream_schedule WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[])
RETURNING agent_id, lease_token, dream_id;

-- name: schedule_restored
-- The agents are due, with what they had not dreamed about. Those that come back (``unscheduled``) keep their fencing
-- tokens, so that no dream from before the deletion has a lease again, and the dream that was under way.
INSERT INTO dream_schedule (workspace_id, agent_id, due_at, lease_token, dream_id)
SELECT :workspace, a.id, :now, coalesce(u.lease_token, 0), u.dream_id
FROM agents a
LEFT JOIN unnest(:unscheduled::uuid[], :tokens::bigint[], :dreams::uuid[]) AS u(agent_id, lease_token, dream_id)
    ON u.agent_id = a.id
WHERE a.workspace_id = :workspace AND a.id = ANY(:agents::uuid[])
ON CONFLICT (workspace_id, agent_id) DO UPDATE SET due_at = least(dream_schedule.due_at, excluded.due_at);

-- name: named_deletions
-- Deletions of sessions that show the name of one.
SELECT id, name, agent, restored_at IS NULL AS waiting FROM deletions
WHERE workspace_id = :workspace AND kind = 'session' AND name <> '';

-- name: session_named
SELECT 1 FROM sessions s JOIN agents a ON a.workspace_id = :workspace AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND s.session = :name::text AND a.agent = :agent::text;

-- name: forget_deletion_names
UPDATE deletions SET name = '' WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: note_moved_memories
-- Events of memories that held and are gone (``memory.deleted``) or are back (``memory.restored``).
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), :kind::text, agent_id, owners, id, jsonb_build_object('version', version), :now
FROM memories
WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]) AND deleted_at IS NULL AND superseded_by IS NULL
RETURNING id;
