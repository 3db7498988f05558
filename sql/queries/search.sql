-- name: hybrid_search
-- BM25 over exact posting lists and vectors, fused with the turns beside each candidate, in one statement. The audiences
-- are scanned exactly, so a filter can never leave an answer short. The formula is explained in docs/search.md.
WITH scanned AS MATERIALIZED (
    SELECT i.id, i.previous, i.session_id, i.happened_at, i.length, i.speaker, i.asks, i.question_share,
        CASE WHEN i.embedding_model = :model::smallint
            THEN -(i.embedding <#> :embedding::halfvec) END AS similarity,
        1 - exp(-i.words / :words_saturation::float8) AS trust
    FROM search_index i
    WHERE i.workspace_id = :workspace AND i.audience = ANY(:audiences::uuid[]) AND i.kind = ANY(:kinds::smallint[])
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
        AND (:metadata::jsonb IS NULL OR EXISTS (
            SELECT 1 FROM memories m
            WHERE m.workspace_id = i.workspace_id AND m.id = i.id AND m.metadata @> :metadata))
), timed AS MATERIALIZED (
    -- How near each row is to a time that the query names: 1 inside it, fading outside, faster before it than after.
    SELECT s.id, max(exp(-greatest(
            0,
            extract(epoch FROM s.happened_at - w.until)::float8,
            :early_factor::float8 * extract(epoch FROM w.since - s.happened_at)
        ) / greatest(:near_days::float8 * 86400, :near_share::float8 * extract(epoch FROM w.until - w.since)))) AS nearness
    FROM scanned s, unnest(:window_starts::timestamptz[], :window_ends::timestamptz[]) AS w(since, until)
    GROUP BY s.id
), wanted AS MATERIALIZED (
    SELECT l.n AS word, reverie_term_v1(a.audience, k.kind, l.lexeme) AS term
    FROM unnest(tsvector_to_array(to_tsvector(:language::regconfig, :text))) WITH ORDINALITY AS l(lexeme, n),
        unnest(:audiences) AS a(audience),
        unnest(:kinds) AS k(kind)
), posting AS MATERIALIZED (
    SELECT w.word, t.id, t.frequency, t.length
    FROM search_terms t JOIN wanted w USING (term) JOIN scanned s USING (id)
    WHERE t.workspace_id = :workspace AND t.term = ANY(ARRAY(SELECT term FROM wanted))
), rarity AS (
    SELECT word, ln((1 + ((SELECT count(*) FROM scanned) - count(*) + 0.5) / (count(*) + 0.5))::float8) AS idf
    FROM posting
    GROUP BY word
), said AS MATERIALIZED (
    SELECT p.id, p.word,
        r.idf * p.frequency * (:k1::float8 + 1) / (p.frequency + :k1 * (1 - :b::float8
            + :b * greatest(p.length, :length_floor::integer) / :length_reference::float8)) AS weight
    FROM posting p JOIN rarity r USING (word)
), own AS MATERIALIZED (
    SELECT id, sum(weight) AS score FROM said GROUP BY id
), keyword_top AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY score DESC, id) AS rank
    FROM own ORDER BY score DESC, id LIMIT :candidates
), semantic_top AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY similarity * trust DESC, id) AS rank
    FROM scanned WHERE similarity IS NOT NULL
    ORDER BY similarity * trust DESC, id LIMIT :candidates
), pool AS MATERIALIZED (
    SELECT id FROM keyword_top
    UNION
    SELECT s.previous FROM keyword_top k JOIN scanned s USING (id)
    UNION
    SELECT s.id FROM keyword_top k JOIN scanned s ON s.previous = k.id
    UNION
    SELECT id FROM semantic_top
    UNION
    (SELECT s.id FROM timed t JOIN scanned s USING (id)
     WHERE t.nearness >= 0.5 AND s.similarity IS NOT NULL
     ORDER BY s.similarity * s.trust DESC, s.id LIMIT :candidates)
), candidate AS MATERIALIZED (
    SELECT s.*, greatest(s.similarity, 0) * s.trust AS meaning,
        exp(-greatest(0, s.length - :fade_after::float8) / :fade_over::float8) AS fade,
        p.asks AND p.speaker <> s.speaker AS replies
    FROM pool JOIN scanned s USING (id)
    LEFT JOIN scanned p ON p.id = s.previous
), heard AS (
    -- What a turn says, or the turn before or after it says, each word once: the larger counts.
    SELECT id, sum(weight) AS score
    FROM (
        SELECT reach.id, said.word, max(reach.share * said.weight) AS weight
        FROM (
            SELECT id, id AS at, 1 AS share FROM candidate
            UNION ALL
            SELECT id, previous, fade * (:previous_share::float8
                + CASE WHEN replies THEN :reply_share::float8 ELSE 0 END)
            FROM candidate WHERE previous IS NOT NULL
            UNION ALL
            SELECT c.id, s.id, c.fade * :next_share::float8
            FROM candidate c JOIN scanned s ON s.previous = c.id
        ) AS reach
        JOIN said ON said.id = reach.at
        GROUP BY reach.id, said.word
    ) AS word
    GROUP BY id
), scaled AS (
    SELECT c.id, c.session_id, c.speaker, c.question_share, c.similarity, coalesce(h.score, 0) AS words_score,
        coalesce((coalesce(h.score, 0) - min(coalesce(h.score, 0)) OVER ())
            / nullif(max(h.score) OVER () - min(coalesce(h.score, 0)) OVER (), 0), sign(coalesce(h.score, 0))) AS word_part,
        coalesce((coalesce(c.meaning, 0) - min(coalesce(c.meaning, 0)) OVER ())
            / nullif(max(c.meaning) OVER () - min(coalesce(c.meaning, 0)) OVER (), 0), sign(coalesce(c.meaning, 0)))
            AS meaning_part
    FROM candidate c LEFT JOIN heard h USING (id)
), mixed AS (
    SELECT *, ((1 - :vector_weight::float8) * word_part + :vector_weight * meaning_part) AS base
    FROM scaled
), boosted AS (
    SELECT m.id, m.similarity, o.score AS keyword_score, m.base,
        -m.base * :question_penalty::float8 * m.question_share AS question_boost,
        :session_boost::float8 * max(m.base * (1 - :question_penalty * m.question_share))
            OVER (PARTITION BY coalesce(m.session_id, m.id)) AS session_boost,
        :time_boost::float8 * coalesce(t.nearness, 0) AS time_boost,
        CASE WHEN m.speaker = 'user' AND bool_or(m.speaker = 'assistant') OVER ()
            THEN :user_boost::float8 ELSE 0 END AS user_boost,
        k.rank AS keyword_rank, v.rank AS semantic_rank
    FROM mixed m
    LEFT JOIN own o USING (id)
    LEFT JOIN keyword_top k USING (id)
    LEFT JOIN semantic_top v USING (id)
    LEFT JOIN timed t USING (id)
), ranked AS MATERIALIZED (
    SELECT *, CASE :fusion::text
        WHEN 'rrf' THEN coalesce(1 / (:rrf_k::float8 + keyword_rank), 0) + coalesce(1 / (:rrf_k + semantic_rank), 0)
        ELSE base + question_boost + session_boost + time_boost + user_boost
    END AS score
    FROM boosted
    WHERE :fusion <> 'rrf' OR keyword_rank IS NOT NULL OR semantic_rank IS NOT NULL
    ORDER BY score DESC, id
    LIMIT :limit
)
SELECT r.score, r.keyword_rank, r.semantic_rank, r.keyword_score, r.similarity AS semantic_score, r.base,
    r.question_boost, r.session_boost, r.time_boost, r.user_boost, m.*
FROM ranked r JOIN memory_records m USING (id)
WHERE m.workspace_id = :workspace AND m.id = ANY(ARRAY(SELECT id FROM ranked))
ORDER BY r.score DESC, r.id;

-- name: recent_search
-- The newest memories first, under the same filters.
SELECT m.*
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
