-- fragment: undreamed_messages
-- Of the reader's agents, messages that no dream has read yet.
SELECT u.id FROM sessions s JOIN messages u ON u.workspace_id = :workspace AND u.session_id = s.id AND u.seq > s.dreamed_seq
    WHERE s.workspace_id = :workspace AND s.agent_id = ANY(:audiences) AND s.dreamed_seq < s.last_seq

-- fragment: visible_row
-- Rows ``i`` of the reader's audiences that are live at ``as_of`` and pass the filters that are set.
i.workspace_id = :workspace AND i.audience = ANY(:audiences::uuid[]) AND i.kind = ANY(:kinds::smallint[])
    AND NOT i.deleted
    {% if unfaded %}
    AND (i.decays_from IS NULL OR i.decays_from > :undecayed_since::timestamptz OR {% include "effective_importance" %} >= :faded_below::float8)
    {% endif %}
    AND i.valid_from <= :as_of::timestamptz
    AND (i.valid_until IS NULL OR i.valid_until > :as_of)
    AND (i.expires_at IS NULL OR i.expires_at > :as_of)
    {% if said_by %} AND (i.kind <> 1 OR i.user_name = :said_by::text) {% endif %}
    {% if undreamed %} AND (i.kind <> 1 OR i.id IN ({% include "undreamed_messages" %})) {% endif %}
    {% if without_changed %} AND NOT (i.kind = 0 AND i.id = ANY(:changed::uuid[])) {% endif %}
    {% if without_summaries %} AND NOT i.window_summary {% endif %}
    {% if documents %} AND (i.kind <> 2 OR i.id IN (
        SELECT c.id FROM chunks c WHERE c.workspace_id = :workspace AND c.document_id = ANY(:documents::uuid[])))
    {% endif %}
    {% if types %} AND i.type = ANY(:types::text[]) {% endif %}
    {% if scopes %} AND i.scope = ANY(:scopes::text[]) {% endif %}
    {% if tags_any %} AND i.tags && :tags_any::text[] {% endif %}
    {% if tags_all %} AND i.tags @> :tags_all::text[] {% endif %}
    {% if user %} AND i.user_name = :user::text {% endif %}
    {% if session_id %} AND i.session_id = :session_id::uuid {% endif %}
    {% if task_id %} AND i.task_id = :task_id::uuid {% endif %}
    {% if min_importance %} AND {% include "effective_importance" %} >= :min_importance::float8 {% endif %}
    {% if since %} AND i.happened_at >= :since::timestamptz {% endif %}
    {% if until %} AND i.happened_at < :until::timestamptz {% endif %}
    {% if metadata %} AND EXISTS (
        SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.id = i.id AND m.metadata @> :metadata::jsonb)
    {% endif %}
    {% if by_where %} AND i.id = ANY(:listed_ids::uuid[])
    {% elif where %} AND i.kind = 0 AND EXISTS (
        SELECT 1 FROM memories m, (SELECT :where_values::jsonb AS v) w
        WHERE m.workspace_id = :workspace AND m.id = i.id AND {% include "where" %})
    {% endif %}
    {% if entities %} AND i.kind = 0 AND i.id IN (
        SELECT e.source_id FROM entity_aliases a
        JOIN edges e ON e.workspace_id = :workspace AND e.target_id = a.entity_id AND e.source_kind = 'memory'
        WHERE a.workspace_id = :workspace AND a.audience = ANY(:audiences) AND a.alias = ANY(:entities::text[]))
    {% endif %}

-- fragment: effective_importance
-- The importance of row ``i`` now: that of an event or observation is halved for every full period without use.
CASE WHEN i.decays_from IS NULL THEN i.importance ELSE i.base_importance * power(0.5::float8, least(1000, greatest(0,
    floor(extract(epoch FROM :now::timestamptz - i.decays_from) / (86400.0 * :decay_days::integer))
))::float8) END

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

-- fragment: terms
-- The words of the question, numbered, each with the keys of its posting lists: one for each audience and kind.
SELECT l.word, t.term
FROM (
        SELECT lexeme, row_number() OVER () AS word
        FROM (
            SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(g.configuration::regconfig, {{ text }}))) AS lexeme
            FROM unnest(:languages::text[]) AS g(configuration)
        ) AS any_language
    ) AS l,
    unnest(:audiences::uuid[]) AS a(audience), unnest(:posted_kinds::smallint[]) AS k(kind), reverie_term_v1(a.audience, k.kind, l.lexeme) AS t(term)

-- fragment: idf
-- How rare a word is that ``held`` rows have, of those searched: as last counted, and of small audiences as they are.
ln((1 + (greatest(:counted_rows::bigint + (
    SELECT count(*) FROM search_index i
    WHERE i.workspace_id = :workspace AND i.audience = ANY(:uncounted::uuid[]) AND i.kind = ANY(:kinds)
) - held, 0) + 0.5) / (held + 0.5))::float8)

-- fragment: frequency
-- How often the word of posting ``p`` is in the content, and a share of once for each other field that it is in.
CASE WHEN p.frequency < 4096 THEN p.frequency ELSE (p.frequency & 4095)
    + CASE WHEN p.frequency & 4096 > 0 THEN :key_weight::float8 ELSE 0 END
    + CASE WHEN p.frequency & 8192 > 0 THEN :tag_weight::float8 ELSE 0 END
    + CASE WHEN p.frequency & 16384 > 0 THEN :summary_weight::float8 ELSE 0 END END

-- fragment: fields_met
-- The fields that words with these postings ``p`` are in, as bits: content, key, tags, summary.
bit_or((p.frequency >> 12) * 2 + CASE WHEN p.frequency & 4095 > 0 THEN 1 ELSE 0 END)

-- fragment: bm25_weight
-- BM25 of one posting ``p`` of a word with this ``idf``; the document's length has a floor and a fixed reference.
idf * ({% include "frequency" %}) * (:k1::float8 + 1) / (({% include "frequency" %}) + :k1 * (1 - :b::float8
    + :b * greatest(p.length, :length_floor::integer) / :length_reference::float8))

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
        AND i.happened_at >= w.since AND i.happened_at < w.until
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
SELECT i.id, i.previous, i.session_id, i.happened_at, i.speaker, i.length, i.words, i.asks, i.question_share,
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
    SELECT p.id, t.word, p.frequency, p.length
    FROM search_terms p JOIN term t USING (term)
    WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(SELECT term FROM term))
), term_idf AS MATERIALIZED (
    SELECT word, {% include "idf" %} AS idf FROM (SELECT word, count(*) AS held FROM posting GROUP BY word) AS h
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

-- name: visible_id
-- A row, if it is visible under the filters that are set.
SELECT i.id FROM search_index i WHERE {% include "visible_row" %} AND i.id = :id::uuid;

-- name: row_state
-- Why a row may be hidden whatever is asked.
SELECT NOT i.audience = ANY(:audiences::uuid[]) AS of_other_audience, i.deleted,
    coalesce(i.valid_until <= :as_of::timestamptz, false) AS superseded, i.valid_from > :as_of AS later,
    coalesce(i.expires_at <= :as_of, false) AS expired
FROM search_index i WHERE i.workspace_id = :workspace AND i.id = :id::uuid;
