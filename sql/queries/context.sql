-- name: baseline_memories
-- What a context offers whatever the message says, by the type policies: best first within each type, at most
-- ``limit`` of each. Those about another user than the one who speaks are offered by ``always_types`` alone, and
-- hearsay not at all: it has to be found.
SELECT id, type, content, user_name AS "user", NULL AS hearsay_by, origin, occurred_at, occurred_until,
    (SELECT s.user_name FROM sessions s WHERE s.workspace_id = :workspace AND s.id = session_id) AS session_user
FROM (
    SELECT m.id, m.type, m.content, m.user_name, m.origin, m.session_id, m.occurred_at, m.occurred_until, m.created_at, m.importance,
        row_number() OVER (
            PARTITION BY m.type
            ORDER BY m.user_name IS DISTINCT FROM :user::text, m.user_name IS NOT NULL, m.importance DESC,
                m.created_at DESC, m.id
        ) AS place
    FROM memories m
    WHERE m.workspace_id = :workspace AND m.audience = ANY(:audiences::uuid[])
        AND m.type = ANY(:always_types::text[] || :user_types::text[] || :open_types::text[])
        AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND m.hearsay_by IS NULL
        AND m.valid_from <= :now AND (m.valid_until IS NULL OR m.valid_until > :now)
        AND (m.expires_at IS NULL OR m.expires_at > :now)
        AND (:created_since::timestamptz IS NULL OR m.created_at >= :created_since)
        AND (
            m.type = ANY(:always_types)
            OR (
                (m.user_name IS NULL OR m.user_name = :user)
                AND (m.type = ANY(:user_types) OR (m.type = ANY(:open_types) AND m.status = 'open'))
            )
        )
) AS offered
WHERE place <= :limit
ORDER BY type, place;
