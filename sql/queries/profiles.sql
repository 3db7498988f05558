-- fragment: visible_to_reader
-- Whether a memory ``m`` is the reader's own (:agent_id) or shared with it; all are visible to a reader of the :workspace_wide kind.
(:workspace_wide::boolean OR m.agent_id = :agent_id::uuid OR m.audience = ANY(:audiences::uuid[]))

-- fragment: version_of_then
-- Of a memory ``m`` what it said at :as_of, as ``former_versions`` chooses; ``number`` is its version.
(
    SELECT w.* FROM (
        (SELECT 0 AS place, v.version AS number, x.*
        FROM memory_versions v CROSS JOIN LATERAL jsonb_to_record(v.record) AS x(
            type text, "user" text, hearsay_by text, content text, source jsonb, valid_from timestamptz,
            valid_until timestamptz, expires_at timestamptz, deleted_at timestamptz
        )
        WHERE v.workspace_id = :workspace AND v.memory_id = m.id AND m.updated_at > :as_of::timestamptz
        ORDER BY v.at <= :as_of DESC, CASE WHEN v.at <= :as_of THEN -v.version ELSE v.version END
        LIMIT 1)
        UNION ALL
        SELECT 1, m.version, m.type, m.user_name, m.hearsay_by, m.content, m.source, m.valid_from, m.valid_until,
            m.expires_at, m.deleted_at
    ) AS w
    ORDER BY w.place
    LIMIT 1
)

-- name: list_users
-- Whom live memories visible to the reader are about, by name, and when something of them was last saved or said again.
SELECT m.user_name AS "user", count(*) AS memories,
    max(greatest(m.created_at, m.reinforced_at)) AS last_seen_at
FROM memories m
WHERE m.workspace_id = :workspace AND m.user_name IS NOT NULL AND {% include "visible_to_reader" %}
    AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND (:text::text IS NULL OR position(lower(:text) IN lower(m.user_name)) > 0)
    AND (:after::text IS NULL OR m.user_name > :after)
GROUP BY m.user_name
ORDER BY m.user_name
LIMIT :limit;

-- name: profile_memories
-- What is remembered of a user and can be a part of a profile, the newest of each type: what fills a slot, goals, and
-- events. By the user's own word (no hearsay), valid at :as_of, and as it was said then in a ``past``.
SELECT known.* FROM unnest(:types::text[]) AS of(type) CROSS JOIN LATERAL (
    SELECT m.id, (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = m.agent_id) AS agent,
        x.type, x.content, x.valid_from AS since, f.slot, f.value, f.polarity
    FROM memories m
    CROSS JOIN LATERAL {% if past %} {% include "version_of_then" %} {% else %} (
        SELECT m.version AS number, m.type, m.user_name AS "user", m.hearsay_by, m.content, m.source, m.valid_from,
            m.valid_until, m.expires_at, m.deleted_at
    ) {% endif %} AS x
    CROSS JOIN LATERAL (
        SELECT CASE WHEN said.as_read THEN m.dream_analysis ELSE said.source END ->> 'slot' AS slot,
            CASE WHEN said.as_read THEN m.dream_analysis ELSE said.source END ->> 'value' AS value,
            coalesce(CASE WHEN said.as_read THEN m.dream_analysis ELSE said.source END ->> 'polarity', 'positive') AS polarity
        FROM (SELECT x.content = m.content AND m.dream_analysis ? 'slot' AS as_read, CASE WHEN x.source ? 'slot' AND NOT EXISTS (
            SELECT 1 FROM memory_versions v
            WHERE v.workspace_id = :workspace AND v.memory_id = m.id AND v.version < x.number
                AND v.record ->> 'content' <> x.content
        ) THEN x.source END AS source) AS said
    ) AS f
    WHERE m.workspace_id = :workspace AND m.user_name = :user AND m.type = of.type AND {% include "visible_to_reader" %}
        AND m.deleted_at IS NULL AND x.deleted_at IS NULL AND x.hearsay_by IS NULL AND x."user" = :user
        AND (:origins::text[] IS NULL OR m.origin = ANY(:origins))
        {% if past %} AND x.type = ANY(:types) {% else %} AND m.superseded_by IS NULL {% endif %}
        AND x.valid_from <= :as_of AND coalesce(least(x.valid_until, m.valid_until) > :as_of, true)
        AND (x.expires_at IS NULL OR x.expires_at > :as_of)
        AND (x.type <> 'fact' OR f.slot IS NOT NULL OR x.content LIKE ANY(:openings::text[]))
    ORDER BY m.valid_from DESC, m.id DESC
    LIMIT :limit
) AS known;

-- name: profile_fields
-- What a model has filled a user's profile with, by memories that all still hold: insights about one field each. Those
-- valid at :as_of, and as they were then in a ``past``.
SELECT (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = m.agent_id) AS agent,
    x.source ->> 'field' AS field, x.source -> 'value' AS value, x.source -> 'evidence' AS evidence,
    x.valid_from AS since
FROM memories m
CROSS JOIN LATERAL {% if past %} {% include "version_of_then" %} {% else %} (
    SELECT m.user_name AS "user", m.source, m.valid_from, m.valid_until, m.expires_at, m.deleted_at
) {% endif %} AS x
WHERE m.workspace_id = :workspace AND m.user_name = :user AND m.type = 'insight' AND {% include "visible_to_reader" %}
    AND m.deleted_at IS NULL AND x.deleted_at IS NULL AND x."user" = :user AND x.source ? 'field'
    AND (:origins::text[] IS NULL OR m.origin = ANY(:origins))
    {% if not past %} AND m.superseded_by IS NULL {% endif %}
    AND x.valid_from <= :as_of AND coalesce(least(x.valid_until, m.valid_until) > :as_of, true)
    AND (x.expires_at IS NULL OR x.expires_at > :as_of)
ORDER BY m.valid_from DESC, m.id DESC
LIMIT :limit;
