-- fragment: visible_row
-- What a search may find: rows ``i`` of the reader's audiences that are live at ``as_of`` and pass the filters that are
-- set.
i.workspace_id = :workspace AND i.audience = ANY(:audiences::uuid[]) AND i.kind = ANY(:kinds::smallint[])
    AND NOT i.deleted {% if unfaded %} AND NOT i.faded {% endif %}
    AND i.valid_from <= :as_of::timestamptz
    AND (i.valid_until IS NULL OR i.valid_until > :as_of)
    AND (i.expires_at IS NULL OR i.expires_at > :as_of)
    {% if said_by %} AND (i.kind <> 1 OR i.user_name = :said_by::text) {% endif %}
    {% if types %} AND i.type = ANY(:types::text[]) {% endif %}
    {% if scopes %} AND i.scope = ANY(:scopes::text[]) {% endif %}
    {% if tags_any %} AND i.tags && :tags_any::text[] {% endif %}
    {% if tags_all %} AND i.tags @> :tags_all::text[] {% endif %}
    {% if user %} AND i.user_name = :user::text {% endif %}
    {% if session_id %} AND i.session_id = :session_id::uuid {% endif %}
    {% if task_id %} AND i.task_id = :task_id::uuid {% endif %}
    {% if min_importance %} AND i.importance >= :min_importance::float8 {% endif %}
    {% if since %} AND i.happened_at >= :since::timestamptz {% endif %}
    {% if until %} AND i.happened_at < :until::timestamptz {% endif %}
    {% if metadata %}
    AND EXISTS (
        SELECT 1 FROM memories m
        WHERE m.workspace_id = :workspace AND m.id = i.id AND m.metadata @> :metadata::jsonb)
    {% endif %}

-- fragment: similarity
-- The cosine similarity of the row's vector of the model in use, if it has one; while models are being changed it may
-- still stand beside the former one's.
CASE WHEN i.embedding_model = :model::smallint THEN -(i.{{ vector_column }} <#> :embedding::{{ vector_type }})
    {% if changing %}
    WHEN i.next_model = :model THEN -(i.next_{{ vector_column }} <#> :embedding::{{ vector_type }})
    {% endif %}
    END

-- fragment: saturation
-- How much of a vector's score counts for the few words of ``i``. Past exp(-700) Postgres would raise an underflow.
(1 - exp(-least(i.words / :words_saturation::float8, 700)))

-- fragment: meaning
-- What rows ``i`` are ranked by where only their vectors count.
{% include "similarity" %} * {% include "saturation" %}

-- fragment: terms
-- The words of the question, numbered, each with the keys of its posting lists: one for each audience and kind.
SELECT l.word, t.term
FROM (
        SELECT lexeme, row_number() OVER () AS word
        FROM (
            SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(g.configuration::regconfig, :text))) AS lexeme
            FROM unnest(:languages::text[]) AS g(configuration)
        ) AS any_language
    ) AS l,
    unnest(:audiences::uuid[]) AS a(audience), unnest(:kinds::smallint[]) AS k(kind), reverie_term_v1(a.audience, k.kind, l.lexeme) AS t(term)

-- fragment: idf
-- How rare a word is that ``held`` rows have, of those searched: as last counted, and of small audiences as they are.
ln((1 + (greatest(:counted_rows::bigint + (
    SELECT count(*) FROM search_index i
    WHERE i.workspace_id = :workspace AND i.audience = ANY(:uncounted::uuid[]) AND i.kind = ANY(:kinds)
) - held, 0) + 0.5) / (held + 0.5))::float8)

-- fragment: bm25_weight
-- BM25 of one posting ``p`` of a word with this ``idf``; the document's length has a floor and a fixed reference.
idf * p.frequency * (:k1::float8 + 1) / (p.frequency + :k1 * (1 - :b::float8
    + :b * greatest(p.length, :length_floor::integer) / :length_reference::float8))

-- fragment: around_words
-- The best by words, with the turns right before and after the better half of them.
SELECT id FROM by_words
    UNION
    SELECT previous FROM (SELECT previous FROM by_words LIMIT :lenders::integer) AS l
    UNION
    SELECT i.id FROM search_index i
    WHERE i.workspace_id = :workspace AND i.previous = ANY(ARRAY(SELECT id FROM by_words LIMIT :lenders))

-- fragment: features
-- What candidates are ranked by; ``weights`` are those of the question's ``words`` that are in the row.
SELECT i.id, i.previous, i.session_id, i.happened_at, i.speaker, i.length, i.words, i.asks, i.question_share,
    {% if by_vector %} {% include "similarity" %} {% else %} NULL {% endif %} AS similarity, s.said, s.weights
FROM search_index i LEFT JOIN (
    SELECT id, array_agg(word) AS said, array_agg(weight) AS weights
    FROM (SELECT * FROM said {% if large %} UNION ALL SELECT * FROM also {% endif %}) AS w
    WHERE id IN (SELECT id FROM candidate)
    GROUP BY id
) AS s USING (id)
WHERE {% include "visible_row" %} AND i.id = ANY(ARRAY(SELECT id FROM candidate))

-- name: exact_candidates
-- Of audiences so small that each visible row is compared with the question's vector, and every posting of its words
-- read.
{% set large = false %}
WITH term AS MATERIALIZED (
    {% include "terms" %}
), posting AS MATERIALIZED (
    SELECT p.id, t.word, p.frequency, p.length
    FROM search_terms p JOIN term t USING (term)
    WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(SELECT term FROM term))
), rarity AS MATERIALIZED (
    SELECT word, {% include "idf" %} AS idf FROM (SELECT word, count(*) AS held FROM posting GROUP BY word) AS h
), said AS MATERIALIZED (
    SELECT p.id, p.word, {% include "bm25_weight" %} AS weight FROM posting p JOIN rarity r USING (word)
), visible AS MATERIALIZED (
    SELECT i.id, i.previous, i.happened_at, {% if by_vector %} {% include "meaning" %} {% else %} NULL {% endif %} AS meaning
    FROM search_index i
    WHERE {% include "visible_row" %} {% if not by_vector %} AND i.id = ANY(ARRAY(SELECT id FROM said)) {% endif %}
), by_words AS MATERIALIZED (
    SELECT v.id, v.previous
    FROM visible v JOIN (SELECT id, sum(weight) AS score FROM said GROUP BY id) AS s USING (id)
    ORDER BY s.score DESC, v.id
    LIMIT :candidates::integer
), candidate AS MATERIALIZED (
    {% include "around_words" %}
    UNION
    (SELECT id FROM visible WHERE meaning IS NOT NULL ORDER BY meaning DESC, id LIMIT :candidates)
    {% if timed %}
    UNION
    (SELECT v.id FROM visible v, unnest(:near_starts::timestamptz[], :near_ends::timestamptz[]) AS w(since, until)
     WHERE v.happened_at >= w.since AND v.happened_at < w.until AND v.meaning IS NOT NULL
     ORDER BY v.meaning DESC, v.id LIMIT :candidates)
    {% endif %}
)
{% include "features" %};

-- name: recent_candidates
-- The newest.
SELECT i.id FROM search_index i WHERE {% include "visible_row" %} ORDER BY i.happened_at DESC, i.id DESC LIMIT :limit;
