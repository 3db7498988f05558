-- A memory as the API shows it: names instead of ids, usage and embedding state beside it. Row-level security
-- of the tables below applies to whoever reads it.
CREATE VIEW memory_records WITH (security_invoker = true) AS
SELECT
    m.workspace_id,
    m.id,
    m.agent_id,
    m.audience,
    m.session_id,
    m.task_id,
    (SELECT a.agent FROM agents a WHERE a.workspace_id = m.workspace_id AND a.id = m.agent_id) AS agent,
    m.type,
    m.scope,
    (SELECT t.team FROM teams t WHERE t.workspace_id = m.workspace_id AND t.id = m.team_id) AS team,
    (SELECT t.task FROM tasks t WHERE t.workspace_id = m.workspace_id AND t.id = m.task_id) AS task,
    (SELECT s.session FROM sessions s WHERE s.workspace_id = m.workspace_id AND s.id = m.session_id) AS session,
    m.user_name AS "user",
    m.key,
    m.content,
    m.summary,
    m.language,
    m.importance,
    reverie_decayed_v1(
        m.importance, m.type, m.decay_exempt, m.created_at, m.reinforced_at,
        CASE WHEN m.type IN ('event', 'observation') THEN (
            SELECT u.last_accessed_at FROM memory_usage u WHERE u.workspace_id = m.workspace_id AND u.memory_id = m.id
        ) END,
        now(),
        coalesce((
            SELECT (s.value -> 'retention' ->> 'decay_days')::integer
            FROM settings s WHERE s.workspace_id = m.workspace_id
        ), 30)
    ) AS effective_importance,
    m.confidence,
    m.tags,
    m.metadata,
    m.source,
    m.status,
    m.decay_exempt,
    coalesce(
        (SELECT CASE WHEN i.embedding_model IS NULL THEN 'pending' ELSE 'ready' END
         FROM search_index i WHERE i.workspace_id = m.workspace_id AND i.id = m.id),
        'none'
    ) AS embedding,
    coalesce(
        (SELECT u.access_count FROM memory_usage u WHERE u.workspace_id = m.workspace_id AND u.memory_id = m.id), 0
    ) AS access_count,
    (SELECT u.last_accessed_at FROM memory_usage u
     WHERE u.workspace_id = m.workspace_id AND u.memory_id = m.id) AS last_accessed_at,
    m.occurred_at,
    m.valid_from,
    m.valid_until,
    m.superseded_by,
    m.expires_at,
    m.created_at,
    m.updated_at,
    m.deleted_at,
    m.version,
    m.dream_id,
    m.tokens
FROM memories m;
