-- name: purge_one_at_a_time
SELECT pg_advisory_xact_lock(hashtextextended(:workspace::uuid::text, 0));

-- name: subject_agents
-- The agents that know a user: by its sessions, by messages in them, or by memories or proposals about it or of its own.
SELECT s.agent_id FROM sessions s
WHERE s.workspace_id = :workspace AND (s.user_name = ANY(:users::text[]) OR s.members && :users OR EXISTS (
    SELECT 1 FROM messages m
    WHERE m.workspace_id = :workspace AND m.session_id = s.id
        AND (m.user_name = ANY(:users) OR (m.role = 'user' AND m.name = ANY(:users)))))
UNION
SELECT m.agent_id FROM memories m WHERE m.workspace_id = :workspace AND m.user_name = ANY(:users)
UNION
SELECT m.agent_id FROM memories m WHERE m.workspace_id = :workspace AND m.hearsay_by = ANY(:users)
UNION
SELECT m.agent_id FROM memories m WHERE m.workspace_id = :workspace AND m.owners && :users
UNION
SELECT e.agent_id FROM entities e WHERE e.workspace_id = :workspace AND e.owners && :users
UNION
SELECT b.agent_id FROM bulletins b WHERE b.workspace_id = :workspace AND b.owners && :users
UNION
SELECT p.agent_id FROM proposals p
WHERE p.workspace_id = :workspace AND (p.user_name = ANY(:users) OR p.hearsay_by = ANY(:users) OR p.owners && :users);

-- name: break_leases
-- Whoever dreams for these agents now has lost its lease, and cannot commit what it has read.
UPDATE dream_schedule s SET
    lease_token = s.lease_token + 1, lease_owner = NULL, lease_until = NULL, due_at = least(s.due_at, :now)
FROM (
    SELECT workspace_id, agent_id FROM dream_schedule
    WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[])
    ORDER BY agent_id FOR UPDATE
) l
WHERE s.workspace_id = l.workspace_id AND s.agent_id = l.agent_id;

-- name: subject_messages
-- The messages of a user: those that belong to it alone; its own; those in anybody's session that are said under its name (by role user), and what is
-- said after them by other roles; and those without a user that stand after one of its own (the answers to it) or in a
-- session that is its own.
SELECT id, session_id, seq, role, coalesce(content_json, to_jsonb(content)) AS content, name, tool_call_id, tokens,
    created_at
FROM (
    SELECT m.*, coalesce(m.user_name, before.user_name, s.user_name) AS speaker,
        CASE m.role WHEN 'user' THEN m.name ELSE asked.name END AS under_name
    FROM sessions s
    JOIN messages m ON m.workspace_id = :workspace AND m.session_id = s.id
    LEFT JOIN LATERAL (
        SELECT b.user_name FROM messages b
        WHERE b.workspace_id = :workspace AND b.session_id = m.session_id AND b.seq < m.seq
            AND b.user_name IS NOT NULL AND m.user_name IS NULL
        ORDER BY b.seq DESC LIMIT 1
    ) before ON true
    LEFT JOIN LATERAL (
        SELECT b.name FROM messages b
        WHERE b.workspace_id = :workspace AND b.session_id = m.session_id AND b.seq < m.seq
            AND b.role = 'user' AND m.role <> 'user'
        ORDER BY b.seq DESC LIMIT 1
    ) asked ON true
    WHERE s.workspace_id = :workspace AND (s.user_name = ANY(:users::text[]) OR s.members && :users OR EXISTS (
        SELECT 1 FROM messages o
        WHERE o.workspace_id = :workspace AND o.session_id = s.id
            AND (o.user_name = ANY(:users) OR (o.role = 'user' AND o.name = ANY(:users)))))
) spoken
WHERE speaker = ANY(:users) OR under_name = ANY(:users) OR (owners <> '{}' AND owners <@ :users)
ORDER BY session_id, seq;

-- name: subject_aliases
-- What the person of one of these names goes by, without what another person or another user is called as well.
SELECT DISTINCT n.alias FROM entity_aliases a
JOIN entity_aliases n ON n.workspace_id = :workspace AND n.entity_id = a.entity_id AND n.kind = 'person'
WHERE a.workspace_id = :workspace AND a.alias = ANY(:aliases::text[]) AND a.kind = 'person'
    AND NOT n.alias = ANY(:aliases)
    AND NOT EXISTS (
        SELECT 1 FROM entity_aliases o
        WHERE o.workspace_id = :workspace AND o.alias = n.alias AND o.kind = 'person' AND NOT EXISTS (
            SELECT 1 FROM entity_aliases h
            WHERE h.workspace_id = :workspace AND h.entity_id = o.entity_id AND h.kind = 'person'
                AND h.alias = ANY(:aliases)))
    AND NOT EXISTS (
        SELECT 1 FROM memories u WHERE u.workspace_id = :workspace AND lower(u.user_name) = n.alias)
    AND NOT EXISTS (
        SELECT 1 FROM sessions u WHERE u.workspace_id = :workspace AND lower(u.user_name) = n.alias);

-- name: subject_memories
-- Memories that belong to a user, are about it or refer to it, once for each reason why. ``former``: only an earlier version
-- does, or it belongs to others as well.
-- What lies in or refers to a session of the user, but comes from what somebody else said there, is not among them; and what a
-- dream read in a statement (slot, value) is no reference.
WITH hers AS MATERIALIZED (
    SELECT id, agent_id, session FROM sessions WHERE workspace_id = :workspace AND user_name = ANY(:users::text[])
), held AS MATERIALIZED (
    SELECT id, agent_id, CASE WHEN dream_id IS NULL THEN source ELSE source - '{slot,value}'::text[] END AS source, metadata,
        user_name, false AS former
    FROM memories WHERE workspace_id = :workspace
    UNION ALL
    SELECT m.id, m.agent_id,
        CASE WHEN m.dream_id IS NULL THEN v.record -> 'source' ELSE (v.record -> 'source') - '{slot,value}'::text[] END, v.record -> 'metadata', v.record ->> 'user', true
    FROM memory_versions v JOIN memories m ON m.workspace_id = :workspace AND m.id = v.memory_id
    WHERE v.workspace_id = :workspace
), in_session AS (
    SELECT m.id, false AS former FROM memories m JOIN hers ON hers.id = m.session_id WHERE m.workspace_id = :workspace
    UNION
    SELECT h.id, h.former FROM held h
    WHERE h.source <> '{}' AND EXISTS (SELECT 1 FROM hers) AND (
        EXISTS (
            SELECT 1 FROM jsonb_path_query(h.source, 'strict $.** ? (@.type() == "string")') AS v(value)
            WHERE v.value #>> '{}' IN (SELECT hers.id::text FROM hers))
        OR EXISTS (
            SELECT 1 FROM (
                SELECT jsonb_path_query(h.source, 'lax $.**.session[*]') AS value
                UNION ALL SELECT jsonb_path_query(h.source, 'lax $.**.session_id[*]')
            ) v JOIN hers ON hers.agent_id = h.agent_id AND hers.session = v.value #>> '{}'))
)
SELECT id, 'user' AS why, former FROM held WHERE user_name = ANY(:users)
UNION
SELECT id, 'owner', NOT owners <@ :users FROM memories WHERE workspace_id = :workspace AND owners && :users
UNION
SELECT m.id, 'person', false FROM memories m
WHERE m.workspace_id = :workspace AND m.user_name IS NULL AND EXISTS (
    SELECT 1 FROM edges e
    JOIN entity_aliases a ON a.workspace_id = :workspace AND a.entity_id = e.target_id
    WHERE e.workspace_id = :workspace AND e.source_id = m.id AND e.relation = 'about'
        AND a.alias = ANY(:aliases::text[]) AND a.kind = 'person')
UNION
SELECT m.id, 'hearsay', false FROM memories m WHERE m.workspace_id = :workspace AND m.hearsay_by = ANY(:users)
UNION
SELECT h.id, 'source', h.former FROM held h
WHERE h.source <> '{}' AND EXISTS (
    SELECT 1 FROM jsonb_path_query(h.source, 'strict $.** ? (@.type() == "string")') AS v(value)
    WHERE v.value #>> '{}' = ANY(:users) OR lower(v.value #>> '{}') = ANY(:nicknames::text[]))
UNION
SELECT h.id, 'metadata', h.former FROM held h
WHERE h.metadata <> '{}' AND EXISTS (
    SELECT 1 FROM (
        SELECT jsonb_path_query(h.metadata, 'lax $.**.user[*]') AS value
        UNION ALL SELECT jsonb_path_query(h.metadata, 'lax $.**.user_id[*]')
        UNION ALL SELECT jsonb_path_query(h.metadata, 'lax $.**.email[*]')
    ) v
    WHERE v.value #>> '{}' = ANY(:users) OR lower(v.value #>> '{}') = ANY(:nicknames))
UNION
SELECT i.id, 'session', i.former FROM in_session i
WHERE NOT EXISTS (
    SELECT 1 FROM memory_sources x
    WHERE x.workspace_id = :workspace AND x.memory_id = i.id AND NOT x.message_id = ANY(:messages::uuid[]));

-- name: subject_proposals
-- Proposals, and whether each is the user's alone, about the user, of the user's word, or made of one of these messages.
SELECT p.id, p.agent_id, p.content || ' ' || p.metadata::text AS content,
    coalesce(p.user_name = ANY(:users::text[]), false) OR coalesce(p.hearsay_by = ANY(:users), false)
        OR p.message_ids && :messages::uuid[] OR (p.owners <> '{}' AND p.owners <@ :users) AS own
FROM proposals p
WHERE p.workspace_id = :workspace
ORDER BY p.id;

-- name: purge_locks_proposals
-- In the order in which all lock proposals, after the leases of their agents and before any memory.
SELECT 1 FROM proposals
WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[])
ORDER BY fingerprint, id
FOR UPDATE;

-- name: purge_proposals
DELETE FROM proposals WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: subject_export_proposals
SELECT p.id, a.agent, p.status, p.type, p.content, p.user_name AS "user", p.hearsay_by, p.importance, p.confidence, p.tags,
    p.source, p.metadata, p.message_ids, p.reason, p.said_at, p.occurred_at, p.occurred_until, p.memory_id, p.dream_id, p.decided_by, p.decided_at,
    p.created_at
FROM proposals p JOIN agents a ON a.workspace_id = p.workspace_id AND a.id = p.agent_id
WHERE p.workspace_id = :workspace AND p.id = ANY(:ids::uuid[])
ORDER BY p.id;

-- name: origins
-- Where memories come from: every (memory, origin) pair of which an origin is among the messages or memories given, and
-- the other origins of the same memories. An origin is a message, or a memory that this one sums up or replaced;
-- but a user's own word does not come from what it replaced of others.
WITH pair AS (
    SELECT x.memory_id, x.message_id AS origin FROM memory_sources x WHERE x.workspace_id = :workspace
    UNION
    SELECT r.id, m.id
    FROM memories m JOIN memories r ON r.workspace_id = :workspace AND r.id = m.superseded_by
    WHERE m.workspace_id = :workspace AND m.hearsay_by IS NULL
        AND (m.user_name IS NOT DISTINCT FROM r.user_name OR r.source ->> 'kind' = 'summary')
    UNION
    SELECT m.id, x.id
    FROM memories m, messages x
    WHERE m.workspace_id = :workspace AND m.source -> 'message_ids' ?| :message_texts::text[]
        AND x.workspace_id = m.workspace_id AND m.source -> 'message_ids' ? x.id::text
)
SELECT p.memory_id, p.origin FROM pair p
WHERE p.memory_id IN (
    SELECT q.memory_id FROM pair q WHERE q.origin = ANY(:messages::uuid[]) OR q.origin = ANY(:memories::uuid[]));

-- name: texts_of
-- What messages and memories say.
SELECT id, content FROM messages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[])
UNION ALL
SELECT id, content FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: mentioning_memories
-- Memories of others that mention the person of that name.
SELECT DISTINCT e.source_id AS id FROM edges e
JOIN entity_aliases a ON a.workspace_id = e.workspace_id AND a.entity_id = e.target_id
WHERE e.workspace_id = :workspace AND e.source_kind = 'memory' AND a.alias = ANY(:aliases::text[]) AND a.kind = 'person';

-- name: superseded_by
-- Memories that one of these has replaced.
SELECT id FROM memories
WHERE workspace_id = :workspace AND superseded_by = ANY(:ids::uuid[]) AND NOT id = ANY(:ids)
ORDER BY id;

-- name: entities_of
-- Entities that these memories speak of, the person of that name, and those of the user alone.
SELECT DISTINCT target_id AS id FROM edges
WHERE workspace_id = :workspace AND target_kind = 'entity' AND (memory_id = ANY(:ids::uuid[]) OR source_id = ANY(:ids))
UNION
SELECT entity_id FROM entity_aliases WHERE workspace_id = :workspace AND alias = ANY(:aliases::text[]) AND kind = 'person'
UNION
SELECT id FROM entities WHERE workspace_id = :workspace AND owners <> '{}' AND owners <@ :users::text[];

-- name: purge_edges
DELETE FROM edges
WHERE workspace_id = :workspace
    AND (source_id = ANY(:ids::uuid[]) OR target_id = ANY(:ids) OR memory_id = ANY(:ids));

-- name: remaining_aliases
-- Every name that the person of one of these names goes by, those of entities merged into it included.
SELECT DISTINCT n.alias FROM entity_aliases a
JOIN entity_aliases n ON n.workspace_id = :workspace AND n.entity_id = a.entity_id
WHERE a.workspace_id = :workspace AND a.alias = ANY(:aliases::text[]) AND a.kind = 'person';

-- name: orphaned_entities
-- Those of the entities that nothing speaks of any more, the person of that name, and those of the user alone; with all
-- that was merged into them.
WITH RECURSIVE lonely AS (
    SELECT e.id FROM entities e
    WHERE e.workspace_id = :workspace AND e.id = ANY(:ids::uuid[]) AND e.merged_into IS NULL
        AND (NOT EXISTS (
                SELECT 1 FROM edges x
                WHERE x.workspace_id = :workspace AND (x.source_id = e.id OR x.target_id = e.id))
            OR (e.owners <> '{}' AND e.owners <@ :users::text[])
            OR EXISTS (
                SELECT 1 FROM entity_aliases a
                WHERE a.workspace_id = :workspace AND a.entity_id = e.id
                    AND a.alias = ANY(:aliases::text[]) AND a.kind = 'person'))
    UNION
    SELECT e.id FROM lonely l JOIN entities e ON e.workspace_id = :workspace AND e.merged_into = l.id
)
SELECT id FROM lonely;

-- name: described_entities
-- Entities with metadata: those that one of these memories speaks of with the other memories that do, else none (null).
SELECT e.id, e.metadata, x.others
FROM entities e
LEFT JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT m.memory_id) FILTER (WHERE NOT m.memory_id = ANY(:ids::uuid[])), '{}') AS others
    FROM edges m
    WHERE m.workspace_id = :workspace AND m.target_id = e.id AND m.memory_id IS NOT NULL
    HAVING bool_or(m.memory_id = ANY(:ids))
) x ON true
WHERE e.workspace_id = :workspace AND e.metadata <> '{}'
ORDER BY e.id
FOR UPDATE OF e;

-- name: purge_aliases
DELETE FROM entity_aliases WHERE workspace_id = :workspace AND entity_id = ANY(:ids::uuid[]);

-- name: purge_entities
DELETE FROM entities WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: purge_versions
DELETE FROM memory_versions WHERE workspace_id = :workspace AND memory_id = ANY(:ids::uuid[]);

-- name: purge_sources
DELETE FROM memory_sources
WHERE workspace_id = :workspace AND (memory_id = ANY(:memories::uuid[]) OR message_id = ANY(:messages::uuid[]));

-- name: purge_usage
DELETE FROM memory_usage WHERE workspace_id = :workspace AND memory_id = ANY(:ids::uuid[]);

-- name: purge_index
DELETE FROM search_index WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: purge_terms
DELETE FROM search_terms WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: purge_memories
WITH changed AS (
    DELETE FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[])
    RETURNING id, agent_id, owners
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'memory.deleted', agent_id, owners, id,
    '{}', clock_timestamp()
FROM changed
RETURNING id;

-- name: purge_messages
DELETE FROM messages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: subject_chunks
-- The parts of documents about a user, or that belong to it alone.
SELECT c.id FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
WHERE c.workspace_id = :workspace AND (d.user_name = ANY(:users::text[]) OR (d.owners <> '{}' AND d.owners <@ :users));

-- name: purge_chunks
DELETE FROM chunks WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: purge_documents
DELETE FROM documents
WHERE workspace_id = :workspace AND (user_name = ANY(:users::text[]) OR (owners <> '{}' AND owners <@ :users));

-- name: purge_sessions
-- Sessions of the user that hold nothing any more.
DELETE FROM sessions s
WHERE s.workspace_id = :workspace
    AND (s.user_name = ANY(:users::text[]) OR s.id = ANY(:ids::uuid[]) OR (s.members <> '{}' AND s.members <@ :users))
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = :workspace AND m.session_id = s.id)
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.session_id = s.id);

-- name: anonymize_sessions
UPDATE sessions SET user_name = CASE WHEN user_name <> ALL(:users::text[]) THEN user_name END,
    members = ARRAY(SELECT n.name FROM unnest(members) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
WHERE workspace_id = :workspace AND (user_name = ANY(:users) OR members && :users);

-- name: disown_documents
UPDATE documents SET owners = ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
WHERE workspace_id = :workspace AND owners && :users::text[];

-- name: disown_messages
UPDATE messages SET owners = ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
WHERE workspace_id = :workspace AND owners && :users::text[];

-- name: disown_terms
-- The rows of messages and documents are on no list of the user any more.
DELETE FROM search_terms t
USING (
    SELECT i.id, reverie_term_v1(i.audience, i.kind, f.facet) AS term
    FROM search_index i, unnest(reverie_facets_v1(NULL, NULL, NULL, :users::text[])) AS f(facet)
    WHERE i.workspace_id = :workspace AND i.owners && :users
) gone
WHERE t.workspace_id = :workspace AND t.term = gone.term AND t.id = gone.id;

-- name: disown_index
UPDATE search_index SET owners = ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
WHERE workspace_id = :workspace AND owners && :users::text[];

-- name: drop_same_proposals
-- Of proposals that are about to belong to others alone, those of which these have the same already.
DELETE FROM proposals p
WHERE p.workspace_id = :workspace AND p.owners && :users::text[] AND EXISTS (
    SELECT 1 FROM proposals o
    WHERE o.workspace_id = :workspace AND o.id <> p.id AND o.agent_id = p.agent_id AND o.fingerprint = p.fingerprint
        AND o.owners = ARRAY(SELECT n.name FROM unnest(p.owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C"));

-- name: disown_proposals
UPDATE proposals SET owners = ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
WHERE workspace_id = :workspace AND owners && :users::text[];

-- name: disown_entities
-- Entities of the user and others are those of the others, by the names that are not taken there.
WITH changed AS (
    UPDATE entities SET owners = ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C")
    WHERE workspace_id = :workspace AND owners && :users::text[]
    RETURNING id, owners
), taken AS (
    DELETE FROM entity_aliases a USING changed c
    WHERE a.workspace_id = :workspace AND a.entity_id = c.id AND EXISTS (
        SELECT 1 FROM entity_aliases t
        WHERE t.workspace_id = :workspace AND t.audience = a.audience AND t.alias = a.alias AND t.kind = a.kind
            AND t.owners = reverie_owners_v1(c.owners))
    RETURNING a.entity_id
)
UPDATE entity_aliases a SET owners = reverie_owners_v1(c.owners) FROM changed c
WHERE a.workspace_id = :workspace AND a.entity_id = c.id AND NOT EXISTS (
    SELECT 1 FROM entity_aliases t
    WHERE t.workspace_id = :workspace AND t.audience = a.audience AND t.alias = a.alias AND t.kind = a.kind
        AND t.owners = reverie_owners_v1(c.owners));

-- name: disown_dreams
-- What belonged to the user alone belongs to the empty name, which no user can have.
UPDATE dreams SET owners = CASE WHEN owners <@ :users::text[] THEN '{""}' ELSE ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C") END
WHERE workspace_id = :workspace AND owners && :users;

-- name: disown_events
UPDATE events SET owners = CASE WHEN owners <@ :users::text[] THEN '{""}' ELSE ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C") END
WHERE workspace_id = :workspace AND owners && :users;

-- name: disown_deletions
UPDATE deletions SET owners = CASE WHEN owners <@ :users::text[] THEN '{""}' ELSE ARRAY(SELECT n.name FROM unnest(owners) AS n(name) WHERE n.name <> ALL(:users::text[]) ORDER BY n.name COLLATE "C") END
WHERE workspace_id = :workspace AND owners && :users;

-- name: revoke_keys_of_user
UPDATE api_keys SET revoked_at = coalesce(revoked_at, :now), user_name = NULL
WHERE workspace_id = :workspace AND user_name = ANY(:users::text[]);

-- name: purge_changes
-- Diffs that tell of these memories, or of none that is there (of a dry run, or collected since), in dreams of these
-- agents; of what was undone, all: what they name beside a memory is gone.
DELETE FROM dream_changes c
USING dreams d
WHERE c.workspace_id = :workspace AND d.workspace_id = c.workspace_id AND d.id = c.dream_id
    AND d.agent_id = ANY(:agents::uuid[]) AND (d.status = 'undone' OR c.undone_at IS NOT NULL OR c.memory_id IS NULL OR c.memory_id = ANY(:ids::uuid[]) OR NOT EXISTS (
        SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.id = c.memory_id));

-- name: purge_dream_errors
-- A dream's error may quote what it read, and one under way shows what it has found.
UPDATE dreams SET error = CASE WHEN error IS NOT NULL THEN 'erased by a purge' END, report = report - 'newest'
WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[]) AND (error IS NOT NULL OR report ? 'newest');

-- name: purge_summaries
-- Which memory stands for which stretch of a session, where either goes.
DELETE FROM window_summaries w
WHERE w.workspace_id = :workspace AND (w.memory_id = ANY(:memories::uuid[]) OR EXISTS (
    SELECT 1 FROM messages m
    WHERE m.workspace_id = :workspace AND m.session_id = w.session_id AND m.seq BETWEEN w.from_seq AND w.to_seq
        AND m.id = ANY(:messages::uuid[])));

-- name: purge_merges
-- What a merge of entities moved, by name.
DELETE FROM entity_merges
WHERE workspace_id = :workspace AND (entity_id = ANY(:ids::uuid[]) OR into_id = ANY(:ids));

-- name: purge_bulletins
DELETE FROM bulletins WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[]);

-- name: purge_steps
DELETE FROM dream_steps WHERE workspace_id = :workspace AND agent_id = ANY(:agents::uuid[]);

-- name: purge_model_calls
DELETE FROM model_calls WHERE workspace_id = :workspace;

-- name: erase_responses
-- What was answered stays answered, so that nothing is carried out twice; its words go.
UPDATE idempotency SET answer = NULL WHERE workspace_id = :workspace AND answer IS NOT NULL;

-- name: anonymize_audit
-- Of whose data is read, and of whom a key is bound to.
UPDATE audit_log SET
    subject = CASE WHEN subject <> ALL(:users::text[]) THEN subject END,
    details = CASE WHEN details ->> 'user' = ANY(:users) THEN details - 'user' ELSE details END
WHERE workspace_id = :workspace AND (subject = ANY(:users) OR details ->> 'user' = ANY(:users));

-- name: reactivate_memory
-- What replaced this memory is gone: it holds again, or is replaced by the live one that says the same.
WITH changed AS (
    UPDATE memories SET
        superseded_by = :twin::uuid, valid_until = CASE WHEN :twin IS NULL THEN NULL ELSE valid_until END, updated_at = :now,
        version = version + 1, changed_by = 'purge', change_reason = :reason
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version, superseded_by
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), CASE WHEN superseded_by IS NULL THEN 'memory.restored' ELSE 'memory.superseded' END, agent_id, owners, id,
    jsonb_build_object('version', version, 'superseded_by', superseded_by), clock_timestamp()
FROM changed
RETURNING id;

-- name: strip_quotes_memories
-- Memories say why they were replaced, in the words of what replaced them.
UPDATE memories SET change_reason = :reason WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: strip_quotes_versions
UPDATE memory_versions SET change_reason = :reason, record = record - 'superseded_by'
WHERE workspace_id = :workspace AND memory_id = ANY(:ids::uuid[]) AND record ->> 'superseded_by' IS NOT NULL;

-- name: purge_dangling_edges
-- Links a dream made from what these memories said and say no more.
DELETE FROM edges e USING memories m, entities n
WHERE e.workspace_id = :workspace AND e.memory_id = ANY(:ids::uuid[]) AND e.dream_id IS NOT NULL
    AND m.workspace_id = e.workspace_id AND m.id = e.memory_id
    AND n.workspace_id = e.workspace_id AND n.id IN (e.source_id, e.target_id)
    AND position(lower(n.name) IN lower(m.content)) = 0;

-- name: owners_of
-- The agents these memories belong to.
SELECT DISTINCT agent_id FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: subject_export_memories
-- Everything remembered about a user, with its history.
SELECT to_jsonb(r) - '{workspace_id,agent_id,audience,session_id,task_id}'::text[] AS memory,
    coalesce((
        SELECT jsonb_agg(v.record || jsonb_build_object('version', v.version, 'at', v.at, 'reason', v.change_reason)
            ORDER BY v.version)
        FROM memory_versions v WHERE v.workspace_id = :workspace AND v.memory_id = r.id
    ), '[]') AS history
FROM {% include "memory_records" %} r
WHERE r.workspace_id = :workspace AND r.id = ANY(:ids::uuid[])
ORDER BY r.id;

-- name: subject_export_edges
SELECT x.id, x.relation, x.source_kind, x.source_id, x.target_kind, x.target_id, x.memory_id, x.created_at, e.name AS entity,
    e.metadata AS entity_metadata
FROM edges x LEFT JOIN entities e ON e.workspace_id = x.workspace_id AND e.id = x.target_id
WHERE x.workspace_id = :workspace AND (x.source_id = ANY(:ids::uuid[]) OR x.target_id = ANY(:ids) OR x.memory_id = ANY(:ids))
ORDER BY x.id;

-- name: subject_export_sessions
SELECT s.id, s.session, a.agent, s.user_name AS "user", s.created_at, s.last_message_at
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE s.workspace_id = :workspace
    AND (s.user_name = ANY(:users::text[]) OR s.members && :users OR s.id = ANY(:ids::uuid[]))
ORDER BY s.id;

-- name: subject_export_documents
SELECT d.id, a.agent, d.title, d.text, d.metadata, d.created_at
FROM documents d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace AND (d.user_name = ANY(:users::text[]) OR d.owners && :users)
ORDER BY d.id;

-- name: forget_statistics
SELECT reverie_forget_statistics_v1(:table);
