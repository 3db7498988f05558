-- fragment: where
-- Whether a memory ``m`` passes a filter. ``where`` is its shape (service/store/where.py); numbers in it are places of the
-- array ``w.v``, which has the keys and the values. A comparison with what is missing is false.
{% set columns = {
    "metadata": "m.metadata", "source": "m.source", "type": "m.type", "scope": "m.scope", "user": "m.user_name",
    "hearsay_by": "m.hearsay_by", "origin": "m.origin", "key": "m.key", "status": "m.status", "importance": "m.importance",
    "confidence": "m.confidence", "decay_exempt": "m.decay_exempt", "tags": "nullif(m.tags, '{}')",
    "created_at": "m.created_at", "updated_at": "m.updated_at", "occurred_at": "m.occurred_at",
    "happened_at": "coalesce(m.occurred_at, m.valid_from)", "valid_from": "m.valid_from", "valid_until": "m.valid_until",
    "expires_at": "m.expires_at",
    "agent": "(SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = m.agent_id)",
    "team": "(SELECT t.team FROM teams t WHERE t.workspace_id = :workspace AND t.id = m.team_id)",
    "task": "(SELECT t.task FROM tasks t WHERE t.workspace_id = :workspace AND t.id = m.task_id)",
    "session": "(SELECT s.session FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id)"} %}
{% set comparisons = {"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="} %}
{% macro stored(field, keys) -%}
    {% if field in ("metadata", "source") %}({{ columns[field] }}{% for key in keys %} -> (w.v ->> {{ key }}){% endfor %})
    {% else %}to_jsonb({{ columns[field] }}){% endif %}
{%- endmacro %}
{% macro comparison(operator, kind, field, keys, value) -%}
{% if operator == "exists" %}({{ stored(field, keys) }} IS NOT NULL)
{% elif kind == "time" and operator == "in" %}
    coalesce({{ columns[field] }} = ANY(ARRAY(SELECT jsonb_array_elements_text(w.v -> {{ value }})::timestamptz)), false)
{% elif kind == "time" %}
    coalesce({{ columns[field] }} {{ comparisons[operator] }} (w.v ->> {{ value }})::timestamptz, false)
{% elif operator == "eq" %}coalesce({{ stored(field, keys) }} @> (w.v -> {{ value }}), false)
{% elif operator == "in" %}
    coalesce({{ stored(field, keys) }} @> ANY(ARRAY(SELECT jsonb_array_elements(w.v -> {{ value }}))), false)
{% else %}EXISTS (
    SELECT 1 FROM (SELECT {{ stored(field, keys) }} AS found) AS f, jsonb_array_elements(
        CASE jsonb_typeof(f.found) WHEN 'array' THEN f.found ELSE jsonb_build_array(f.found) END) AS e(found)
    WHERE CASE WHEN jsonb_typeof(e.found) = '{{ kind }}' THEN
        {% if kind == "string" %}(e.found #>> '{}') COLLATE "C" {{ comparisons[operator] }} (w.v ->> {{ value }}) COLLATE "C"
        {% else %}e.found {{ comparisons[operator] }} (w.v -> {{ value }}){% endif %} END)
{% endif %}
{%- endmacro %}
{% macro condition(node) -%}
{% if node[0] in ("and", "or") %}({% for part in node[1] %}{{ condition(part) }}{% if not loop.last %} {{ node[0] }} {% endif %}{% endfor %})
{% elif node[0] == "not" %}(NOT {{ condition(node[1]) }})
{% else %}{{ comparison(*node) }}{% endif %}
{%- endmacro %}
{{ condition(where) }}
