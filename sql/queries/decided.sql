-- name: decided_changes
-- Pairs of statements that dreams of an agent merged, or of which one replaced the other, with what people made of that:
-- undone with the dream, reverted since, or standing. What was taken back is different; a merge says what it was one of.
WITH change AS (
    SELECT c.before ->> 'content' AS a, b.content AS b, c.ordinal, d.created_at,
        CASE WHEN c.op = 'reinforced' OR c.reason LIKE 'says the same%' THEN 'duplicate' ELSE 'update' END AS label,
        CASE WHEN d.status = 'undone' OR c.undone_at IS NOT NULL THEN 'undone'
            WHEN m.deleted_at IS NOT NULL OR m.content <> c.before ->> 'content' THEN NULL
            WHEN c.op = 'superseded' AND m.superseded_by IS NULL THEN 'reverted'
            WHEN d.finished_at > :before::timestamptz THEN NULL
            WHEN c.op = 'reinforced' AND m.superseded_by IS NULL THEN 'stood'
            WHEN m.superseded_by::text = c.after ->> 'superseded_by' AND EXISTS (
                SELECT 1 FROM memories r
                WHERE r.workspace_id = :workspace AND r.id = m.superseded_by AND r.deleted_at IS NULL) THEN 'stood'
            END AS kind
    FROM dreams d
    JOIN dream_changes c ON c.workspace_id = :workspace AND c.dream_id = d.id
    JOIN memories m ON m.workspace_id = :workspace AND m.id = c.memory_id
    CROSS JOIN LATERAL (
        SELECT c.after ->> 'content' AS content WHERE c.op = 'superseded'
        UNION ALL SELECT jsonb_array_elements_text(c.after -> 'said') WHERE c.op = 'reinforced'
    ) b
    WHERE d.workspace_id = :workspace AND d.agent_id = :agent_id AND d.status IN ('succeeded', 'undone')
        AND c.op IN ('superseded', 'reinforced') AND m.type <> 'insight' AND b.content <> c.before ->> 'content'
)
SELECT a, b, CASE WHEN kind = 'stood' THEN label ELSE 'different' END AS label, kind
FROM change
WHERE kind IS NOT NULL
ORDER BY created_at DESC, ordinal DESC
LIMIT :limit;

-- name: decided_proposals
SELECT p.status AS kind, p.content AS proposed, coalesce(m.content, p.content) AS content, p.user_name AS "user", p.said_at,
    m.id AS memory_id
FROM proposals p
LEFT JOIN memories m ON m.workspace_id = :workspace AND m.id = p.memory_id AND m.deleted_at IS NULL
WHERE p.workspace_id = :workspace AND p.agent_id = :agent_id AND p.content <> ''
    AND (p.status = 'rejected' OR p.status IN ('accepted', 'edited') AND m.id IS NOT NULL)
ORDER BY p.decided_at DESC, p.id DESC
LIMIT :limit;

-- name: labels_beside
-- What the newer of two memories is, in order; a rejected proposal has no memory. Two that both hold once a dream has read the
-- newer are different.
SELECT CASE WHEN pair.newer IS NULL THEN 'different'
        WHEN o.superseded_by = n.id THEN 'update'
        WHEN o.superseded_by IS NULL AND o.deleted_at IS NULL AND n.superseded_by IS NULL AND n.dream_analysis IS NOT NULL
            THEN 'different'
    END AS label
FROM unnest(:older::uuid[], :newer::uuid[]) WITH ORDINALITY AS pair(older, newer, place)
LEFT JOIN memories o ON o.workspace_id = :workspace AND o.id = pair.older
LEFT JOIN memories n ON n.workspace_id = :workspace AND n.id = pair.newer
ORDER BY pair.place;
