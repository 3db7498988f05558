-- fragment: terms
-- The words of the question, numbered, each with the keys of its posting lists: one for each audience and kind.
SELECT l.word, k.kind, t.term
FROM (
        SELECT lexeme, row_number() OVER () AS word
        FROM (
            SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(g.configuration::regconfig, {{ text }}))) AS lexeme
            FROM unnest(:languages::text[]) AS g(configuration)
        ) AS any_language
    ) AS l,
    unnest(:audiences::uuid[]) AS a(audience), unnest(:posted_kinds::smallint[]) AS k(kind), reverie_term_v1(a.audience, k.kind, l.lexeme) AS t(term)

-- fragment: largest_kind
-- The kind that most of the searched rows are of, and how many those are: as last counted, and of small audiences as they are.
SELECT kind, sum(rows) AS rows FROM (
    SELECT kind, rows FROM unnest(:counted_kinds::smallint[], :counted_rows::bigint[]) AS c(kind, rows)
    {% for kind in range(3) %}
    UNION ALL
    SELECT {{ kind }}::smallint, count(*) FROM search_index i
    WHERE i.workspace_id = :workspace AND i.kind = {{ kind }} AND i.audience = ANY(ARRAY(
        SELECT u.audience FROM unnest(:uncounted_audiences::uuid[], :uncounted_kinds::smallint[]) AS u(audience, kind)
        WHERE u.kind = {{ kind }}))
    {% endfor %}
) AS c GROUP BY kind ORDER BY rows DESC, kind LIMIT 1

-- fragment: idf
-- How rare a word is that ``held`` of the ``rows`` of the largest kind have.
ln((1 + (greatest(rows - held, 0) + 0.5) / (held + 0.5))::float8)

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
