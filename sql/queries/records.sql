-- fragment: superseded_share
-- Of the memories made of message m: the share that others have superseded, null where it has none.
(
    SELECT avg((d.superseded_by IS NOT NULL)::int)::float8 FROM memories d
    WHERE d.workspace_id = :workspace AND d.deleted_at IS NULL AND d.id = ANY(ARRAY(
        SELECT x.memory_id FROM memory_sources x WHERE x.workspace_id = :workspace AND x.message_id = m.id
    ))
)

-- name: records
-- Memories, messages and parts of documents, in the order of ``ids``; ``for_context``, with what a context has to know.
-- Names come by subqueries: as searches are planned, a join would read all sessions and agents of the workspace.
SELECT found.id AS found_id, m.* {% if with_messages %}, t.* {% endif %} {% if with_documents %}, c.* {% endif %}
FROM unnest(:ids::uuid[]) WITH ORDINALITY AS found(id, n)
LEFT JOIN (
    SELECT r.* {% if for_context %},
        (SELECT s.user_name FROM sessions s WHERE s.workspace_id = :workspace AND s.id = r.session_id) AS session_user,
        ARRAY(SELECT x.message_id FROM memory_sources x WHERE x.workspace_id = :workspace AND x.memory_id = r.id) AS sources,
        EXISTS (SELECT 1 FROM search_index i WHERE i.workspace_id = :workspace AND i.id = r.id AND i.window_summary) AS window_summary
    {% endif %}
    FROM {% include "memory_records" %} AS r
    WHERE r.id = ANY(:ids)
) AS m ON m.id = found.id
{% if with_messages %}
LEFT JOIN (
    SELECT m.id AS message_id, (
            SELECT (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = s.agent_id)
            FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id
        ) AS message_agent,
        (SELECT s.session FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id) AS message_session,
        m.seq AS message_seq, m.role AS message_role, m.content AS message_content, m.content_json AS message_content_json,
        m.name AS message_name, m.tool_call_id AS message_tool_call_id, m.user_name AS message_user,
        m.owners AS message_owners, m.tokens AS message_tokens, m.created_at AS message_created_at
        {% if for_context %}, m.time_zone AS message_time_zone, {% include "superseded_share" %} AS message_superseded {% endif %}
    FROM messages m
    WHERE m.workspace_id = :workspace AND m.id = ANY(:ids)
) AS t ON t.message_id = found.id
{% endif %}
{% if with_documents %}
LEFT JOIN (
    SELECT c.id AS chunk_id, (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = d.agent_id) AS chunk_agent,
        c.document_id AS chunk_document_id, d.title AS chunk_title, c.position AS chunk_position, d.chunks AS chunk_chunks,
        c.content AS chunk_content, d.user_name AS chunk_user, d.metadata AS chunk_metadata, c.tokens AS chunk_tokens,
        d.created_at AS chunk_created_at
    FROM chunks c JOIN documents d ON d.workspace_id = :workspace AND d.id = c.document_id
    WHERE c.workspace_id = :workspace AND c.id = ANY(:ids)
        AND d.id = ANY(ARRAY(SELECT document_id FROM chunks WHERE workspace_id = :workspace AND id = ANY(:ids)))
) AS c ON c.chunk_id = found.id
{% endif %}
ORDER BY found.n;
