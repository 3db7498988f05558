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
    {% if viewer %} AND (i.owners = '{}' OR i.owners @> :viewer::text[]) {% endif %}
    {% if user %} AND i.user_name = :user::text {% endif %}
    {% if session_id %} AND i.session_id = :session_id::uuid {% endif %}
    {% if task_id %} AND i.task_id = :task_id::uuid {% endif %}
    {% if min_importance %} AND {% include "effective_importance" %} >= :min_importance::float8 {% endif %}
    {% if since %} AND (i.happened_at >= :since::timestamptz OR i.happened_until > :since) {% endif %}
    {% if until %} AND i.happened_at < :until::timestamptz {% endif %}
    {% if created_since %} AND i.created_at >= :created_since::timestamptz {% endif %}
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

-- name: visible_id
-- A row, if it is visible under the filters that are set.
SELECT i.id FROM search_index i WHERE {% include "visible_row" %} AND i.id = :id::uuid;

-- name: row_state
-- Why a row may be hidden whatever is asked.
SELECT NOT i.audience = ANY(:audiences::uuid[]) AS of_other_audience, i.deleted,
    coalesce(i.valid_until <= :as_of::timestamptz, false) AS superseded, i.valid_from > :as_of AS later,
    coalesce(i.expires_at <= :as_of, false) AS expired
FROM search_index i WHERE i.workspace_id = :workspace AND i.id = :id::uuid;
