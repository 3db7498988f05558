-- fragment: readable
-- What a search may find: rows ``i`` of the reader's audiences that are live at ``as_of`` and pass the filters that are
-- set.
i.workspace_id = :workspace AND :(live) AND :(passing)

-- fragment: live
:(present) AND :(holding)

-- fragment: present
NOT i.deleted {if unfaded} AND NOT i.faded {end}

-- fragment: holding
i.valid_from <= :as_of
    AND (i.valid_until IS NULL OR i.valid_until > :as_of)
    AND (i.expires_at IS NULL OR i.expires_at > :as_of)

-- fragment: passing
i.audience = ANY(:audiences::uuid[]) AND i.kind = ANY(:kinds::smallint[])
    {if said_by} AND (i.kind <> 1 OR i.user_name = :said_by::text) {end}
    {if types} AND i.type = ANY(:types::text[]) {end}
    {if scopes} AND i.scope = ANY(:scopes::text[]) {end}
    {if tags_any} AND i.tags && :tags_any::text[] {end}
    {if tags_all} AND i.tags @> :tags_all::text[] {end}
    {if user} AND i.user_name = :user::text {end}
    {if session_id} AND i.session_id = :session_id::uuid {end}
    {if task_id} AND i.task_id = :task_id::uuid {end}
    {if min_importance} AND i.importance >= :min_importance::float8 {end}
    {if since} AND i.happened_at >= :since::timestamptz {end}
    {if until} AND i.happened_at < :until::timestamptz {end}
    {if metadata}
    AND EXISTS (
        SELECT 1 FROM memories m
        WHERE m.workspace_id = :workspace AND m.id = i.id AND m.metadata @> :metadata::jsonb)
    {end}

-- fragment: vector
-- The row's vector of the model in use; while models are being changed it may still stand beside the former one's.
({if changing} CASE WHEN i.embedding_model = :model::smallint THEN {end} i.:(stored)
    {if changing} ELSE i.next_:(stored) END {end})

-- fragment: indexed
-- The nearest rows by one part of the HNSW index of the model in use.
SELECT i.id, i.embedding::halfvec({dim}) <#> :embedding::halfvec({dim}) AS distance
         FROM search_index i
         WHERE i.ann AND i.embedding_model = {model} AND i.part = {part} AND :(readable)
         ORDER BY i.embedding::halfvec({dim}) <#> :embedding::halfvec({dim})
         LIMIT :nearest_max

-- fragment: indexed__float32
-- The same of an index of rounded vectors.
SELECT i.id, i.embedding_float32 <#> :embedding::vector AS distance
         FROM search_index i
         WHERE i.ann AND i.embedding_model = {model} AND i.part = {part} AND :(readable)
         ORDER BY i.embedding_float32::halfvec({dim}) <#> :embedding::halfvec({dim})
         LIMIT :nearest_max

-- fragment: indexed__binary
-- The same of an index of signs: of 8 times as many as are wanted, most alike in those, the nearest by whole vectors.
SELECT s.id, s.embedding <#> :embedding::halfvec({dim}) AS distance
         FROM (
            SELECT i.id, i.embedding
            FROM search_index i
            WHERE i.ann AND i.embedding_model = {model} AND i.part = {part} AND :(readable)
            ORDER BY binary_quantize(i.embedding::halfvec({dim}))::bit({dim})
                <~> binary_quantize(:embedding::halfvec({dim}))::bit({dim})
            LIMIT 8 * :nearest_max
         ) AS s
         ORDER BY distance
         LIMIT :nearest_max

-- fragment: embedded
-- Whether the row has one.
(i.embedding_model = :model::smallint {if changing} OR i.next_model = :model {end})

-- fragment: saturation
-- How much of a vector's score counts for the few words of ``i``. Past exp(-700) Postgres would raise an underflow.
(1 - exp(-least(i.words / :words_saturation::float8, 700)))

-- fragment: weight
-- BM25 of one posting ``p`` of a word with rarity ``r``; the document's length has a floor and a fixed reference.
r.idf * p.frequency * (:k1::float8 + 1) / (p.frequency + :k1 * (1 - :b::float8
    + :b * greatest(p.length, :length_floor::integer) / :length_reference::float8))

-- fragment: ranking
-- BM25 over exact posting lists and vectors, fused with the turns beside each candidate. Filters come before the best of
-- each list are taken. Vectors are compared exactly unless ``nearest`` is full. docs/search.md explains the formula and
-- the bounds. A part in ``{if}`` is there only where it is needed, as starting a plan takes a good part of a small search:
-- for audiences that are ``large``, what is ``filtered``, questions that name a time (``timed``), vectors from an index
-- (``near``), candidates from a list alone (``listed``), conditions that all on that list meet (not ``sifting``, as
-- ``member`` looks at the best again), rows ``scanned`` for several questions at once, a model that is ``changing``, the
-- ``whole`` records of memories, or ``brief`` ones of everything, and the reader's eyes, ``trusted`` to look as they did
-- before, looked at again, with a key that is only ``known``.
place AS MATERIALIZED (
    -- The audiences that hold anything of a kind.
    SELECT a.audience, k.kind
    FROM unnest(:audiences::uuid[]) AS a(audience), unnest(:kinds::smallint[]) AS k(kind)
    WHERE (
        SELECT true FROM search_index i
        WHERE i.workspace_id = :workspace AND i.audience = a.audience AND i.kind = k.kind
        LIMIT 1
    )
), wanted AS MATERIALIZED (
    SELECT l.n AS word, t.term, coalesce(
            {if large}
            (SELECT c.rows FROM common_terms c WHERE c.workspace_id = :workspace AND c.term = t.term),
            {end}
            NULL::bigint
        ) AS rows
    FROM (
            SELECT lexeme, row_number() OVER () AS n
            FROM (
                SELECT DISTINCT unnest(tsvector_to_array(to_tsvector(g.configuration::regconfig, :text))) AS lexeme
                FROM unnest(:languages::text[]) AS g(configuration)
            ) AS any_language
        ) AS l,
        place AS p,
        reverie_term_v1(p.audience, p.kind, l.lexeme) AS t(term)
), read AS MATERIALIZED (
    -- The commonest words are left out, in all places, where the rarer ones promise candidates enough; ``also`` weighs
    -- them.
    SELECT term FROM wanted
    {if large}
    EXCEPT
    SELECT term FROM (
        SELECT term, rows, dense_rank() OVER rarest AS n, sum(coalesce(rows, 0)) OVER rarest AS reading
        FROM (SELECT *, sum(coalesce(rows, 0)) OVER (PARTITION BY word) AS everywhere FROM wanted) AS w
        WINDOW rarest AS (ORDER BY everywhere, word)
    ) AS w
    WHERE rows IS NOT NULL AND n > 1 AND reading > :postings_max::integer
    {end}
), rarity AS MATERIALIZED (
    SELECT word, ln((1 + (greatest(:counted_rows::bigint + (
            SELECT count(*) FROM search_index i
            WHERE i.workspace_id = :workspace AND i.audience = ANY(:uncounted::uuid[]) AND i.kind = ANY(:kinds)
        ) - held, 0) + 0.5) / (held + 0.5))::float8) AS idf
    FROM (
        SELECT word, sum(coalesce(w.rows, (
            SELECT count(*) FROM search_terms t WHERE t.workspace_id = :workspace AND t.term = w.term
        ))) AS held
        FROM wanted w
        GROUP BY word
    ) AS h
), weighed AS MATERIALIZED (
    SELECT w.term, w.word, r.idf FROM wanted w JOIN rarity r USING (word)
), said AS MATERIALIZED (
    -- Every term has its weight; an outer join lets Postgres expect all postings, and hash what is shorter than they are.
    SELECT p.id, r.word, :(weight) AS weight
    FROM search_terms p LEFT JOIN weighed r USING (term)
    WHERE p.workspace_id = :workspace AND p.term = ANY(ARRAY(SELECT term FROM read))
        {if listed} AND p.id IN (SELECT id FROM nearest) {end}
)
{if large}
, unread AS MATERIALIZED (
    SELECT term FROM wanted EXCEPT SELECT term FROM read
)
{end}
, shortlist AS MATERIALIZED (
    SELECT id, score, row_number() OVER () <= :at_once::integer AS at_once
    FROM (
        SELECT id, sum(weight) AS score FROM said
        GROUP BY id ORDER BY score DESC, id
        LIMIT :shortlist::integer
    ) AS s
), kept AS MATERIALIZED (
    SELECT i.id, i.previous, i.asks, i.speaker FROM search_index i
    WHERE :(readable) AND i.id = ANY(ARRAY(SELECT id FROM shortlist WHERE at_once))
), late AS MATERIALIZED (
    -- Where too few of those are live and pass: the rest of the shortlist.
    SELECT i.id, i.previous, i.asks, i.speaker FROM search_index i
    WHERE :(readable) AND (SELECT count(*) FROM kept) < :candidates::integer
        AND i.id = ANY(ARRAY(SELECT id FROM shortlist WHERE NOT at_once))
)
{if filtered}
, last AS MATERIALIZED (
    -- Where they are still too few: all that was read.
    SELECT i.id, i.previous, i.asks, i.speaker FROM search_index i
    WHERE :(readable) AND (SELECT count(*) FROM kept) + (SELECT count(*) FROM late) < :candidates
        AND i.id = ANY(ARRAY(SELECT id FROM said EXCEPT SELECT id FROM shortlist))
)
{end}
, eligible AS MATERIALIZED (
    SELECT * FROM kept
    UNION ALL
    SELECT * FROM late
    {if filtered}
    UNION ALL
    SELECT * FROM last
    {end}
)
{if large}
, also AS MATERIALIZED (
    SELECT p.id, r.word, :(weight) AS weight
    FROM search_terms p JOIN weighed r USING (term)
    WHERE p.workspace_id = :workspace AND EXISTS (SELECT 1 FROM unread)
        AND p.term = ANY(ARRAY(SELECT term FROM unread)) AND p.id = ANY(ARRAY(SELECT id FROM eligible))
)
{end}
, own AS MATERIALIZED (
    SELECT id, previous, score, row_number() OVER (ORDER BY score DESC, id) AS rank
    FROM (
        SELECT e.id, e.previous, sum(w.score) AS score
        FROM eligible e JOIN (
            SELECT id, score FROM shortlist
            {if filtered}
            UNION ALL
            SELECT id, weight FROM said JOIN last USING (id)
            {end}
            {if large}
            UNION ALL
            SELECT id, weight FROM also
            {end}
        ) AS w USING (id)
        GROUP BY e.id, e.previous
    ) AS s
), keyword_top AS MATERIALIZED (
    SELECT id, previous FROM own WHERE rank <= :candidates
), semantic_top AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY meaning DESC, id) AS rank
    FROM (
        {if scanned}
        (SELECT i.id, -(i.vector <#> :embedding) * i.saturation AS meaning
         FROM scanned i
         WHERE :(holding) AND :embedding:::(vector_type) IS NOT NULL
         ORDER BY meaning DESC, id LIMIT :candidates)
        {else}
        (SELECT i.id, -(:(vector) <#> :embedding) * :(saturation) AS meaning
         FROM search_index i
         WHERE i.workspace_id = :workspace AND :(live) AND :(embedded) AND :embedding:::(vector_type) IS NOT NULL
            {if sifting} AND :(passing) {end}
            {if listed} AND i.id = ANY(ARRAY(SELECT id FROM nearest)) {end}
            {if near} AND (SELECT count(*) FROM nearest) < :nearest_max::integer {end}
         ORDER BY meaning DESC, id LIMIT :candidates)
        {end}
        {if near}
        UNION ALL
        (SELECT i.id, -(:(vector) <#> :embedding) * :(saturation) AS meaning
         FROM search_index i
         WHERE :(readable) AND :(embedded) AND i.id = ANY(ARRAY(SELECT id FROM nearest))
            AND (SELECT count(*) FROM nearest) >= :nearest_max
         ORDER BY meaning DESC, id LIMIT :candidates)
        {end}
    ) AS n
)
{if timed}
, timed_top AS MATERIALIZED (
    SELECT i.id
    FROM search_index i, unnest(:near_starts::timestamptz[], :near_ends::timestamptz[]) AS w(since, until)
    WHERE :(readable) AND :(embedded) AND i.ann = ANY('{true,false}')
        AND i.happened_at >= w.since AND i.happened_at < w.until
    ORDER BY -(:(vector) <#> :embedding) * :(saturation) DESC, i.id
    LIMIT :candidates
)
{end}
, pool AS MATERIALIZED (
    SELECT id FROM keyword_top
    UNION
    SELECT previous FROM keyword_top
    UNION
    SELECT i.id FROM search_index i
    WHERE i.workspace_id = :workspace AND i.previous = ANY(ARRAY(SELECT id FROM keyword_top))
    UNION
    SELECT id FROM semantic_top
    {if timed}
    UNION
    SELECT id FROM timed_top
    {end}
), member AS MATERIALIZED (
    SELECT i.id, i.previous, i.session_id, i.happened_at, i.speaker, i.question_share,
        CASE WHEN :(embedded) THEN -(:(vector) <#> :embedding) END AS similarity,
        CASE WHEN :(embedded)
            THEN greatest(-(:(vector) <#> :embedding), 0) * :(saturation) ELSE 0 END AS meaning,
        exp(-least(greatest(0, i.length - :fade_after::float8) / :fade_over::float8, 700)) AS fade
    FROM search_index i
    WHERE :(readable) AND i.id = ANY(ARRAY(SELECT id FROM pool))
), spoken AS (
    SELECT id, word, weight FROM said
    {if large}
    UNION ALL
    SELECT id, word, weight FROM also
    {end}
), reach AS (
    SELECT id, id AS at, 1 AS share FROM member
    UNION ALL
    SELECT m.id, e.id, m.fade * (:previous_share::float8
        + CASE WHEN e.asks AND e.speaker <> m.speaker THEN :reply_share::float8 ELSE 0 END)
    FROM member m JOIN eligible e ON e.id = m.previous
    UNION ALL
    SELECT m.id, e.id, m.fade * :next_share::float8
    FROM member m JOIN eligible e ON e.previous = m.id
), heard AS (
    -- What a turn says, or the turn before or after it says, each word once: the larger counts.
    SELECT id, sum(weight) AS score
    FROM (
        SELECT reach.id, spoken.word, max(reach.share * spoken.weight) AS weight
        FROM reach JOIN spoken ON spoken.id = reach.at
        GROUP BY reach.id, spoken.word
    ) AS word
    GROUP BY id
), scaled AS (
    SELECT m.*,
        coalesce((coalesce(h.score, 0) - min(coalesce(h.score, 0)) OVER ())
            / nullif(max(h.score) OVER () - min(coalesce(h.score, 0)) OVER (), 0), sign(coalesce(h.score, 0))) AS word_part,
        coalesce((m.meaning - min(m.meaning) OVER ()) / nullif(max(m.meaning) OVER () - min(m.meaning) OVER (), 0),
            sign(m.meaning)) AS meaning_part,
        bool_or(m.speaker = 'assistant') OVER () AS answered
    FROM member m LEFT JOIN heard h USING (id)
), mixed AS (
    SELECT *, (1 - :vector_weight::float8) * word_part + :vector_weight * meaning_part AS base
    FROM scaled
), boosted AS (
    SELECT m.id, m.similarity, o.score AS keyword_score, m.base,
        -m.base * :question_penalty::float8 * m.question_share AS question_boost,
        :session_boost::float8 * max(m.base * (1 - :question_penalty * m.question_share))
            OVER (PARTITION BY coalesce(m.session_id, m.id)) AS session_boost,
        0::float8
        {if timed}
        + :time_boost::float8 * coalesce((
            SELECT max(exp(-least(700, greatest(
                0,
                extract(epoch FROM m.happened_at - w.until)::float8,
                :early_factor::float8 * extract(epoch FROM w.since - m.happened_at)::float8
            ) / greatest(:near_days::float8 * 86400, :near_share::float8 * extract(epoch FROM w.until - w.since)::float8))))
            FROM unnest(:window_starts::timestamptz[], :window_ends::timestamptz[]) AS w(since, until)
        ), 0)
        {end} AS time_boost,
        CASE WHEN m.speaker = 'user' AND m.answered THEN :user_boost::float8 ELSE 0 END AS user_boost,
        CASE WHEN o.rank <= :candidates THEN o.rank END AS keyword_rank, v.rank AS semantic_rank
    FROM mixed m
    LEFT JOIN own o USING (id)
    LEFT JOIN semantic_top v USING (id)
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
{if whole}
, record AS MATERIALIZED (
    SELECT * FROM :(memory_records) AS r WHERE id = ANY(ARRAY(SELECT id FROM ranked))
)
{end}
{if brief}
, told AS MATERIALIZED (
    :(told)
)
{end}

-- fragment: results
SELECT r.id AS found_id, r.score, r.keyword_rank, r.semantic_rank, r.keyword_score, r.similarity AS semantic_score,
    r.question_boost, r.session_boost, r.time_boost, r.user_boost
    {if whole}, m.*{end}
    {if brief}, t.*{end}
FROM ranked r
    {if whole}
    LEFT JOIN record m ON m.id = r.id
    {end}
    {if brief}
    JOIN told t ON t.id = r.id
    {end}
ORDER BY r.score DESC, r.id

-- fragment: answer
-- The results, best first; with the reader's eyes there is one row at least, and without results or for other eyes one
-- alone.
{if trusted}
SELECT found.*, eyes.same AS same_eyes
FROM (SELECT :look::bytea = (SELECT :(look) FROM :(eyes) AS e) {if known} AND :(key_holds) {end} AS same) AS eyes LEFT JOIN (
{end}
    :(results)
{if trusted}
) AS found ON eyes.same
ORDER BY found.score DESC, found.found_id
{end}

-- name: hybrid_search
-- One statement from the words and the vector of a query to the records of what it finds (``whole``), best first.
WITH nearest AS MATERIALIZED (
    SELECT NULL::uuid AS id WHERE false
), :(ranking) :(answer);

-- name: hybrid_search_large
-- The same for large audiences: vector candidates come from their parts of the HNSW index, and from an exact look at what
-- is not in these: what is new, what is of small audiences or of one that was large once and, while the model is being
-- changed (``changing``), what has its vector in the second place.
WITH nearest AS MATERIALIZED (
    SELECT id FROM (
        {each part}
        (:(indexed))
        UNION ALL
        {end}
        (SELECT i.id, i.:(stored) <#> :embedding AS distance
         FROM search_index i
         WHERE NOT i.ann AND i.embedding_model = {model} AND :(readable)
         ORDER BY i.:(stored) <#> :embedding
         LIMIT :nearest_max)
        UNION ALL
        (SELECT i.id, i.:(stored) <#> :embedding
         FROM search_index i
         WHERE i.ann AND i.embedding_model = {model} AND :(readable) AND i.audience = ANY(:in_no_part::uuid[])
         ORDER BY i.:(stored) <#> :embedding
         LIMIT :nearest_max)
        {if changing}
        UNION ALL
        (SELECT i.id, i.next_:(stored) <#> :embedding
         FROM search_index i
         WHERE i.ann = ANY('{true,false}') AND i.next_model = {model} AND :(readable)
         ORDER BY i.next_:(stored) <#> :embedding
         LIMIT :nearest_max)
        {end}
    ) AS n
    ORDER BY distance, id
    LIMIT :nearest_max
), :(ranking) :(answer);

-- name: recent_search
-- The newest first, under the same filters.
WITH newest AS MATERIALIZED (
    SELECT i.id, i.happened_at FROM search_index i WHERE :(readable) ORDER BY i.happened_at DESC, i.id DESC LIMIT :limit
)
SELECT n.id AS found_id, m.*
FROM newest n LEFT JOIN (
    SELECT * FROM :(memory_records) AS r WHERE id = ANY(ARRAY(SELECT id FROM newest))
) AS m ON m.id = n.id
ORDER BY n.happened_at DESC, n.id DESC;
