-- fragment: said_in
-- The session of a message ``m``, by name.
(SELECT s.session FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id)

-- fragment: said_to
-- The agent of that session.
(SELECT (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = s.agent_id)
     FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id)

-- fragment: owner
-- The agent of a document ``d``.
(SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = d.agent_id)

-- fragment: told
-- What a context tells of what was found: memories, messages and parts of documents.
SELECT 'memory' AS kind, m.id, (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = m.agent_id) AS agent,
        m.content, NULL::jsonb AS content_json, m.user_name AS "user", m.tokens, m.type, m.status, m.occurred_at,
        NULL AS session, NULL AS role, NULL AS name, NULL::timestamptz AS created_at, NULL AS title, NULL::integer AS position,
        NULL::integer AS chunks
    FROM memories m
    WHERE m.workspace_id = :workspace AND m.id = ANY(ARRAY(SELECT id FROM ranked))
    UNION ALL
    SELECT 'message', m.id, :(said_to), m.content, m.content_json, m.user_name, m.tokens, NULL, NULL, NULL, :(said_in),
        m.role, m.name, m.created_at, NULL, NULL, NULL
    FROM messages m
    WHERE m.workspace_id = :workspace AND m.id = ANY(ARRAY(SELECT id FROM ranked))
    UNION ALL
    SELECT 'document', c.id, :(owner), c.content, NULL, d.user_name, c.tokens, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        d.title, c.position, d.chunks
    FROM chunks c JOIN documents d ON d.workspace_id = :workspace AND d.id = c.document_id
    WHERE c.workspace_id = :workspace AND c.id = ANY(ARRAY(SELECT id FROM ranked)) AND d.id = ANY(ARRAY(
        SELECT document_id FROM chunks WHERE workspace_id = :workspace AND id = ANY(ARRAY(SELECT id FROM ranked))))

-- name: found_messages
-- Messages that a search found. Names come by subqueries, here and above: as searches are planned, a join would read all
-- sessions and agents of the workspace.
SELECT m.id, :(said_to) AS agent, :(said_in) AS session, m.seq, m.role, m.content, m.content_json, m.name, m.tool_call_id,
    m.user_name AS "user", m.tokens, m.created_at
FROM messages m
WHERE m.workspace_id = :workspace AND m.id = ANY(:ids::uuid[]);

-- name: found_chunks
-- Parts of documents that a search found.
SELECT c.id, :(owner) AS agent, c.document_id, d.title, c.position, d.chunks, c.content, d.user_name AS "user", d.metadata,
    c.tokens, d.created_at
FROM chunks c
JOIN documents d ON d.workspace_id = :workspace AND d.id = c.document_id
WHERE c.workspace_id = :workspace AND c.id = ANY(:ids::uuid[])
    AND d.id = ANY(ARRAY(SELECT document_id FROM chunks WHERE workspace_id = :workspace AND id = ANY(:ids)));
