-- fragment: similarity
-- The cosine similarity of the row's vector of the model in use; during a change of models it may stand in the second place.
CASE WHEN i.embedding_model = :model::smallint THEN -(i.{{ vector_column }} <#> {{ embedding }})
    {% if changing %}
    WHEN i.next_model = :model THEN -(i.next_{{ vector_column }} <#> {{ embedding }})
    {% endif %}
    END

-- fragment: has_vector
(i.embedding_model = :model {% if changing %} OR i.next_model = :model {% endif %})

-- fragment: states
-- Whether ``i`` is a memory that states something, and nothing that happened or was said.
(i.kind = 0 AND i.type NOT IN ('event', 'observation'))

-- fragment: saturation
-- How much of a vector's score counts for the few words of ``i``. Past exp(-700) Postgres would raise an underflow.
(1 - exp(-least(i.words / CASE WHEN {% include "states" %} THEN :statement_saturation::float8 ELSE :words_saturation::float8 END, 700)))

-- fragment: meaning
-- What rows ``i`` are ranked by where only their vectors count.
{% include "similarity" %} * {% include "saturation" %}

-- fragment: around_words
-- The best by words, with the turns right before and after the better half of them.
SELECT id FROM by_words
    UNION
    SELECT previous FROM (SELECT previous FROM by_words LIMIT :lenders::integer) AS l
    UNION
    SELECT i.id FROM search_index i
    WHERE i.workspace_id = :workspace AND i.previous = ANY(ARRAY(SELECT id FROM by_words LIMIT :lenders))

-- fragment: near_in_time
-- The best by vectors of what happened near a time that the question names or, where it asks for nothing else, what
-- matters most.
{% if timed and (by_vector or time_only) %}
    UNION
    (SELECT i.id FROM search_index i, unnest(:near_starts::timestamptz[], :near_ends::timestamptz[]) AS w(since, until)
     WHERE {% include "visible_row" %} AND i.ann = ANY('{true,false}')
        AND (i.happened_at >= w.since OR i.happened_until > w.since) AND i.happened_at < w.until
     ORDER BY {% if by_vector %} {% include "meaning" %} DESC NULLS LAST {% else %} {% include "effective_importance" %} DESC {% endif %}, i.id
     LIMIT :candidates)
{% endif %}

-- fragment: sources
-- The messages that a memory came from, where those are searched beside it.
{% if with_sources %} CASE WHEN i.kind = 0 THEN ARRAY(
        SELECT x.message_id FROM memory_sources x WHERE x.workspace_id = :workspace AND x.memory_id = i.id ORDER BY x.message_id
    ) END {% else %} NULL::uuid[] {% endif %}

-- fragment: features
-- What candidates are ranked by; ``weights`` are those of the question's ``words`` that are in the row, ``sources`` the
-- messages that a memory came from.
SELECT i.id, i.previous, i.session_id, date_part('epoch', i.happened_at) AS happened_at, date_part('epoch', i.happened_until) AS happened_until, i.speaker, i.length, i.words, i.asks, i.question_share,
    {% if by_vector %} {% include "similarity" %} {% else %} NULL {% endif %} AS similarity, s.terms, s.weights,
    {% include "sources" %} AS sources,
    {% include "effective_importance" %} AS importance, coalesce(s.fields, 0) AS fields, {% include "states" %} AS states
FROM search_index i LEFT JOIN (
    SELECT id, array_agg(word) AS terms, array_agg(weight) AS weights, {% include "fields_met" %} AS fields
    FROM (SELECT * FROM term_score {% if large %} UNION ALL SELECT * FROM skipped_score {% endif %}) AS p
    WHERE id IN (SELECT id FROM candidate)
    GROUP BY id
) AS s USING (id)
WHERE {% include "visible_row" %} AND i.id = ANY(ARRAY(SELECT id FROM candidate))

-- name: exact_candidates
-- Of small audiences: every visible row is compared with the question's vector, every posting of its words read.
{% set large, text, embedding = false, "q.text", "q.embedding" %}
SELECT found.*, q.number
FROM unnest(:texts::text[], :embeddings::{{ vector_type }}[]) WITH ORDINALITY AS q(text, embedding, number), LATERAL (
WITH term AS MATERIALIZED ({% include "terms" %}), posting AS MATERIALIZED (
    SELECT p.id, t.word, t.kind, p.frequency, p.length
    FROM search_terms p JOIN term t USING (term)
    WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(SELECT term FROM term))
), term_idf AS MATERIALIZED (
    SELECT word, {% include "idf" %} AS idf FROM (
        SELECT word, n.rows, count(*) FILTER (WHERE p.kind = n.kind) AS held
        FROM posting p CROSS JOIN ({% include "largest_kind" %}) AS n GROUP BY word, n.rows
    ) AS h
), term_score AS MATERIALIZED (
    SELECT p.id, p.word, p.frequency, {% include "bm25_weight" %} AS weight FROM posting p JOIN term_idf r USING (word)
), scored AS MATERIALIZED (
    -- As real: sums of the same weights in another order are one score.
    SELECT id, sum(weight)::real AS score FROM term_score GROUP BY id
), by_words AS MATERIALIZED (
    SELECT i.id, i.previous
    FROM search_index i JOIN scored s USING (id)
    WHERE {% include "visible_row" %} AND i.id = ANY(ARRAY(SELECT id FROM scored))
    ORDER BY s.score DESC, i.id
    LIMIT :candidates::integer
), candidate AS MATERIALIZED (
    {% include "around_words" %}
    {% if by_vector %}
    UNION
    (SELECT i.id FROM search_index i
     WHERE {% include "visible_row" %} AND {% include "has_vector" %}
     ORDER BY {% include "meaning" %} DESC, i.id LIMIT :candidates)
    {% endif %}
    {% include "near_in_time" %}
)
{% include "features" %}) AS found;

-- name: recent_candidates
-- The newest.
SELECT i.id, i.happened_at, {% include "sources" %} AS sources
FROM search_index i WHERE {% include "visible_row" %} ORDER BY i.happened_at DESC, i.id DESC LIMIT :limit;
