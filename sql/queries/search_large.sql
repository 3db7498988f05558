-- fragment: nearest_rows
-- By their ``meaning``, the nearest rows by parts of the HNSW index (of an index of signs, the nearest of 8 times as
-- many), and by an exact look at what is not in these: what is new, what is of small audiences or of one that was large
-- once and, while the model is being changed, what has its vector in the second place.
SELECT id, -distance * saturation AS meaning FROM (
        {% for part in parts %}
        {% if signs %}
        (SELECT s.id, s.vector <#> :embedding::halfvec AS distance, s.saturation
         FROM (
            SELECT i.id, i.embedding AS vector, {% include "saturation" %} AS saturation FROM search_index i
            WHERE i.ann AND i.embedding_model = {{ model }} AND i.part = {{ part }} AND {% include "visible_row" %}
            ORDER BY binary_quantize(i.embedding::halfvec({{ dim }}))::bit({{ dim }})
                <~> binary_quantize(:embedding::halfvec({{ dim }}))::bit({{ dim }})
            LIMIT 8 * :nearest_max
         ) AS s
         ORDER BY distance LIMIT :nearest_max)
        {% else %}
        (SELECT i.id, i.{{ vector_column }} <#> :embedding::{{ vector_type }} AS distance, {% include "saturation" %} AS saturation
         FROM search_index i
         WHERE i.ann AND i.embedding_model = {{ model }} AND i.part = {{ part }} AND {% include "visible_row" %}
         ORDER BY i.{{ vector_column }}::halfvec({{ dim }}) <#> :embedding::halfvec({{ dim }})
         LIMIT :nearest_max)
        {% endif %}
        UNION ALL
        {% endfor %}
        {% for unindexed in ("NOT i.ann", "i.ann AND i.audience = ANY(:in_no_part::uuid[])") %}
        (SELECT i.id, i.{{ vector_column }} <#> :embedding::{{ vector_type }} AS distance, {% include "saturation" %} AS saturation
         FROM search_index i
         WHERE {{ unindexed }} AND i.embedding_model = {{ model }} AND {% include "visible_row" %}
         ORDER BY distance LIMIT :nearest_max)
        {% if not loop.last %} UNION ALL {% endif %}
        {% endfor %}
        {% if changing %}
        UNION ALL
        (SELECT i.id, i.next_{{ vector_column }} <#> :embedding::{{ vector_type }} AS distance, {% include "saturation" %} AS saturation
         FROM search_index i
         WHERE i.ann = ANY('{true,false}') AND i.next_model = {{ model }} AND {% include "visible_row" %}
         ORDER BY distance LIMIT :nearest_max)
        {% endif %}
    ) AS n
    ORDER BY distance, id
    LIMIT :nearest_max

-- name: large_candidates
-- Of large audiences: of their commonest words only those that are needed are read, the others only weighed, and
-- vectors come from an HNSW index (``by_index``), from the list of a filter (``listed``), or all. Where an index gives
-- too few that pass a filter, all are compared.
{% set large, text, embedding = true, ":text", ":embedding::" ~ vector_type %}
WITH nearest AS MATERIALIZED (
    {% if by_index %} {% include "nearest_rows" %} {% elif listed %} {% include "listed_rows" %}
    {% else %} SELECT NULL::uuid AS id WHERE false {% endif %}
), term AS MATERIALIZED (
    SELECT word, kind, term, rows, rows IS NULL OR n = 1 OR reading <= :postings_max::integer AS read
    FROM (
        SELECT *, dense_rank() OVER rarest AS n, sum(coalesce(rows, 0)) OVER rarest AS reading
        FROM (
            SELECT t.*, c.rows, sum(coalesce(c.rows, 0)) OVER (PARTITION BY t.word) AS everywhere
            FROM ({% include "terms" %}) AS t LEFT JOIN LATERAL (
                SELECT rows FROM common_terms WHERE workspace_id = :workspace AND term = t.term LIMIT 1
            ) AS c ON true
        ) AS t
        WINDOW rarest AS (ORDER BY everywhere, word)
    ) AS t
), term_idf AS MATERIALIZED (
    SELECT t.term, t.word, t.read, h.idf
    FROM term t JOIN (
        SELECT word, {% include "idf" %} AS idf FROM (
            SELECT word, n.rows, sum(coalesce(t.rows, (
                SELECT count(*) FROM search_terms p WHERE p.workspace_id = :workspace AND p.term = t.term
            ))) FILTER (WHERE t.kind = n.kind) AS held
            FROM term t CROSS JOIN ({% include "largest_kind" %}) AS n GROUP BY word, n.rows
        ) AS h
    ) AS h USING (word)
), term_score AS MATERIALIZED (
    -- LEFT JOIN, though each term has its idf: the planner estimates all postings, and hashes the smaller side.
    SELECT p.id, r.word, p.frequency, {% include "bm25_weight" %} AS weight
    FROM search_terms p LEFT JOIN term_idf r USING (term)
    WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(SELECT term FROM term WHERE read))
        {% if listed %} AND p.id IN (SELECT id FROM nearest) {% endif %}
), shortlist AS MATERIALIZED (
    SELECT id, sum(weight) AS score FROM term_score GROUP BY id ORDER BY sum(weight)::real DESC, id LIMIT :shortlist::integer
), fetched_first AS MATERIALIZED (
    SELECT i.id, i.previous, s.score FROM search_index i JOIN shortlist s USING (id)
    WHERE {% include "visible_row" %} AND i.id = ANY(ARRAY(SELECT id FROM shortlist))
), fetched_rest AS MATERIALIZED (
    -- Where too few of those pass a filter: all others that were read.
    {% if filtered %}
    SELECT i.id, i.previous, s.score
    FROM search_index i JOIN (SELECT id, sum(weight) AS score FROM term_score GROUP BY id) AS s USING (id)
    WHERE {% include "visible_row" %} AND (SELECT count(*) FROM fetched_first) < :candidates::integer
        AND i.id = ANY(ARRAY(SELECT id FROM term_score EXCEPT SELECT id FROM shortlist))
    {% else %} SELECT * FROM fetched_first WHERE false {% endif %}
), skipped_score AS MATERIALIZED (
    SELECT p.id, r.word, p.frequency, {% include "bm25_weight" %} AS weight
    FROM search_terms p JOIN term_idf r USING (term)
    WHERE p.workspace_id = :workspace AND EXISTS (SELECT 1 FROM term_idf WHERE NOT read)
        AND p.term = ANY(ARRAY(SELECT term FROM term_idf WHERE NOT read))
        AND p.id = ANY(ARRAY(SELECT id FROM fetched_first UNION ALL SELECT id FROM fetched_rest))
), by_words AS MATERIALIZED (
    SELECT id, previous
    FROM (SELECT * FROM fetched_first UNION ALL SELECT * FROM fetched_rest) AS k
        LEFT JOIN (SELECT id, sum(weight) AS more FROM skipped_score GROUP BY id) AS a USING (id)
    ORDER BY (score + coalesce(more, 0))::real DESC, id
    LIMIT :candidates
), candidate AS MATERIALIZED (
    {% include "around_words" %}
    {% if by_vector %}
    UNION
    (SELECT i.id FROM search_index i
     WHERE {% include "visible_row" %} AND {% include "has_vector" %}
        {% if by_index %} AND (SELECT count(*) FROM nearest) < :nearest_max::integer {% endif %}
        {% if listed %} AND i.id = ANY(ARRAY(SELECT id FROM nearest)) {% endif %}
     ORDER BY {% include "meaning" %} DESC, i.id LIMIT :candidates)
    {% endif %}
    {% if by_index %} UNION (SELECT id FROM nearest ORDER BY meaning DESC, id LIMIT :candidates) {% endif %}
    {% include "near_in_time" %}
)
{% include "features" %};
