-- name: hybrid_search_together
-- As hybrid_search, for several questions of several readers, whose eyes and keys are looked at again once for each; whatever
-- else a search takes is equal for all. There is one row at least for each question, and for other eyes one alone.
{columns of reader: look agent session task key_id key_hash key_settings}
{columns of question: text embedding as_of audiences counted_rows uncounted languages}
WITH watched AS MATERIALIZED (
    -- A list for each is spelled out: in an array of arrays all would have to be of one length.
    SELECT number, audiences::uuid[], counted_rows, uncounted::uuid[], languages::text[],
        look = (SELECT :(look) FROM :(eyes) AS e) {if known} AND :(key_holds) {end} AS same_eyes
    FROM unnest(
        :audience_lists::text[], :counts::bigint[], :uncounted_lists::text[], :language_lists::text[], :looks::bytea[],
        :agents::text[], :sessions::text[], :tasks::text[]
        {if known}, :key_ids::uuid[], :key_hashes::bytea[], :keys_settings::jsonb[]{end}
    ) WITH ORDINALITY AS reader(
        audiences, counted_rows, uncounted, languages, look, agent, session, task
        {if known}, key_id, key_hash, key_settings{end}, number
    )
), question AS MATERIALIZED (
    SELECT q.*, w.audiences, w.counted_rows, w.uncounted, w.languages, w.same_eyes
    FROM unnest(:texts::text[], :embeddings:::(vector_type)[], :moments::timestamptz[], :readers::bigint[])
        WITH ORDINALITY AS q(text, embedding, as_of, reader, number)
    JOIN watched w ON w.number = q.reader
)
{if scanned}
, scanned AS MATERIALIZED (
    -- What any of them may find by its vector, where all have the same audiences: read once.
    SELECT i.* FROM (SELECT * FROM question LIMIT 1) AS question CROSS JOIN LATERAL (
        SELECT i.id, :(saturation) AS saturation, i.valid_from, i.valid_until, i.expires_at, :(vector) AS vector
        FROM search_index i
        WHERE i.workspace_id = :workspace AND :(present) AND :(embedded) AND :(passing)
    ) AS i
)
{end}
SELECT question.number AS question, question.same_eyes, found.*
FROM question LEFT JOIN LATERAL (
    WITH nearest AS MATERIALIZED (
        SELECT NULL::uuid AS id WHERE false
    ), :(ranking) :(results)
) AS found ON question.same_eyes
ORDER BY question.number, found.score DESC, found.found_id;
