-- fragment: texts
-- Search rows ``i`` with what is embedded of them; only memories have versions, the rest never changes.
search_index i
LEFT JOIN memories m ON i.kind = 0 AND m.workspace_id = i.workspace_id AND m.id = i.id
LEFT JOIN messages t ON i.kind = 1 AND t.workspace_id = i.workspace_id AND t.id = i.id
LEFT JOIN chunks c ON i.kind = 2 AND c.workspace_id = i.workspace_id AND c.id = i.id
LEFT JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id

-- fragment: embedded_text
-- What is embedded of a row: a message behind the name of who says it, a part of a document below its title.
coalesce(m.content, coalesce(coalesce(t.name, CASE WHEN t.role = 'user' THEN t.user_name END) || ': ', '') || t.content, d.title || E'\n' || c.content, '')

-- name: ensure_embedding_model
-- The small number that stands for an embedder's signature, with the setting that opens it.
WITH made AS (
    INSERT INTO embedding_models (id, signature, dim, setting, noise)
    SELECT coalesce(max(id), 0) + 1, :signature, :dim, :setting, :noise::real FROM embedding_models
    HAVING NOT EXISTS (SELECT 1 FROM embedding_models WHERE signature = :signature)
    ON CONFLICT DO NOTHING
    RETURNING id
), kept AS (
    UPDATE embedding_models SET setting = :setting, noise = coalesce(noise, :noise)
    WHERE signature = :signature AND (setting <> :setting OR noise IS NULL AND :noise IS NOT NULL)
    RETURNING id
)
SELECT id FROM made UNION ALL SELECT id FROM embedding_models WHERE signature = :signature LIMIT 1;

-- name: noise_is_known
-- Whether the noise level of an embedder is known; nothing for one that nothing has been embedded with.
SELECT noise IS NOT NULL FROM embedding_models WHERE signature = :signature;

-- name: set_noise
UPDATE embedding_models SET noise = :noise WHERE signature = :signature;

-- name: embedding_state
-- Which model is searched, and which one is being changed to; its progress.
SELECT s.active, a.signature, a.dim, a.setting, s.next, n.signature AS next_signature, n.dim AS next_dim,
    n.setting AS next_setting, s.total, s.done, s.error, s.started_at, s.switched_at, s.moving, s.owner
FROM embedding_state s
LEFT JOIN embedding_models a ON a.id = s.active
LEFT JOIN embedding_models n ON n.id = s.next;

-- name: register_target_model
-- This model is to be used: at once when it is the first, else after everything has been embedded with it.
UPDATE embedding_state SET
    active = coalesce(active, :model::smallint),
    next = CASE WHEN coalesce(active, :model) <> :model THEN :model END,
    total = CASE WHEN next = :model THEN total END,
    done = CASE WHEN next = :model THEN done ELSE 0 END,
    started_at = CASE WHEN coalesce(active, :model) <> :model THEN :now::timestamptz END,
    error = NULL,
    moving = moving OR (next IS NOT NULL AND active = :model)
WHERE active IS NULL OR next IS NOT NULL AND active = :model OR active <> :model AND next IS DISTINCT FROM :model;

-- name: claim_embedding
-- One worker at a time changes models; it has to say so again within the lease.
UPDATE embedding_state SET owner = :worker, owner_until = now() + make_interval(secs => :lease_s::float8)
WHERE owner IS NULL OR owner = :worker OR owner_until <= now();

-- name: release_embedding
-- Leave what is unfinished to other workers at once.
UPDATE embedding_state SET owner = NULL, owner_until = NULL WHERE owner = :worker;

-- name: set_migration_total
UPDATE embedding_state SET total = :total WHERE next = :model::smallint AND total IS NULL;

-- name: note_migration_error
UPDATE embedding_state SET error = :error::text WHERE next = :model::smallint AND error IS DISTINCT FROM :error;

-- name: switch_model
-- Everything has been embedded: from here on every search uses the new model.
UPDATE embedding_state SET active = next, next = NULL, moving = true, switched_at = :now, error = NULL
WHERE next = :model::smallint;

-- name: stop_backfilling
-- Nothing is left of the former model.
UPDATE embedding_state SET moving = false WHERE active = :model::smallint;

-- name: count_index_rows
-- How many texts a workspace has.
SELECT count(*) FROM search_index WHERE workspace_id = :workspace;

-- name: rows_without_vector
-- Rows after an id that have no vector of this model yet, with the text to embed.
SELECT i.id, m.version, {% include "embedded_text" %} AS content
FROM {% include "texts" %}
WHERE i.workspace_id = :workspace AND i.id > :after
    AND i.embedding_model IS DISTINCT FROM :model::smallint AND i.next_model IS DISTINCT FROM :model AND {% include "readable_text" %}
ORDER BY i.id
LIMIT :limit;

-- name: rows_to_embed_again
-- Rows after an id, with the text to embed.
SELECT i.id, m.version, {% include "embedded_text" %} AS content
FROM {% include "texts" %}
WHERE i.workspace_id = :workspace AND i.id > :after AND {% include "readable_text" %}
ORDER BY i.id
LIMIT :limit;

-- name: set_next_embeddings
-- Put vectors of the coming model beside those in use; rows changed meanwhile are left for later.
UPDATE search_index i SET next_{{ vector_column }} = v.embedding, next_model = :model::smallint
FROM unnest(:ids::uuid[], :versions::integer[], :embeddings::{{ vector_type }}[]) AS v(id, version, embedding)
LEFT JOIN memories m ON m.workspace_id = :workspace AND m.id = v.id
WHERE i.workspace_id = :workspace AND i.id = v.id AND m.version IS NOT DISTINCT FROM v.version;

-- name: copy_vectors
-- Put vectors that are the coming model's but for how they are kept beside themselves, for rows after an id.
UPDATE search_index SET next_embedding = coalesce(embedding, embedding_float32::halfvec), next_model = :coming::smallint
WHERE workspace_id = :workspace AND embedding_model = :model::smallint AND id = ANY(ARRAY(
    SELECT id FROM search_index
    WHERE workspace_id = :workspace AND id > :after AND embedding_model = :model AND next_model IS DISTINCT FROM :coming
    ORDER BY id
    LIMIT :limit
))
RETURNING id;

-- name: count_next_embeddings
-- So many more rows have a vector of the coming model, some of them written since the rows were counted; nothing when
-- another worker has taken over.
UPDATE embedding_state SET done = done + :count::bigint, total = greatest(total, done + :count), error = NULL,
    owner_until = now() + make_interval(secs => :lease_s::float8)
WHERE next = :model::smallint AND owner = :worker;

-- name: set_embeddings
-- Fill in vectors of texts that have not changed meanwhile; only memories ever do.
UPDATE search_index i SET {{ vector_column }} = v.embedding, {{ other_vector_column }} = NULL, embedding_model = :model,
    next_embedding = NULL, next_embedding_float32 = NULL, next_model = NULL
FROM unnest(:ids::uuid[], :versions::integer[], :embeddings::{{ vector_type }}[]) AS v(id, version, embedding)
LEFT JOIN memories m ON m.workspace_id = :workspace AND m.id = v.id
WHERE i.workspace_id = :workspace AND i.id = v.id AND m.version IS NOT DISTINCT FROM v.version;

-- name: backfill_embeddings
-- Put vectors of the model in use where the former one's were, for rows after an id; one that has none is pending
-- again.
UPDATE search_index SET
    {{ vector_column }} = CASE WHEN embedding_model = :model::smallint THEN {{ vector_column }} WHEN next_model = :model THEN next_{{ vector_column }} END,
    {{ other_vector_column }} = NULL,
    embedding_model = CASE WHEN embedding_model = :model OR next_model = :model THEN :model END,
    next_embedding = NULL,
    next_embedding_float32 = NULL,
    next_model = NULL,
    ann = ann AND embedding_model = :model
WHERE workspace_id = :workspace AND id = ANY(ARRAY(
    SELECT id FROM search_index
    WHERE workspace_id = :workspace AND id > :after AND (embedding_model <> :model OR next_model IS NOT NULL)
    ORDER BY id
    LIMIT :limit
))
RETURNING id;

-- name: pending_texts
-- Rows whose vector is still missing, with the text to embed.
SELECT i.id, m.version, {% include "embedded_text" %} AS content
FROM {% include "texts" %}
WHERE i.workspace_id = :workspace AND i.embedding_model IS NULL AND NOT i.deleted AND i.id > :after AND {% include "readable_text" %}
ORDER BY i.id
LIMIT :limit;

-- name: count_pending
SELECT count(*) FROM search_index i
WHERE i.workspace_id = :workspace AND i.embedding_model IS NULL AND NOT i.deleted AND {% include "readable_text" %};

-- name: request_reindex
-- Ask the worker to embed what is pending or, by force, everything anew; a request under way is kept.
INSERT INTO reindex_requests (workspace_id, force, total, requested_at)
VALUES (:workspace, :force, :total, :now)
ON CONFLICT (workspace_id) DO UPDATE SET
    force = excluded.force, total = excluded.total, done = 0, "after" = NULL, error = NULL,
    requested_at = excluded.requested_at, finished_at = NULL
WHERE reindex_requests.finished_at IS NOT NULL OR excluded.force AND NOT reindex_requests.force;

-- name: reindex_requests
-- What workers still have to do.
SELECT workspace_id, force, "after", done, total FROM reindex_requests WHERE finished_at IS NULL ORDER BY requested_at;

-- name: reindex_request
SELECT force, done, total, error, requested_at, finished_at FROM reindex_requests WHERE workspace_id = :workspace;

-- name: advance_reindex
UPDATE reindex_requests SET "after" = :after::uuid, done = done + :done::bigint, error = NULL
WHERE workspace_id = :workspace AND finished_at IS NULL;

-- name: note_reindex_error
UPDATE reindex_requests SET error = :error WHERE workspace_id = :workspace AND finished_at IS NULL;

-- name: finish_reindex
UPDATE reindex_requests SET finished_at = :now, error = NULL WHERE workspace_id = :workspace;

-- name: forget_vectors
-- Texts of these rows have changed: their vectors are pending.
UPDATE search_index SET embedding_model = NULL, embedding = NULL, embedding_float32 = NULL,
    next_model = NULL, next_embedding = NULL, next_embedding_float32 = NULL
WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);
