-- name: add_document
INSERT INTO documents (
    workspace_id, id, agent_id, title, text, user_name, owners, metadata, tokens, chunks, created_by, created_at
)
VALUES (
    :workspace, :id, :agent_id, :title, :text, :user, :owners::text[], :metadata::jsonb, :tokens, :chunks, :created_by, :now
);

-- name: add_chunks
-- The parts of a document with their search rows and posting lists, in the order given.
WITH item AS (
    SELECT i.*, c.configuration, x.lexemes, {% include "word_count" %} AS length
    FROM jsonb_to_recordset(:items::jsonb) AS i(
        ordinal integer, id uuid, content text, language text, lexical text, tokens integer, words smallint, asks boolean,
        question_share real
    ) CROSS JOIN LATERAL (SELECT :audience::uuid) AS owner(agent_id) {% include "lexemes_of" %}
), inserted AS (
    INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, lexemes)
    SELECT :workspace, id, :document_id, ordinal, content, tokens, lexemes FROM item
    RETURNING id, position, lexemes
), indexed AS (
    INSERT INTO search_index (
        workspace_id, id, kind, audience, type, scope, user_name, owners, happened_at, created_at, valid_from, previous,
        length, words, asks, question_share, embedding_model, {{ vector_column }}
    )
    SELECT :workspace, c.id, 2, :audience, 'document', 'agent', :user, :owners::text[], :now, :now, :now,
        lag(c.id) OVER (ORDER BY c.position), i.length, i.words, i.asks, i.question_share,
        CASE WHEN e.embedding IS NULL THEN NULL ELSE :model::smallint END, e.embedding
    FROM inserted c
    JOIN item i ON i.id = c.id
    LEFT JOIN unnest(:embeddings::{{ vector_type }}[]) WITH ORDINALITY AS e(embedding, n) ON e.n = i.ordinal
    RETURNING id
), spoken AS (
    INSERT INTO audience_languages (workspace_id, audience, language)
    SELECT DISTINCT :workspace, :audience, configuration FROM item WHERE configuration <> 'english'
    ORDER BY configuration
    ON CONFLICT DO NOTHING
), posted AS (
    INSERT INTO search_terms (workspace_id, term, id, frequency, length)
    SELECT DISTINCT ON (2, 3)
        :workspace::uuid, reverie_term_v1(:audience, 2::smallint, l.lexeme), c.id, l.frequency, i.length
    FROM inserted c JOIN item i ON i.id = c.id, LATERAL (
        SELECT lexeme, coalesce(cardinality(positions), 1) FROM unnest(c.lexemes)
        UNION ALL
        SELECT facet, 1 FROM unnest(reverie_facets_v1(NULL, :user, NULL, :owners)) AS f(facet)
    ) AS l(lexeme, frequency)
    ORDER BY 2, 3
    RETURNING id
)
SELECT 1;

-- name: get_document
-- A document; another agent's is not shown to ``agent``.
SELECT d.id, a.agent, d.title, d.text, d.user_name AS "user", d.owners, d.metadata, d.tokens, d.chunks, d.created_at
FROM documents d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace AND d.id = :id AND (:agent::text IS NULL OR a.agent = :agent);

-- name: list_documents
-- Newest first, without their text.
SELECT d.id, a.agent, d.title, d.user_name AS "user", d.owners, d.metadata, d.tokens, d.chunks, d.created_at
FROM documents d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:user::text IS NULL OR d.user_name = :user)
    AND (:before::uuid IS NULL OR d.id < :before)
ORDER BY d.id DESC
LIMIT :limit;

-- name: unindex_document
-- Take the parts of a document off the posting lists and out of the search rows, before it is dropped.
WITH gone AS (
    SELECT c.id, tsvector_to_array(c.lexemes) || reverie_facets_v1(NULL, i.user_name, NULL, i.owners) AS lexemes, i.audience
    FROM chunks c JOIN search_index i ON i.workspace_id = c.workspace_id AND i.id = c.id
    WHERE c.workspace_id = :workspace AND c.document_id = :id
), unposted AS (
    DELETE FROM search_terms t
    USING gone g, unnest(g.lexemes) AS l(lexeme)
    WHERE t.workspace_id = :workspace AND t.id = g.id AND t.term = reverie_term_v1(g.audience, 2::smallint, l.lexeme)
)
DELETE FROM search_index i USING gone g WHERE i.workspace_id = :workspace AND i.id = g.id;

-- name: drop_document
-- Its parts go with it.
DELETE FROM documents WHERE workspace_id = :workspace AND id = :id;
