-- fragment: memory_digest
-- Changes with what a memory says; ``digest_of`` in ``service/domain/pages.py`` computes the same.
md5(concat_ws(E'\n', m.type, m.status, m.hearsay_by, m.content))

-- fragment: page_records
-- The pages of the workspace, each with its newest version.
(
    SELECT p.id, (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = p.agent_id) AS agent,
        p.agent_id, p.owners, p.question, p.scope, p.trigger, p.max_tokens, p.revision, p.due_at, p.due_dream_id, p.created_at,
        p.updated_at, v.version, v.sentences, v.writer, v.dropped, v.inputs_hash, v.dream_id, v.created_at AS written_at
    FROM pages p
    LEFT JOIN page_versions v ON v.workspace_id = :workspace AND v.page_id = p.id AND v.version = (
        SELECT max(n.version) FROM page_versions n WHERE n.workspace_id = :workspace AND n.page_id = p.id)
    WHERE p.workspace_id = :workspace
)

-- name: add_page
INSERT INTO pages (
    workspace_id, id, agent_id, owners, question, scope, trigger, max_tokens, due_at, created_by, created_at, updated_at
)
VALUES (:workspace, :id, :agent_id, :owners, :question, :scope, :trigger, :max_tokens, :due_at, :created_by, :now, :now);

-- name: count_pages
SELECT count(*) FROM pages WHERE workspace_id = :workspace AND agent_id = :agent_id;

-- name: get_page
SELECT r.* FROM {% include "page_records" %} r
WHERE r.id = :id AND (:agent::text IS NULL OR r.agent = :agent);

-- name: list_pages
SELECT r.* FROM {% include "page_records" %} r
WHERE (:agent::text IS NULL OR r.agent = :agent) AND (:before::uuid IS NULL OR r.id < :before)
ORDER BY r.id DESC
LIMIT :limit;

-- name: pages_after_dreams
-- The pages of an agent that its dreams may have written again.
SELECT r.* FROM {% include "page_records" %} r
WHERE r.agent_id = :agent_id AND r.trigger = 'dream'
ORDER BY r.id;

-- name: page_versions
SELECT version, sentences, writer, dropped, dream_id, created_at AS written_at FROM page_versions
WHERE workspace_id = :workspace AND page_id = :page_id AND (:before::bigint IS NULL OR version < :before)
ORDER BY version DESC
LIMIT :limit;

-- name: page_version
SELECT sentences FROM page_versions WHERE workspace_id = :workspace AND page_id = :page_id AND version = :version;

-- name: cited_memories
-- What memories that pages cite are now, for each page whose agent may read them: deleted and expired ones are left out.
SELECT c.page_id, m.id, {% include "memory_digest" %} AS digest, m.superseded_by,
    m.superseded_by IS NULL AND (m.valid_until IS NULL OR m.valid_until > :now) AS holds
FROM unnest(:page_ids::uuid[], :ids::uuid[]) AS c(page_id, id)
JOIN pages p ON p.workspace_id = :workspace AND p.id = c.page_id
JOIN agents a ON a.workspace_id = :workspace AND a.id = p.agent_id
JOIN memories m ON m.workspace_id = :workspace AND m.id = c.id
WHERE m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND (m.agent_id = p.agent_id
        OR m.audience IN (
            SELECT t.team_id FROM team_members t WHERE t.workspace_id = :workspace AND t.agent_id = p.agent_id)
        OR (a.prime AND m.audience IN (SELECT o.prime_audience FROM agents o WHERE o.workspace_id = :workspace)));

-- name: hold_page_inputs
-- Those of the memories that still hold and say the same, kept so until the transaction ends. Locked before their page, as a
-- purge does.
SELECT m.id, {% include "memory_digest" %} AS digest FROM memories m
WHERE m.workspace_id = :workspace AND m.id = ANY(:ids::uuid[])
    AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.id
FOR SHARE;

-- name: changed_facets
-- By what a page may filter the memories that have changed.
SELECT m.type, m.tags, m.user_name FROM memories m WHERE m.workspace_id = :workspace AND m.id = ANY(:ids::uuid[]);

-- name: lock_page
SELECT p.revision, p.due_at, p.due_dream_id FROM pages p
WHERE p.workspace_id = :workspace AND p.id = :id
FOR UPDATE;

-- name: change_page
UPDATE pages SET owners = :owners, question = :question, scope = :scope, trigger = :trigger, max_tokens = :max_tokens, due_at = :due_at,
    due_dream_id = NULL, claimed_until = NULL, revision = revision + 1, updated_at = :now
WHERE workspace_id = :workspace AND id = :id;

-- name: delete_page
DELETE FROM pages WHERE workspace_id = :workspace AND id = :id;

-- name: add_page_version
INSERT INTO page_versions (workspace_id, page_id, version, sentences, writer, dropped, inputs_hash, dream_id, created_at)
SELECT :workspace, :page_id, coalesce(max(v.version), 0) + 1, :sentences, :writer, :dropped, :inputs_hash, :dream_id::uuid, :now
FROM page_versions v WHERE v.workspace_id = :workspace AND v.page_id = :page_id
RETURNING version;

-- name: trim_page_versions
DELETE FROM page_versions
WHERE workspace_id = :workspace AND page_id = :page_id AND version <= :newest::integer - :kept::integer;

-- name: claim_page
-- The page of the workspace, or of one agent, that has been due for longest; nobody else has it until the claim ends.
UPDATE pages SET claimed_until = :until
WHERE workspace_id = :workspace AND id = (
    SELECT p.id FROM pages p
    WHERE p.workspace_id = :workspace AND p.due_at <= :now AND (p.claimed_until IS NULL OR p.claimed_until <= :now)
        AND (:agent_id::uuid IS NULL OR p.agent_id = :agent_id)
    ORDER BY p.due_at, p.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: settle_page
-- What was due has been written; it is due again at ``due_at``, if ever.
UPDATE pages SET due_at = :due_at, due_dream_id = NULL, claimed_until = NULL WHERE workspace_id = :workspace AND id = :id;

-- name: mark_pages_due
UPDATE pages SET due_at = :now, due_dream_id = :dream_id::uuid WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: undo_page_versions
DELETE FROM page_versions WHERE workspace_id = :workspace AND dream_id = :dream_id;

-- name: pages_after_undo
-- What the dream made due is due without it: the memories are those of before.
UPDATE pages SET due_at = :now, due_dream_id = NULL
WHERE workspace_id = :workspace AND agent_id = :agent_id AND trigger = 'dream';

-- name: page_texts
-- A stretch of all pages of the workspace, ``locked`` or not.
SELECT p.id, p.question, p.scope FROM pages p
WHERE p.workspace_id = :workspace AND (:after::uuid IS NULL OR p.id > :after)
ORDER BY p.id
LIMIT :limit
{% if locked %} FOR UPDATE {% endif %};

-- name: page_version_texts
SELECT page_id, version, sentences FROM page_versions
WHERE workspace_id = :workspace AND page_id = ANY(:ids::uuid[])
ORDER BY page_id, version;

-- name: rewrite_page_version
UPDATE page_versions SET sentences = :sentences
WHERE workspace_id = :workspace AND page_id = :page_id AND version = :version;

-- name: purge_pages
DELETE FROM pages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);
