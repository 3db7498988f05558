-- fragment: session_rows
-- Rows of the session that a filter names.
FROM search_index i
    WHERE i.workspace_id = :workspace AND i.session_id = :session_id AND i.kind = ANY(:kinds)

-- fragment: time_rows
-- Rows of the time that a filter names.
FROM search_index i
    WHERE i.workspace_id = :workspace AND i.audience = ANY(:audiences) AND i.kind = ANY(:kinds)
        AND i.ann = ANY('{true,false}') AND (i.happened_at >= coalesce(:since::timestamptz, '-infinity') OR i.happened_until > :since)
        AND i.happened_at < coalesce(:until::timestamptz, 'infinity')

-- name: filter_list_sizes
-- For each filter that has lists of what may pass it, how much is on them: of long ones as last counted, of others up
-- to ``most``; of the filter ``where`` the rows themselves.
SELECT w.filter, w.terms, NULL::uuid[] AS ids, coalesce((
        SELECT sum(c.rows)::bigint FROM common_terms c WHERE c.workspace_id = :workspace AND c.term = ANY(w.terms)
    ), (
        SELECT count(*) FROM (
            SELECT 1 FROM search_terms p WHERE p.workspace_id = :workspace AND p.term = ANY(w.terms) LIMIT :most
        ) AS p
    )) AS rows
FROM (
    SELECT f.filter, array_agg(reverie_term_v1(a.audience, k.kind, f.facet)) AS terms
    FROM (
            SELECT 'user' AS filter, unnest(reverie_facets_v1(NULL, :user::text, NULL, NULL)) AS facet
            UNION ALL
            SELECT 'viewer', unnest(reverie_facets_v1(NULL, NULL, NULL, '{}') || reverie_facets_v1(NULL, NULL, NULL, :viewer::text[]))
            WHERE {% if viewer %} true {% else %} false {% endif %}
            UNION ALL
            SELECT 'tags', unnest(reverie_facets_v1(NULL, NULL, :tags_any::text[], NULL))
            UNION ALL
            SELECT 'tag ' || t.tag, unnest(reverie_facets_v1(NULL, NULL, ARRAY[t.tag], NULL)) FROM unnest(:tags_all::text[]) AS t(tag)
            UNION ALL
            SELECT 'types', unnest(reverie_facets_v1(t.type, NULL, NULL, NULL)) FROM unnest(:types::text[]) AS t(type)
        ) AS f,
        unnest(:audiences::uuid[]) AS a(audience),
        unnest(:kinds::smallint[]) AS k(kind)
    GROUP BY f.filter
) AS w
UNION ALL
SELECT 'session', NULL, NULL, count(*) FROM (
    SELECT 1 {% include "session_rows" %}
    LIMIT :most
) AS s
HAVING :session_id::uuid IS NOT NULL
UNION ALL
SELECT 'time', NULL, NULL, count(*) FROM (
    SELECT 1 {% include "time_rows" %}
    LIMIT :most
) AS t
HAVING :since IS NOT NULL OR :until IS NOT NULL
{% if where %}
UNION ALL
SELECT 'where', NULL, array_agg(id), count(*) FROM (
    SELECT m.id FROM memories m, (SELECT :where_values::jsonb AS v) w
    WHERE m.workspace_id = :workspace AND m.audience = ANY(:audiences) AND {% include "where" %}
    LIMIT :most
) AS p
{% endif %};

-- fragment: listed_rows
-- What is on the list of a filter.
SELECT p.id FROM search_terms p WHERE p.workspace_id = :workspace AND p.term = ANY(:listed_terms::bigint[])
    {% if by_session %} UNION ALL SELECT i.id {% include "session_rows" %} {% endif %}
    {% if by_time %} UNION ALL SELECT i.id {% include "time_rows" %} {% endif %}
    {% if by_where %} UNION ALL SELECT unnest(:listed_ids::uuid[]) {% endif %}
