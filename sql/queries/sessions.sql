-- fragment: seen_session
-- Whether the viewer may be shown a session ``s``: nobody is in it, or all of the viewer's users are.
(s.members = '{}' OR s.members @> (SELECT reverie_viewer_v1()))

-- fragment: settings_of_its_agent
(SELECT a.settings FROM agents a WHERE a.workspace_id = :workspace AND a.id = sessions.agent_id)

-- name: lock_session
-- The session's row under its lock: sequence numbers are given out while it is held.
SELECT window_seq
FROM sessions
WHERE workspace_id = :workspace AND id = :id
FOR UPDATE;

-- name: lock_named_session
-- The same for the agent's session of that name, with the agent's settings.
SELECT id, agent_id, members, last_seq, window_seq, window_from_seq, window_started_at, last_message_at,
    {% include "settings_of_its_agent" %} AS agent_settings
FROM sessions
WHERE workspace_id = :workspace AND session = :session
    AND agent_id = (SELECT a.id FROM agents a WHERE a.workspace_id = :workspace AND a.agent = :agent)
FOR UPDATE;

-- name: begin_named_session
-- The same for one that was not there yet, of an agent that is: nothing where it has been made meanwhile.
WITH sessions AS (
    INSERT INTO sessions (workspace_id, id, agent_id, session, user_name, members)
    SELECT a.workspace_id, :id, a.id, :session, :user, array_remove(ARRAY[:user], NULL) FROM agents a WHERE a.workspace_id = :workspace AND a.agent = :agent
    ON CONFLICT (workspace_id, agent_id, session) DO NOTHING
    RETURNING id, agent_id, members, last_seq, window_seq, window_from_seq, window_started_at, last_message_at
)
SELECT sessions.*, {% include "settings_of_its_agent" %} AS agent_settings FROM sessions;

-- name: append_messages
-- Insert messages numbered from ``first_seq`` in the order given, and move the session on; how full its window is then.
WITH item AS (
    SELECT m.*
    FROM ROWS FROM (jsonb_to_recordset(:items::jsonb) AS (
        id uuid, role text, content text, content_json jsonb, name text, tool_call_id text, user_name text,
        tokens integer, created_at timestamptz, searchable boolean, time_zone text
    )) WITH ORDINALITY AS m(id, role, content, content_json, name, tool_call_id, user_name, tokens, created_at, searchable, time_zone, ordinality)
), inserted AS (
    INSERT INTO messages (
        workspace_id, id, session_id, seq, role, content, content_json, name, tool_call_id, user_name, owners, tokens,
        created_at, key_id, searchable, time_zone
    )
    SELECT :workspace, id, :session_id, :first_seq::bigint + ordinality - 1, role, content, content_json, name,
        tool_call_id, user_name, :owners::text[], tokens, coalesce(created_at, :now), :key_id::uuid, searchable, time_zone
    FROM item
    RETURNING *
), moved AS (
    UPDATE sessions SET
        last_seq = last_seq + (SELECT count(*) FROM item),
        last_message_at = :now,
        window_seq = :window_seq,
        window_from_seq = :window_from_seq,
        window_started_at = :window_started_at,
        user_name = coalesce(user_name, :user),
        members = :members
    WHERE workspace_id = :workspace AND id = :session_id
), shown AS (
    SELECT count(*) AS messages, coalesce(sum(tokens), 0) AS tokens
    FROM messages WHERE workspace_id = :workspace AND session_id = :session_id AND seq >= :window_seq
)
SELECT i.id, i.seq, i.role, coalesce(i.content_json, to_jsonb(i.content)) AS content, i.name, i.tool_call_id,
    i.user_name AS "user", i.owners, i.tokens, i.created_at,
    shown.messages + count(*) OVER () AS window_messages, shown.tokens + sum(i.tokens) OVER () AS window_tokens
FROM inserted i, shown ORDER BY i.seq;

-- name: index_messages
-- Make the words of messages searchable: search rows and posting lists, for the agent of their session.
WITH item AS (
    SELECT i.*, s.agent_id AS audience, m.session_id, m.seq, m.user_name, m.owners, m.created_at, c.configuration,
        x.lexemes, {% include "word_count" %} AS length
    FROM jsonb_to_recordset(:items::jsonb) AS i(
        ordinal integer, id uuid, lexical text, language text, words smallint, speaker text, asks boolean,
        question_share real
    )
    JOIN messages m ON m.workspace_id = :workspace AND m.id = i.id
    JOIN sessions s ON s.workspace_id = :workspace AND s.id = m.session_id
    CROSS JOIN LATERAL (SELECT s.agent_id) AS owner(agent_id) {% include "lexemes_of" %}
), indexed AS (
    INSERT INTO search_index (
        workspace_id, id, kind, audience, type, scope, user_name, owners, session_id, happened_at, created_at, valid_from,
        previous, length, words, speaker, asks, question_share, embedding_model, {{ vector_column }}
    )
    SELECT :workspace, i.id, 1, i.audience, 'message', 'agent', i.user_name, i.owners, i.session_id, i.created_at, i.created_at,
        i.created_at,
        (SELECT p.id FROM messages p
         WHERE p.workspace_id = :workspace AND p.session_id = i.session_id AND p.seq = i.seq - 1),
        i.length, i.words, i.speaker, i.asks, i.question_share,
        CASE WHEN e.embedding IS NULL THEN NULL ELSE :model::smallint END, e.embedding
    FROM item i LEFT JOIN unnest(:embeddings::{{ vector_type }}[]) WITH ORDINALITY AS e(embedding, n) ON e.n = i.ordinal
    ON CONFLICT DO NOTHING
    RETURNING id
), spoken AS (
    INSERT INTO audience_languages (workspace_id, audience, language)
    SELECT DISTINCT :workspace, audience, configuration FROM item WHERE configuration <> 'english'
    ORDER BY audience, configuration
    ON CONFLICT DO NOTHING
), posted AS (
    INSERT INTO search_terms (workspace_id, term, id, frequency, length)
    SELECT DISTINCT ON (2, 3)
        :workspace::uuid, reverie_term_v1(i.audience, 1::smallint, l.lexeme), i.id, l.frequency, i.length
    FROM indexed JOIN item i USING (id), LATERAL (
        SELECT lexeme, coalesce(cardinality(positions), 1) FROM unnest(i.lexemes)
        UNION ALL
        SELECT facet, 1 FROM unnest(reverie_facets_v1(NULL, i.user_name, NULL, i.owners)) AS f(facet)
    ) AS l(lexeme, frequency)
    ORDER BY 2, 3
    RETURNING id
)
SELECT 1;

-- name: find_session
SELECT s.id, s.session, a.agent, s.user_name AS "user", s.last_seq AS messages, s.window_seq, s.window_started_at,
    s.last_message_at, s.created_at, a.settings AS agent_settings
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND a.agent = :agent AND s.session = :session AND {% include "seen_session" %};

-- name: members_of_session
-- The members of a session by its name: who names it alone is shown what belongs to all of them.
SELECT s.members FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace AND a.agent = :agent AND s.session = :session;

-- name: list_sessions
SELECT s.id, s.session, a.agent, s.user_name AS "user", s.last_seq AS messages, s.last_message_at, s.created_at
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:user::text IS NULL OR :user = ANY(s.members)) AND {% include "seen_session" %}
    AND (:text::text IS NULL OR position(lower(:text) IN lower(s.session)) > 0 OR EXISTS (
        SELECT 1 FROM messages m
        WHERE m.workspace_id = :workspace AND m.session_id = s.id AND position(lower(:text) IN lower(m.content)) > 0))
    AND (:before::uuid IS NULL OR s.id < :before)
ORDER BY s.id DESC
LIMIT :limit;

-- name: session_messages
-- The permanent history, forwards from ``after`` or backwards from ``before``.
SELECT id, seq, role, coalesce(content_json, to_jsonb(content)) AS content, name, tool_call_id, user_name AS "user", owners,
    tokens, created_at
FROM messages
WHERE workspace_id = :workspace AND session_id = :session_id AND seq > :after AND seq < :before
    AND (:text::text IS NULL OR position(lower(:text) IN lower(content)) > 0)
ORDER BY seq {% if descending %} DESC {% endif %}
LIMIT :limit;

-- name: session_members
-- The members of sessions, for whom what is said there now is said.
SELECT id, members FROM sessions WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: message_seq
SELECT seq FROM messages WHERE workspace_id = :workspace AND session_id = :session_id AND id = :message_id;

-- name: clear_window
-- The next message starts a fresh window; history and memories stay.
UPDATE sessions SET window_seq = last_seq + 1, window_from_seq = last_seq + 1, window_started_at = NULL
WHERE workspace_id = :workspace AND id = :id;

-- name: message_memories
-- The memories made of a message.
SELECT r.*
FROM memory_sources s JOIN {% include "memory_records" %} r ON r.workspace_id = s.workspace_id AND r.id = s.memory_id
WHERE s.workspace_id = :workspace AND s.message_id = :message_id AND r.deleted_at IS NULL
ORDER BY r.id;

-- name: message_agent
-- The agent whose session holds a message.
SELECT a.agent
FROM messages m
JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE m.workspace_id = :workspace AND m.id = :message_id;

-- name: session_by_id
SELECT s.id, s.agent_id, s.session, s.user_name, s.last_seq, s.window_seq
FROM sessions s WHERE s.workspace_id = :workspace AND s.id = :id;

-- name: window_messages
-- What is in the window, oldest first.
SELECT m.id, m.seq, m.role, coalesce(m.content_json, to_jsonb(m.content)) AS content, m.name, m.tool_call_id,
    m.user_name AS "user", m.owners, m.tokens, m.created_at
FROM sessions s JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.seq >= s.window_seq
WHERE s.workspace_id = :workspace AND s.id = :session_id
ORDER BY m.seq;

-- name: full_windows
-- Sessions of the agent with more in their window than is allowed.
SELECT s.id
FROM sessions s
CROSS JOIN LATERAL (
    SELECT count(*) AS messages, coalesce(sum(m.tokens), 0) AS tokens
    FROM messages m WHERE m.workspace_id = :workspace AND m.session_id = s.id AND m.seq >= s.window_seq
) w
WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND s.window_seq <= s.last_seq
    AND (w.messages > :messages_max OR w.tokens > :tokens_max) AND w.messages > 1
ORDER BY s.id;

-- name: add_window_summary
WITH kept AS (
    INSERT INTO window_summaries (workspace_id, session_id, from_seq, to_seq, memory_id)
    VALUES (:workspace, :session_id, :from_seq, :to_seq, :memory_id)
    ON CONFLICT (workspace_id, session_id, from_seq) DO UPDATE
        SET to_seq = excluded.to_seq, memory_id = excluded.memory_id
    RETURNING session_id, from_seq, to_seq, memory_id
), marked AS (
    UPDATE search_index SET window_summary = true WHERE workspace_id = :workspace AND id = :memory_id RETURNING id
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'window.compacted', s.agent_id, m.owners, k.session_id,
    jsonb_build_object('from_seq', k.from_seq, 'to_seq', k.to_seq, 'memory_id', k.memory_id), clock_timestamp()
FROM kept k JOIN sessions s ON s.workspace_id = :workspace AND s.id = k.session_id
JOIN memories m ON m.workspace_id = :workspace AND m.id = k.memory_id
RETURNING id;

-- name: move_window
UPDATE sessions SET window_seq = :seq WHERE workspace_id = :workspace AND id = :id;

-- name: window_summaries
-- Summaries of what has left the present window, oldest first; deleted ones say nothing.
SELECT w.memory_id, w.from_seq, w.to_seq, m.content, m.tokens
FROM window_summaries w
JOIN sessions s ON s.workspace_id = w.workspace_id AND s.id = w.session_id
JOIN memories m ON m.workspace_id = w.workspace_id AND m.id = w.memory_id
WHERE w.workspace_id = :workspace AND w.session_id = :session_id
    AND w.from_seq >= s.window_from_seq AND w.to_seq < s.window_seq AND m.deleted_at IS NULL
ORDER BY w.from_seq;

-- name: ask_to_compact
-- A window is full: a worker is to look at the agent's windows now, if nobody has asked yet. A row that a dream has
-- locked to commit is left alone: it folds windows when it is done, and may be waiting for this very session.
UPDATE dream_schedule SET compact_at = :now
WHERE (workspace_id, agent_id) IN (
    SELECT workspace_id, agent_id FROM dream_schedule
    WHERE workspace_id = :workspace AND agent_id = :agent_id AND (compact_at IS NULL OR compact_at > :now)
    FOR UPDATE SKIP LOCKED
);

-- name: claim_compaction
-- Take an agent with a full window, of the workspace served longest ago. It is taken again after a while if whoever
-- took it does not get done.
WITH tenant AS MATERIALIZED (
    SELECT workspace_id, max(folded_at) AS served_at FROM dream_schedule
    WHERE workspace_id IN (SELECT workspace_id FROM dream_schedule WHERE compact_at <= :now)
    GROUP BY workspace_id
)
UPDATE dream_schedule s SET compact_at = :until::timestamptz, folded_at = now()
FROM (
    SELECT d.workspace_id, d.agent_id
    FROM dream_schedule d JOIN tenant t ON t.workspace_id = d.workspace_id
    WHERE d.compact_at <= :now
    ORDER BY t.served_at NULLS FIRST, d.compact_at
    LIMIT 1
    FOR UPDATE OF d SKIP LOCKED
) next
WHERE s.workspace_id = next.workspace_id AND s.agent_id = next.agent_id
RETURNING s.workspace_id, s.agent_id, s.compact_at;

-- name: finish_compaction
-- Done, unless another window has filled meanwhile.
UPDATE dream_schedule SET compact_at = NULL
WHERE workspace_id = :workspace AND agent_id = :agent_id AND compact_at = :claimed;
