-- name: find_scopes
-- What there is of the agents (with their own setting ``users``), sessions (with the agent of each), teams and tasks of
-- these names.
SELECT 'agent' AS kind, a.agent AS name, NULL::uuid AS agent_id, a.id, a.settings ->> 'users' AS users
FROM agents a
WHERE a.workspace_id = :workspace AND a.agent = ANY(:agents::text[])
UNION ALL
SELECT 'session', s.session, s.agent_id, s.id, NULL
FROM unnest(:session_agents::text[], :sessions::text[]) AS w(agent, session)
JOIN agents a ON a.workspace_id = :workspace AND a.agent = w.agent
JOIN sessions s ON s.workspace_id = :workspace AND s.agent_id = a.id AND s.session = w.session
UNION ALL
SELECT 'team', t.team, NULL, t.id, NULL FROM teams t WHERE t.workspace_id = :workspace AND t.team = ANY(:teams::text[])
UNION ALL
SELECT 'task', t.task, NULL, t.id, NULL FROM tasks t WHERE t.workspace_id = :workspace AND t.task = ANY(:tasks::text[]);

-- name: ensure_agent
-- The agent's id, made (and put on the dream schedule) on first use.
WITH made AS (
    INSERT INTO agents (workspace_id, id, agent, prime_audience)
    VALUES (:workspace, :id, :agent, :prime_audience)
    ON CONFLICT (workspace_id, agent) DO NOTHING
    RETURNING id
), scheduled AS (
    INSERT INTO dream_schedule (workspace_id, agent_id, due_at)
    SELECT :workspace, id, 'infinity' FROM made
    ON CONFLICT DO NOTHING
)
SELECT id FROM made
UNION ALL
SELECT id FROM agents WHERE workspace_id = :workspace AND agent = :agent
LIMIT 1;

-- name: hold_agent
-- Keep an agent from being deleted for the rest of the transaction; nothing where it is gone.
SELECT 1 FROM agents WHERE workspace_id = :workspace AND id = :id FOR KEY SHARE;

-- name: get_agent
SELECT a.id, a.agent, a.name, a.prime, a.prime_audience, a.settings, a.created_at,
    coalesce((
        SELECT array_agg(t.team ORDER BY t.team)
        FROM team_members m JOIN teams t ON t.workspace_id = :workspace AND t.id = m.team_id
        WHERE m.workspace_id = :workspace AND m.agent_id = a.id
    ), '{}') AS teams
FROM agents a
WHERE a.workspace_id = :workspace AND a.agent = :agent;

-- name: list_agents
SELECT a.id, a.agent, a.name, a.prime, a.settings, a.created_at,
    coalesce((
        SELECT array_agg(t.team ORDER BY t.team)
        FROM team_members m JOIN teams t ON t.workspace_id = :workspace AND t.id = m.team_id
        WHERE m.workspace_id = :workspace AND m.agent_id = a.id
    ), '{}') AS teams
FROM agents a
WHERE a.workspace_id = :workspace
    AND (:only::text IS NULL OR a.agent = :only)
    AND (:text::text IS NULL OR position(lower(:text) IN lower(a.agent)) > 0)
    AND (:after::text IS NULL OR a.agent > :after)
ORDER BY a.agent
LIMIT :limit;

-- name: change_agent
-- Set what is given, keep the rest.
UPDATE agents SET
    name = CASE WHEN :set_name::boolean THEN :name ELSE name END,
    prime = coalesce(:prime::boolean, prime),
    settings = coalesce(:settings::jsonb, settings)
WHERE workspace_id = :workspace AND id = :id;

-- name: clear_teams
DELETE FROM team_members WHERE workspace_id = :workspace AND agent_id = :agent_id;

-- name: join_team
INSERT INTO team_members (workspace_id, agent_id, team_id) VALUES (:workspace, :agent_id, :team_id)
ON CONFLICT DO NOTHING;

-- name: ensure_team
WITH made AS (
    INSERT INTO teams (workspace_id, id, team) VALUES (:workspace, :id, :name)
    ON CONFLICT (workspace_id, team) DO NOTHING
    RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM teams WHERE workspace_id = :workspace AND team = :name LIMIT 1;

-- name: ensure_task
WITH made AS (
    INSERT INTO tasks (workspace_id, id, task) VALUES (:workspace, :id, :name)
    ON CONFLICT (workspace_id, task) DO NOTHING
    RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM tasks WHERE workspace_id = :workspace AND task = :name LIMIT 1;

-- fragment: task_records
-- Tasks by name; ``members`` is null for one that is open to whoever names it.
(
    SELECT t.id, t.task, CASE WHEN t.members_only THEN ARRAY(
        SELECT a.agent FROM task_members m JOIN agents a ON a.workspace_id = :workspace AND a.id = m.agent_id
        WHERE m.workspace_id = :workspace AND m.task_id = t.id
        ORDER BY a.agent
    ) END AS members
    FROM tasks t WHERE t.workspace_id = :workspace
)

-- name: get_task
-- Nothing for an agent (``only``) that is not a declared member.
SELECT t.task, t.members FROM {% include "task_records" %} AS t
WHERE t.task = :task AND (:only::text IS NULL OR :only = ANY(t.members));

-- name: list_tasks
SELECT t.task, t.members FROM {% include "task_records" %} AS t
WHERE (:only::text IS NULL OR :only = ANY(t.members)) AND (:after::text IS NULL OR t.task > :after)
ORDER BY t.task
LIMIT :limit;

-- name: restrict_task
-- Whether only its members may name a task.
UPDATE tasks SET members_only = :members_only WHERE workspace_id = :workspace AND id = :task_id;

-- name: clear_task
DELETE FROM task_members WHERE workspace_id = :workspace AND task_id = :task_id;

-- name: join_task
INSERT INTO task_members (workspace_id, task_id, agent_id)
SELECT :workspace, :task_id, unnest(:agent_ids::uuid[])
ON CONFLICT DO NOTHING;

-- name: barred_from_tasks
-- Of agents and the tasks they name, those where the task has declared members and the agent is none of them.
SELECT w.agent, w.task
FROM unnest(:agents::text[], :tasks::text[]) AS w(agent, task)
JOIN tasks t ON t.workspace_id = :workspace AND t.task = w.task AND t.members_only
WHERE NOT EXISTS (
    SELECT FROM task_members m JOIN agents a ON a.workspace_id = :workspace AND a.id = m.agent_id
    WHERE m.workspace_id = :workspace AND m.task_id = t.id AND a.agent = w.agent
);

-- name: ensure_session
WITH made AS (
    INSERT INTO sessions (workspace_id, id, agent_id, session, user_name, members)
    VALUES (:workspace, :id, :agent_id, :name, :user, array_remove(ARRAY[:user], NULL))
    ON CONFLICT (workspace_id, agent_id, session) DO NOTHING
    RETURNING id
)
SELECT id FROM made
UNION ALL
SELECT id FROM sessions WHERE workspace_id = :workspace AND agent_id = :agent_id AND session = :name
LIMIT 1;

-- fragment: reader_scope
-- The resolved reader: the agent's id and every audience it may read, with the task and session it names, the
-- workspace's settings and the agent's, the languages in use in the audiences, how many rows of each kind were counted in which of them
-- and which part of the HNSW index has them, and the embedding model in use, its noise level and whether it is being
-- changed.
-- ``session_id``, with the ``members`` of the session, and ``task_id`` are null when the name is unknown, and ``task_id`` also when the task has members and
-- the agent is none of them. Not materialized, the audiences would be worked out anew wherever they are used.
(
    WITH r AS MATERIALIZED (
        SELECT
            a.agent_id,
            a.session_id,
            a.members,
            a.task_id,
            (SELECT value FROM settings WHERE workspace_id = :workspace) AS settings,
            a.agent_settings,
            array_remove(
                ARRAY[a.agent_id, a.prime_audience, a.session_id, a.task_id]
                || ARRAY(
                    SELECT m.team_id FROM team_members m
                    WHERE m.workspace_id = :workspace AND m.agent_id = a.agent_id
                    ORDER BY m.team_id
                )
                || CASE WHEN a.prime
                    THEN ARRAY(
                        SELECT p.prime_audience FROM agents p
                        WHERE p.workspace_id = :workspace AND p.id <> a.agent_id
                        ORDER BY p.id
                    )
                    ELSE '{}'::uuid[] END,
                NULL
            ) AS audiences
        FROM (
            SELECT id AS agent_id, prime, prime_audience, settings AS agent_settings,
                (SELECT s.id FROM sessions s
                 WHERE s.workspace_id = :workspace AND s.agent_id = agents.id AND s.session = :session) AS session_id,
                (SELECT s.members FROM sessions s
                 WHERE s.workspace_id = :workspace AND s.agent_id = agents.id AND s.session = :session) AS members,
                (SELECT t.id FROM tasks t
                 WHERE t.workspace_id = :workspace AND t.task = :task
                    AND (NOT t.members_only OR EXISTS (
                        SELECT FROM task_members m
                        WHERE m.workspace_id = :workspace AND m.task_id = t.id AND m.agent_id = agents.id
                    ))) AS task_id
            FROM agents
            WHERE workspace_id = :workspace AND agent = :agent
        ) AS a
    )
    SELECT r.*, counted.*, ARRAY(
            SELECT 'english'
            UNION
            SELECT l.language FROM audience_languages l
            WHERE l.workspace_id = :workspace AND l.audience = ANY(r.audiences)
            ORDER BY 1
        ) AS languages, (SELECT active FROM embedding_state) AS model,
        (SELECT next IS NOT NULL OR moving FROM embedding_state) AS changing_model,
        (SELECT m.noise FROM embedding_models m WHERE m.id = (SELECT active FROM embedding_state)) AS noise
    FROM r, LATERAL (
        SELECT coalesce(array_agg(c.audience ORDER BY c.audience, c.kind), '{}') AS counted_audiences,
            coalesce(array_agg(c.kind ORDER BY c.audience, c.kind), '{}') AS counted_kinds,
            coalesce(array_agg(c.rows ORDER BY c.audience, c.kind), '{}') AS counted_rows,
            coalesce(array_agg(c.part ORDER BY c.audience, c.kind), '{}') AS parts
        FROM audience_rows c
        WHERE c.workspace_id = :workspace AND c.audience = ANY(r.audiences)
    ) AS counted
)

-- name: reader
-- Nothing for a key that is ``known`` and holds no more.
SELECT e.* FROM {% include "reader_scope" %} AS e {% if known %} WHERE {% include "credential_is_current" %} {% endif %};
