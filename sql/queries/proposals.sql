-- fragment: is_known
-- Whether a live memory of the agent says what a proposal ``p`` says.
EXISTS (
    SELECT 1 FROM memories m
    WHERE m.workspace_id = :workspace AND m.audience = p.agent_id AND m.type = p.type
        AND m.identity_hash = p.identity_hash AND m.deleted_at IS NULL AND m.superseded_by IS NULL
)

-- fragment: proposal_columns
p.id, a.agent, p.agent_id, p.dream_id, p.status, p.type, p.content, p.user_name AS "user", p.owners, p.hearsay_by, p.importance,
p.confidence, p.tags, p.source, p.metadata, p.message_ids, p.reason, p.said_at, p.occurred_at, p.occurred_until, p.memory_id, p.decided_by,
p.decided_at, p.version, p.created_at, p.updated_at

-- name: rejected_proposals
-- What was rejected, or put otherwise, of these owners.
SELECT p.fingerprint, p.confidence FROM proposals p
WHERE p.workspace_id = :workspace AND p.agent_id = :agent_id AND p.owners = :owners::text[] AND p.status IN ('rejected', 'edited');

-- name: proposals_alike
-- The agent's proposals of these owners and fingerprints that wait or may not come again, locked in the order in which all lock.
SELECT p.id, p.fingerprint, p.status, p.version, p.confidence, p.message_ids, p.dream_id, p.updated_at FROM proposals p
WHERE p.workspace_id = :workspace AND p.agent_id = :agent_id AND p.owners = :owners::text[] AND p.fingerprint = ANY(:fingerprints::text[])
    AND p.status <> 'accepted'
ORDER BY p.fingerprint
FOR UPDATE;

-- name: add_proposals
-- Let statements wait for a decision, but for those that a live memory makes known, whether it says the same word for
-- word or was accepted in other words; the ids of those that wait.
WITH item AS (
    SELECT p.* FROM (
        SELECT :agent_id::uuid AS agent_id, i.id, i.fingerprint, decode(i.identity_hash, 'hex') AS identity_hash, i.type,
            i.content, i.user_name, i.owners, i.hearsay_by, i.importance, i.confidence, i.tags, i.source, i.metadata, i.message_ids, i.reason,
            i.said_at, i.occurred_at, i.occurred_until
        FROM jsonb_to_recordset(:items::jsonb) AS i(
            id uuid, fingerprint text, identity_hash text, type text, content text, user_name text, owners text[], hearsay_by text,
            importance float8, confidence float8, tags text[], source jsonb, metadata jsonb, message_ids uuid[], reason text,
            said_at timestamptz, occurred_at timestamptz, occurred_until timestamptz
        )
    ) p
    WHERE NOT {% include "is_known" %}
        AND NOT EXISTS (
            SELECT 1 FROM proposals d
            JOIN memories m ON m.workspace_id = :workspace AND m.id = d.memory_id
            WHERE d.workspace_id = :workspace AND d.agent_id = p.agent_id AND d.owners = p.owners AND d.fingerprint = p.fingerprint
                AND d.status = 'accepted' AND m.deleted_at IS NULL AND m.superseded_by IS NULL)
), added AS (
    INSERT INTO proposals (
        workspace_id, id, agent_id, dream_id, status, fingerprint, identity_hash, type, content, user_name, owners,
        hearsay_by, importance, confidence, tags, source, metadata, message_ids, reason, said_at, occurred_at, occurred_until, created_at,
        updated_at
    )
    SELECT :workspace, id, agent_id, :dream_id::uuid, 'proposed', fingerprint, identity_hash, type, content, user_name,
        owners, hearsay_by, importance, confidence, tags, source, metadata, message_ids, reason, said_at, occurred_at, occurred_until, :now, :now
    FROM item
    ORDER BY fingerprint
    ON CONFLICT DO NOTHING
    RETURNING id, agent_id, owners
), told AS (
    INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
    SELECT :workspace, gen_random_uuid(), 'proposal.created', agent_id, owners, id,
        jsonb_strip_nulls(jsonb_build_object('dream_id', :dream_id)), clock_timestamp()
    FROM added
    RETURNING id
)
SELECT id FROM added;

-- name: support_proposals
-- What waits has been said again, in these messages too; it is as sure as the surest of them.
UPDATE proposals p SET message_ids = p.message_ids || i.message_ids, confidence = greatest(p.confidence, i.confidence),
    updated_at = :now, version = p.version + 1
FROM jsonb_to_recordset(:items::jsonb) AS i(id uuid, message_ids uuid[], confidence float8)
WHERE p.workspace_id = :workspace AND p.id = i.id;

-- name: list_proposals
-- Proposals of this status with the messages they come from, newest first. What has become known otherwise, and what
-- has been erased, is left out.
SELECT {% include "proposal_columns" %}, coalesce((
    SELECT jsonb_agg(jsonb_build_object(
        'message_id', x.id, 'session', s.session, 'seq', x.seq, 'role', x.role, 'name', x.name,
        'content', left(x.content, :characters::integer), 'created_at', x.created_at) ORDER BY x.created_at, x.seq)
    FROM messages x JOIN sessions s ON s.workspace_id = :workspace AND s.id = x.session_id
    WHERE x.workspace_id = :workspace AND x.id = ANY(p.message_ids)
), '[]') AS sources
FROM proposals p JOIN agents a ON a.workspace_id = :workspace AND a.id = p.agent_id
WHERE p.workspace_id = :workspace AND (:ids::uuid[] IS NULL OR p.id = ANY(:ids))
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:status::text IS NULL OR p.status = :status AND p.content <> '' AND (p.status <> 'proposed' OR NOT {% include "is_known" %}))
    AND (:before::uuid IS NULL OR p.id < :before)
ORDER BY p.id DESC
LIMIT :limit;

-- name: lock_proposals
-- These proposals, locked in the order in which all lock.
SELECT {% include "proposal_columns" %}, (
    SELECT s.session FROM messages x JOIN sessions s ON s.workspace_id = :workspace AND s.id = x.session_id
    WHERE x.workspace_id = :workspace AND x.id = ANY(p.message_ids)
    ORDER BY array_position(p.message_ids, x.id) LIMIT 1
) AS session
FROM proposals p JOIN agents a ON a.workspace_id = :workspace AND a.id = p.agent_id
WHERE p.workspace_id = :workspace AND p.id = ANY(:ids::uuid[])
ORDER BY p.fingerprint, p.id
FOR UPDATE OF p;

-- name: decide_proposal
UPDATE proposals SET status = :status, memory_id = :memory_id::uuid, decided_by = :actor, decided_at = :now, updated_at = :now,
    version = version + 1
WHERE workspace_id = :workspace AND id = :id;

-- name: undo_proposals
-- Proposals that a dream made and nobody has decided on.
DELETE FROM proposals WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: restore_proposals
-- Proposals as they were before a dream found them said again.
UPDATE proposals p SET message_ids = i.message_ids, confidence = i.confidence, updated_at = i.updated_at, version = i.version
FROM jsonb_to_recordset(:items::jsonb) AS i(
    id uuid, message_ids uuid[], confidence float8, updated_at timestamptz, version integer
)
WHERE p.workspace_id = :workspace AND p.id = i.id;

-- name: collect_proposals
-- What nobody has decided on since then.
DELETE FROM proposals p
USING (
    SELECT id FROM proposals
    WHERE workspace_id = :workspace AND status = 'proposed' AND updated_at < :before::timestamptz
    ORDER BY fingerprint LIMIT :limit
    FOR UPDATE SKIP LOCKED
) old
WHERE p.workspace_id = :workspace AND p.id = old.id;

-- name: erase_proposals
-- What was rejected or put otherwise before then loses its words; its fingerprint keeps it from coming again.
UPDATE proposals p SET content = '', source = '{}', metadata = '{}', tags = '{}', reason = ''
FROM (
    SELECT id FROM proposals
    WHERE workspace_id = :workspace AND status IN ('rejected', 'edited') AND content <> '' AND updated_at < :before::timestamptz
    ORDER BY fingerprint LIMIT :limit
    FOR UPDATE SKIP LOCKED
) old
WHERE p.workspace_id = :workspace AND p.id = old.id;
