-- name: hybrid_search
-- Keyword (BM25 over exact posting lists) and vector candidates, fused and explained, in one statement.
-- The audience is scanned exactly, so that a filter can never leave an answer short.
WITH scanned AS MATERIALIZED (
    SELECT i.id, i.words,
        (
            NOT i.deleted
            AND i.valid_from <= :as_of
            AND (i.valid_until IS NULL OR i.valid_until > :as_of)
            AND (i.expires_at IS NULL OR i.expires_at > :as_of)
            AND (:include_faded::boolean OR NOT i.faded)
            AND (:types::text[] IS NULL OR i.type = ANY(:types))
            AND (:scopes::text[] IS NULL OR i.scope = ANY(:scopes))
            AND (:tags_any::text[] IS NULL OR i.tags && :tags_any)
            AND (:tags_all::text[] IS NULL OR i.tags @> :tags_all)
            AND (:user::text IS NULL OR i.user_name = :user)
            AND (:session_id::uuid IS NULL OR i.session_id = :session_id)
            AND (:task_id::uuid IS NULL OR i.task_id = :task_id)
            AND (:min_importance::float8 IS NULL OR i.importance >= :min_importance)
            AND (:since::timestamptz IS NULL OR i.happened_at >= :since)
            AND (:until::timestamptz IS NULL OR i.happened_at < :until)
            AND (:metadata::jsonb IS NULL OR EXISTS (
                SELECT 1 FROM memories m
                WHERE m.workspace_id = i.workspace_id AND m.id = i.id AND m.metadata @> :metadata))
        ) AS passes,
        CASE WHEN i.embedding_model = :model::smallint
            THEN -(i.embedding <#> :embedding::halfvec) END AS similarity
    FROM search_index i
    WHERE i.workspace_id = :workspace AND i.audience = ANY(:audiences::uuid[]) AND i.kind = 0
), wanted AS MATERIALIZED (
    SELECT l.lexeme, reverie_term_v1(a.audience, 0::smallint, l.lexeme) AS term
    FROM unnest(tsvector_to_array(to_tsvector(:language::regconfig, :text))) AS l(lexeme),
        unnest(:audiences) AS a(audience)
), posting AS MATERIALIZED (
    SELECT w.lexeme, t.id, t.frequency, t.words
    FROM wanted w JOIN search_terms t ON t.workspace_id = :workspace AND t.term = w.term
), rarity AS (
    SELECT lexeme, ln(1 + (greatest(n.total, count(*)) - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM posting, (SELECT count(*) AS total FROM scanned) AS n
    GROUP BY lexeme, n.total
), lexical AS MATERIALIZED (
    SELECT p.id,
        sum(r.idf * p.frequency * (:k1::float8 + 1)
            / (p.frequency + :k1 * (1 - :b::float8 + :b * greatest(p.words, :words_floor::integer) / :words_floor::float8))) AS score
    FROM posting p JOIN rarity r USING (lexeme) JOIN scanned s ON s.id = p.id
    WHERE s.passes
    GROUP BY p.id
), keyword_top AS (
    SELECT id, row_number() OVER (ORDER BY score DESC, id) AS rank
    FROM lexical ORDER BY score DESC, id LIMIT :candidates
), semantic_top AS (
    SELECT id, row_number() OVER (ORDER BY similarity DESC, id) AS rank
    FROM scanned WHERE passes AND similarity IS NOT NULL
    ORDER BY similarity DESC, id LIMIT :candidates
), candidate AS (
    SELECT id, k.rank AS keyword_rank, v.rank AS semantic_rank, l.score AS keyword_score,
        s.similarity AS semantic_score,
        s.similarity * (1 - exp(-s.words / :words_saturation::float8)) AS weighted_similarity
    FROM keyword_top k
    FULL JOIN semantic_top v USING (id)
    JOIN scanned s USING (id)
    LEFT JOIN lexical l USING (id)
), scaled AS (
    SELECT *,
        CASE WHEN max(keyword_score) OVER () > 0
            THEN coalesce(keyword_score, 0) / max(keyword_score) OVER () ELSE 0 END AS keyword_part,
        CASE WHEN max(weighted_similarity) OVER () > min(weighted_similarity) OVER ()
            THEN coalesce((weighted_similarity - min(weighted_similarity) OVER ())
                / (max(weighted_similarity) OVER () - min(weighted_similarity) OVER ()), 0)
            WHEN weighted_similarity IS NULL THEN 0 ELSE 1 END AS semantic_part
    FROM candidate
), ranked AS (
    SELECT id, keyword_rank, semantic_rank, keyword_score, semantic_score,
        CASE :fusion::text
            WHEN 'rrf' THEN coalesce(1.0 / (:rrf_k::integer + keyword_rank), 0) + coalesce(1.0 / (:rrf_k + semantic_rank), 0)
            ELSE (1 - :vector_weight::float8) * keyword_part + :vector_weight * semantic_part
        END AS score
    FROM scaled
    ORDER BY score DESC, id
    LIMIT :limit
)
SELECT r.score, r.keyword_rank, r.semantic_rank, r.keyword_score, r.semantic_score, m.*
FROM ranked r JOIN memory_records m ON m.workspace_id = :workspace AND m.id = r.id
ORDER BY r.score DESC, r.id;

-- name: recent_search
-- The newest memories first, under the same filters.
SELECT NULL::float8 AS score, NULL::bigint AS keyword_rank, NULL::bigint AS semantic_rank,
    NULL::float8 AS keyword_score, NULL::float8 AS semantic_score, m.*
FROM search_index i JOIN memory_records m ON m.workspace_id = i.workspace_id AND m.id = i.id
WHERE i.workspace_id = :workspace AND i.audience = ANY(:audiences::uuid[]) AND i.kind = 0
    AND NOT i.deleted
    AND i.valid_from <= :as_of
    AND (i.valid_until IS NULL OR i.valid_until > :as_of)
    AND (i.expires_at IS NULL OR i.expires_at > :as_of)
    AND (:include_faded::boolean OR NOT i.faded)
    AND (:types::text[] IS NULL OR i.type = ANY(:types))
    AND (:scopes::text[] IS NULL OR i.scope = ANY(:scopes))
    AND (:tags_any::text[] IS NULL OR i.tags && :tags_any)
    AND (:tags_all::text[] IS NULL OR i.tags @> :tags_all)
    AND (:user::text IS NULL OR i.user_name = :user)
    AND (:session_id::uuid IS NULL OR i.session_id = :session_id)
    AND (:task_id::uuid IS NULL OR i.task_id = :task_id)
    AND (:min_importance::float8 IS NULL OR i.importance >= :min_importance)
    AND (:since::timestamptz IS NULL OR i.happened_at >= :since)
    AND (:until::timestamptz IS NULL OR i.happened_at < :until)
    AND (:metadata::jsonb IS NULL OR m.metadata @> :metadata)
ORDER BY i.happened_at DESC, i.id DESC
LIMIT :limit;
