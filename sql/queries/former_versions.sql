-- name: former_versions
-- Of the memories of these audiences that have changed since ``as_of``, the version of then (the first, of those that
-- were stored later than they hold from), and whether it was live then, in today's scope, and passes the filters that
-- are set. A changed text has the vector that was archived with it.
{% set embedding = ":embedding::" ~ vector_type %}
SELECT m.id, i.session_id, x.*, coalesce(x.occurred_at, x.valid_from) AS happened_at, x.occurred_until AS happened_until,
    reverie_precision_v1(x.occurred_at, x.occurred_until) AS occurred_precision,
    {% if with_sources %} ARRAY(
        SELECT s.message_id FROM memory_sources s WHERE s.workspace_id = :workspace AND s.memory_id = m.id ORDER BY s.message_id
    ) {% else %} NULL::uuid[] {% endif %} AS sources,
    {% if by_vector %} CASE WHEN x.content = m.content THEN {% include "similarity" %} ELSE (
        SELECT -(w.embedding <#> {{ embedding }}::halfvec) FROM memory_versions w
        WHERE w.workspace_id = :workspace AND w.memory_id = m.id AND w.record ->> 'content' = x.content
            AND w.embedding_model = :model
        LIMIT 1
    ) END {% else %} NULL::float8 {% endif %} AS similarity,
    NOT i.deleted {% if unfaded %} AND NOT i.faded {% endif %}
    {% if without_summaries %} AND NOT i.window_summary {% endif %}
    AND x.deleted_at IS NULL AND x.valid_from <= :as_of
    AND (x.valid_until IS NULL OR x.valid_until > :as_of) AND (x.expires_at IS NULL OR x.expires_at > :as_of)
    AND x.scope = m.scope AND x.owners = m.owners
    AND x.team IS NOT DISTINCT FROM (SELECT t.team FROM teams t WHERE t.workspace_id = :workspace AND t.id = m.team_id)
    AND x.task IS NOT DISTINCT FROM (SELECT t.task FROM tasks t WHERE t.workspace_id = :workspace AND t.id = m.task_id)
    {% if types %} AND x.type = ANY(:types::text[]) {% endif %}
    {% if scopes %} AND x.scope = ANY(:scopes::text[]) {% endif %}
    {% if tags_any %} AND x.tags && :tags_any::text[] {% endif %}
    {% if tags_all %} AND x.tags @> :tags_all::text[] {% endif %}
    {% if viewer %} AND (m.owners = '{}' OR m.owners @> :viewer::text[]) {% endif %}
    {% if user %} AND x."user" IS NOT DISTINCT FROM :user::text {% endif %}
    {% if session_id %} AND i.session_id IS NOT DISTINCT FROM :session_id::uuid {% endif %}
    {% if task_id %} AND i.task_id IS NOT DISTINCT FROM :task_id::uuid {% endif %}
    {% if metadata %} AND x.metadata @> :metadata::jsonb {% endif %}
    {% if where %} AND EXISTS (
        SELECT 1 FROM (
            SELECT x.type, x.scope, x."user" AS user_name, x.hearsay_by, x.origin, x.key, x.status, x.importance, x.confidence, x.tags,
                x.metadata, x.source, x.decay_exempt, x.occurred_at, x.valid_from, x.valid_until, x.expires_at, x.updated_at,
                m.created_at, m.agent_id, m.team_id, m.task_id, m.session_id
        ) AS m, (SELECT :where_values::jsonb AS v) w
        WHERE {% include "where" %})
    {% endif %}
    {% if min_importance %} AND x.importance >= :min_importance::float8 {% endif %}
    {% if since %} AND (coalesce(x.occurred_at, x.valid_from) >= :since::timestamptz OR x.occurred_until > :since) {% endif %}
    {% if until %} AND coalesce(x.occurred_at, x.valid_from) < :until::timestamptz {% endif %}
    {% if created_since %} AND m.created_at >= :created_since::timestamptz {% endif %} AS visible
FROM memories m
JOIN search_index i ON i.workspace_id = :workspace AND i.id = m.id
{% include "version_then" %}
WHERE m.workspace_id = :workspace AND m.audience = ANY(:audiences::uuid[]) AND m.updated_at > :as_of::timestamptz;

-- name: former_weights
-- BM25 of the question's words in texts that are on no posting list, with the rarity that words have now, and how long
-- the texts are.
WITH lexeme AS MATERIALIZED (
    SELECT lexeme, row_number() OVER () AS word
    FROM (
        SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(g.configuration::regconfig, :text))) AS lexeme
        FROM unnest(:languages::text[]) AS g(configuration)
    ) AS any_language
), term_idf AS MATERIALIZED (
    SELECT lexeme, word, {% include "idf" %} AS idf
    FROM (
        SELECT l.lexeme, l.word, n.rows, (
            SELECT count(*) FROM search_terms p WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(
                SELECT reverie_term_v1(a.audience, n.kind, l.lexeme) FROM unnest(:audiences::uuid[]) AS a(audience)
            ))
        ) AS held
        FROM lexeme l CROSS JOIN ({% include "largest_kind" %}) AS n
    ) AS h
), item AS MATERIALIZED (
    SELECT i.id, x.lexemes || {% include "field_lexemes" %} AS lexemes, {% include "word_count" %} AS length
    FROM jsonb_to_recordset(:items::jsonb) AS i(
        id uuid, language text, lexical text, lexical_key text, lexical_tags text, lexical_summary text
    )
    CROSS JOIN LATERAL (SELECT i.language) AS c(configuration)
    CROSS JOIN LATERAL (SELECT to_tsvector(c.configuration::regconfig, i.lexical) OFFSET 0) AS x(lexemes)
), posting AS (
    SELECT i.id, i.length, l.lexeme, {% include "posting_frequency" %} AS frequency
    FROM item i, unnest(i.lexemes) AS l(lexeme, positions, weights)
), weight AS (
    SELECT p.id, r.word, p.frequency, {% include "bm25_weight" %} AS weight FROM posting p JOIN term_idf r USING (lexeme)
)
SELECT i.id, i.length, array_agg(p.word) FILTER (WHERE p.word IS NOT NULL) AS terms,
    array_agg(p.weight) FILTER (WHERE p.word IS NOT NULL) AS weights, coalesce({% include "fields_met" %}, 0) AS fields
FROM item i LEFT JOIN weight p USING (id)
GROUP BY i.id, i.length;
