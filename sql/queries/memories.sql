-- fragment: memory_records
{% set joined = false %}{% include "records_of_memories" %}

-- fragment: records_of_memories
-- The memories of the workspace as the API shows them: names instead of ids, usage and embedding state beside them.
-- Every table is told its workspace: across correlated subqueries Citus would not know that it is one.
-- ``joined``: for a query that reads every memory, which joins ``search_index`` once. A subquery for each memory may scan
-- the whole workspace, by an index without the id, where the statistics do not know the workspace yet.
(
    SELECT
        m.workspace_id,
        m.id,
        m.agent_id,
        m.audience,
        m.session_id,
        m.task_id,
        (SELECT a.agent FROM agents a WHERE a.workspace_id = :workspace AND a.id = m.agent_id) AS agent,
        m.type,
        m.scope,
        (SELECT t.team FROM teams t WHERE t.workspace_id = :workspace AND t.id = m.team_id) AS team,
        (SELECT t.task FROM tasks t WHERE t.workspace_id = :workspace AND t.id = m.task_id) AS task,
        (SELECT s.session FROM sessions s WHERE s.workspace_id = :workspace AND s.id = m.session_id) AS session,
        m.user_name AS "user",
        m.owners,
        m.hearsay_by,
        m.origin,
        m.key,
        m.content,
        m.summary,
        m.language,
        m.importance,
        reverie_decayed_v1(
            m.importance, {% include "policy_type" %}, m.decay_exempt, {% include "stored_at" %}, m.reinforced_at,
            CASE WHEN {% include "policy_type" %} IN ('event', 'observation') THEN u.last_accessed_at END,
            now(),
            coalesce((
                SELECT (s.value -> 'retention' ->> 'decay_days')::integer
                FROM settings s WHERE s.workspace_id = :workspace
            ), 30)
        ) AS effective_importance,
        m.confidence,
        m.tags,
        m.metadata,
        m.source,
        m.status,
        m.decay_exempt,
        {% if joined %}
        CASE WHEN i.id IS NULL THEN 'none' WHEN i.embedding_model IS NULL THEN 'pending' ELSE 'ready' END AS embedding,
        {% else %}
        coalesce(
            (SELECT CASE WHEN i.embedding_model IS NULL THEN 'pending' ELSE 'ready' END
             FROM search_index i WHERE i.workspace_id = :workspace AND i.id = m.id),
            'none'
        ) AS embedding,
        {% endif %}
        coalesce(u.access_count, 0) AS access_count,
        u.last_accessed_at,
        m.occurred_at,
        m.occurred_until,
        reverie_precision_v1(m.occurred_at, m.occurred_until) AS occurred_precision,
        m.valid_from,
        m.valid_until,
        m.superseded_by,
        m.expires_at,
        m.created_at,
        m.updated_at,
        m.deleted_at,
        m.version,
        m.dream_id,
        m.tokens
    FROM memories m
    {% if joined %}LEFT JOIN search_index i ON i.workspace_id = :workspace AND i.id = m.id{% endif %}
    LEFT JOIN LATERAL (
        -- The limit makes it a look for each memory; a join would read all that was ever used.
        SELECT access_count, last_accessed_at FROM memory_usage
        WHERE workspace_id = :workspace AND memory_id = m.id
        LIMIT 1
    ) AS u ON true
    WHERE m.workspace_id = :workspace
)

-- fragment: told_at
-- By what memories ``m`` of a session follow each other: of what happened on the day when it was told, by when it was.
CASE WHEN m.valid_from >= m.occurred_at AND m.valid_from < m.occurred_until THEN m.valid_from ELSE coalesce(m.occurred_at, m.valid_from) END

-- fragment: version_record
-- Beside a memory ``m`` and the JSON ``v.record`` of a version: its columns ``x``.
CROSS JOIN LATERAL jsonb_to_record(jsonb_build_object('origin', m.origin, 'owners', m.owners) || v.record) AS x(
    type text, scope text, team text, task text, "user" text, owners text[], hearsay_by text, origin text, key text, content text, summary text,
    language text, tokens integer, importance float8, confidence float8, tags text[], metadata jsonb, source jsonb, status text,
    decay_exempt boolean, occurred_at timestamptz, occurred_until timestamptz, valid_from timestamptz, valid_until timestamptz, superseded_by uuid,
    expires_at timestamptz, updated_at timestamptz, deleted_at timestamptz, version integer
)

-- fragment: version_then
-- Beside a memory ``m`` that has former versions: ``x``, that of ``as_of``, or the first, where all were stored later.
CROSS JOIN LATERAL (
    SELECT v.record FROM memory_versions v
    WHERE v.workspace_id = :workspace AND v.memory_id = m.id
    ORDER BY v.at <= :as_of DESC, CASE WHEN v.at <= :as_of THEN -v.version ELSE v.version END
    LIMIT 1
) AS v
{% include "version_record" %}

-- fragment: past_records
-- As memory_records: what there was at ``as_of``, as it was then, as searches of the past have it. What has not changed
-- since is as it is; a version of another scope or of other owners than today's is left out.
(
    SELECT r.* FROM {% include "memory_records" %} r
    WHERE r.updated_at <= :as_of::timestamptz OR NOT EXISTS (
        SELECT 1 FROM memory_versions v WHERE v.workspace_id = :workspace AND v.memory_id = r.id)
    UNION ALL
    SELECT m.workspace_id, m.id, m.agent_id, m.audience, m.session_id, m.task_id, m.agent, x.type, x.scope, m.team, m.task,
        m.session, x."user", m.owners, x.hearsay_by, x.origin, x.key, x.content, x.summary, x.language, x.importance,
        x.importance AS effective_importance, x.confidence, x.tags, x.metadata, x.source, x.status, x.decay_exempt,
        m.embedding, m.access_count, m.last_accessed_at, x.occurred_at, x.occurred_until,
        reverie_precision_v1(x.occurred_at, x.occurred_until) AS occurred_precision, x.valid_from, x.valid_until, x.superseded_by,
        x.expires_at, m.created_at, x.updated_at, m.deleted_at, x.version, m.dream_id, x.tokens
    FROM {% include "memory_records" %} m
    {% include "version_then" %}
    WHERE m.updated_at > :as_of AND x.deleted_at IS NULL AND x.scope = m.scope AND x.owners = m.owners
        AND x.team IS NOT DISTINCT FROM m.team AND x.task IS NOT DISTINCT FROM m.task
)

-- fragment: lexemes_of
-- Beside an item ``i`` and its ``owner``, its words under the text-search configuration that the settings of the agent
-- or of the workspace choose, or else that of its language; worked out once.
CROSS JOIN LATERAL coalesce(nullif(coalesce((
    SELECT a.settings #>> '{retrieval,language}' FROM agents a
    WHERE a.workspace_id = :workspace AND a.id = owner.agent_id AND a.settings <> '{}'
), (
    SELECT value #>> '{retrieval,language}' FROM settings WHERE workspace_id = :workspace
)), 'auto'), i.language) AS c(configuration)
CROSS JOIN LATERAL (SELECT to_tsvector(c.configuration::regconfig, i.lexical) OFFSET 0) AS x(lexemes)

-- fragment: field_lexemes
-- The words of what an item ``i`` has besides its content, each labelled with its field: A for the key, B for the tags,
-- C for the summary. Those of the content stay D.
setweight(to_tsvector(c.configuration::regconfig, coalesce(i.lexical_key, '')), 'A')
    || setweight(to_tsvector(c.configuration::regconfig, coalesce(i.lexical_tags, '')), 'B')
    || setweight(to_tsvector(c.configuration::regconfig, coalesce(i.lexical_summary, '')), 'C')

-- fragment: posting_frequency
-- How often lexeme ``l`` is in the content and, in the bits above, the other fields that it is in; in the summary only
-- where it is not in the content, which a summary repeats.
(coalesce(cardinality(array_positions(l.weights, 'D')), 1)
    + CASE WHEN 'A' = ANY(l.weights) THEN 4096 ELSE 0 END
    + CASE WHEN 'B' = ANY(l.weights) THEN 8192 ELSE 0 END
    + CASE WHEN 'C' = ANY(l.weights) AND 'D' <> ALL(l.weights) THEN 16384 ELSE 0 END)::smallint

-- fragment: policy_type
-- The built-in type whose policies are those of memory ``m``.
coalesce(m.like_type, m.type)

-- fragment: decays
-- Whether memory ``m`` matters less the longer it goes unused.
{% include "policy_type" %} IN ('event', 'observation') AND NOT m.decay_exempt

-- fragment: least_real
-- What is less does not fit into a real: after 120 periods, an importance may be.
1e-37

-- fragment: dated_import
-- Whether memory ``m`` comes from an import that says when it was made.
m.origin = 'imported' AND m.learned_at - m.created_at > interval '24 hours'
    AND (m.reinforced_at IS NULL OR m.reinforced_at < m.learned_at)

-- fragment: stored_at
-- From when memory ``m`` goes unused: since it was stored here, of a dated import since it was made.
CASE WHEN {% include "dated_import" %} THEN m.created_at ELSE greatest(m.created_at, m.learned_at) END

-- fragment: memory_updated_events
-- An event for each memory of `changed`, and their ids.
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'memory.updated', agent_id, owners, id,
    jsonb_build_object('version', version), clock_timestamp()
FROM changed
RETURNING id

-- fragment: word_count
-- What reverie_length_v1 says of ``x.lexemes``: a call of it costs four times as much.
(SELECT least(coalesce(sum(coalesce(cardinality(positions), 1)), 0), 32767)::smallint FROM unnest(x.lexemes))

-- name: insert_memories
-- Insert memories with their search rows and posting lists, in one order (lock ordering against deadlock). What
-- collides with a live memory (by identity or by key) is left out of the answer, for the caller to reinforce or update.
-- An import brings the rest of the state too; what it brings deleted or replaced is not told as new. Every part returns
-- something or minds conflicts: one that does neither Citus would copy in, which row-level security forbids. For a key
-- that is only ``known``, nothing is inserted unless it holds, and there is one row at least, which says so. With
-- ``membership``, what names a task whose declared members its agent is none of is left out as well, and where they are
-- ``checked``, what is of an agent with a setting ``users`` of its own, by which its owners are found.
WITH {% if known %} held AS MATERIALIZED (
    SELECT {% include "credential_is_current" %} AS sure
), {% endif %} item AS (
    SELECT i.*, c.configuration, x.lexemes || {% include "field_lexemes" %} AS lexemes, {% include "word_count" %} AS length
    FROM jsonb_to_recordset(:items::jsonb) AS i(
        ordinal integer, id uuid, agent_id uuid, audience uuid, type text, like_type text, scope text, team_id uuid, task_id uuid,
        session_id uuid, user_name text, owners text[], hearsay_by text, origin text, key text, content text, summary text, identity_hash text,
        language text, lexical text, lexical_key text, lexical_tags text, lexical_summary text, tokens integer,
        importance float8, confidence float8, tags text[], metadata jsonb, source jsonb,
        status text, decay_exempt boolean, occurred_at timestamptz, occurred_until timestamptz, expires_at timestamptz, valid_from timestamptz,
        valid_until timestamptz, created_at timestamptz, dream_id uuid, changed_by text, change_reason text,
        words smallint, speaker text, asks boolean, question_share real,
        updated_at timestamptz, deleted_at timestamptz, superseded_by uuid, version integer, reinforced_at timestamptz,
        dream_analysis jsonb, key_id uuid
    ) CROSS JOIN LATERAL (SELECT i.agent_id) AS owner(agent_id) {% include "lexemes_of" %}
    WHERE true {% if known %} AND (SELECT sure FROM held) {% endif %}
        {% if checked %}
        AND NOT EXISTS (
            SELECT FROM agents a WHERE a.workspace_id = :workspace AND a.id = i.agent_id AND a.settings ? 'users'
        )
        {% endif %}
        {% if membership %}
        AND NOT EXISTS (
            SELECT FROM tasks t
            WHERE t.workspace_id = :workspace AND t.id = i.task_id AND t.members_only AND NOT EXISTS (
                SELECT FROM task_members m
                WHERE m.workspace_id = :workspace AND m.task_id = t.id AND m.agent_id = i.agent_id
            )
        )
        {% endif %}
), inserted AS (
    INSERT INTO memories (
        workspace_id, id, agent_id, audience, type, like_type, scope, team_id, task_id, session_id, user_name, owners, hearsay_by, origin, key, content,
        summary, identity_hash, language, tokens, importance, confidence, tags, metadata, source, status, decay_exempt, lexemes,
        occurred_at, occurred_until, expires_at, valid_from, valid_until, created_at, updated_at, deleted_at, superseded_by, version,
        reinforced_at, dream_id, changed_by, change_reason, dream_analysis, key_id
    )
    SELECT :workspace, id, agent_id, audience, type, like_type, scope, team_id, task_id, session_id, user_name, owners, hearsay_by, origin, key, content,
        summary, decode(identity_hash, 'hex'), configuration, tokens, importance, confidence, tags, metadata, source, status,
        decay_exempt, lexemes, occurred_at, occurred_until, expires_at, valid_from, valid_until,
        created_at, updated_at, deleted_at, superseded_by, version, reinforced_at,
        dream_id, changed_by, change_reason, dream_analysis, key_id
    FROM item
    ORDER BY audience, key, CASE WHEN key IS NOT NULL THEN agent_id END, type, identity_hash
    ON CONFLICT DO NOTHING
    RETURNING *
), indexed AS (
    INSERT INTO search_index (
        workspace_id, id, kind, audience, type, scope, user_name, owners, session_id, task_id, tags, importance, confidence,
        base_importance, decays_from, happened_at, happened_until, created_at, valid_from, valid_until, expires_at, deleted, previous, length,
        words, speaker, asks, question_share, embedding_model, {{ vector_column }}
    )
    SELECT m.workspace_id, m.id, 0, m.audience, m.type, m.scope, m.user_name, m.owners, m.session_id, m.task_id, m.tags,
        least(m.importance, greatest({% include "least_real" %}, reverie_decayed_v1(
            m.importance, {% include "policy_type" %}, m.decay_exempt, {% include "stored_at" %}, m.reinforced_at, NULL, m.learned_at, 30
        ))), m.confidence, CASE WHEN {% include "decays" %} AND NOT ({% include "dated_import" %}) THEN m.importance END,
        CASE WHEN {% include "decays" %} AND NOT ({% include "dated_import" %}) THEN greatest(m.created_at, m.learned_at, m.reinforced_at) END,
        coalesce(m.occurred_at, m.valid_from), m.occurred_until, m.created_at, m.valid_from, m.valid_until, m.expires_at,
        m.deleted_at IS NOT NULL,
        CASE WHEN m.session_id IS NOT NULL THEN coalesce(
            lag(m.id) OVER (PARTITION BY m.session_id ORDER BY {% include "told_at" %}, i.ordinal),
            (SELECT x.id FROM search_index x
             WHERE x.workspace_id = :workspace AND x.session_id = m.session_id AND x.kind = 0
                AND x.happened_at <= {% include "told_at" %}
             ORDER BY x.happened_at DESC, x.id DESC LIMIT 1)
        ) END,
        i.length, i.words, i.speaker, i.asks, i.question_share,
        CASE WHEN e.embedding IS NULL THEN NULL ELSE :model::smallint END, e.embedding
    FROM inserted m
    JOIN item i ON i.id = m.id
    LEFT JOIN unnest(:embeddings::{{ vector_type }}[]) WITH ORDINALITY AS e(embedding, n) ON e.n = i.ordinal
    RETURNING id
), posted AS (
    -- Distinct, should two lexemes have one hash: to mind conflicts instead would cost a third more.
    INSERT INTO search_terms (workspace_id, term, id, frequency, length)
    SELECT DISTINCT ON (2, 3) m.workspace_id, reverie_term_v1(m.audience, 0::smallint, l.lexeme), m.id, l.frequency, i.length
    FROM inserted m JOIN item i ON i.id = m.id, LATERAL (
        SELECT lexeme, {% include "posting_frequency" %} FROM unnest(m.lexemes) AS l(lexeme, positions, weights)
        UNION ALL
        SELECT facet, 1 FROM unnest(reverie_facets_v1(m.type, m.user_name, m.tags, m.owners)) AS f(facet)
    ) AS l(lexeme, frequency)
    ORDER BY 2, 3
    RETURNING id
), spoken AS (
    INSERT INTO audience_languages (workspace_id, audience, language)
    SELECT DISTINCT m.workspace_id, m.audience, m.language FROM inserted m WHERE m.language <> 'english'
    ORDER BY m.audience, m.language
    ON CONFLICT DO NOTHING
), told AS (
    INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
    SELECT workspace_id, gen_random_uuid(), 'memory.created', agent_id, owners, id,
        jsonb_strip_nulls(jsonb_build_object('version', version, 'dream_id', dream_id)), clock_timestamp()
    FROM inserted
    WHERE deleted_at IS NULL AND superseded_by IS NULL
    RETURNING id
)
SELECT i.id {% if known %}, held.sure {% endif %}
FROM {% if known %} held LEFT JOIN {% endif %} inserted i {% if known %} ON true {% endif %};

-- name: duplicate_by_key
-- The live memory of this key, locked.
SELECT id FROM memories
WHERE workspace_id = :workspace AND deleted_at IS NULL AND superseded_by IS NULL
    AND agent_id = :agent_id AND audience = :audience AND key = :key AND owners = :owners
FOR UPDATE;

-- name: duplicate_by_identity
-- The live memory that says the same, locked.
SELECT id FROM memories
WHERE workspace_id = :workspace AND deleted_at IS NULL AND superseded_by IS NULL
    AND audience = :audience AND type = :type AND identity_hash = :identity_hash
FOR UPDATE;

-- name: lock_memory
-- A memory under its lock.
SELECT * FROM memories WHERE workspace_id = :workspace AND id = :id FOR UPDATE;

-- name: lock_memories
-- Memories under their locks, taken in one order.
SELECT * FROM memories WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: archive_memory
-- Keep the row as it is now in the history, before it changes; ``with_vector``, the vector of its text as well.
INSERT INTO memory_versions (
    workspace_id, memory_id, version, record, changed_by, change_reason, dream_id, at, embedding_model, embedding
)
SELECT m.workspace_id, m.id, m.version,
    to_jsonb(r) - '{workspace_id,agent_id,audience,session_id,task_id,embedding,effective_importance,access_count,last_accessed_at}'::text[],
    m.changed_by, m.change_reason, m.dream_id, m.updated_at,
    {% if with_vector %} i.embedding_model, coalesce(i.embedding, i.embedding_float32::halfvec) {% else %} NULL, NULL {% endif %}
FROM memories m JOIN {% include "memory_records" %} r ON r.workspace_id = m.workspace_id AND r.id = m.id
{% if with_vector %}
LEFT JOIN search_index i ON i.workspace_id = :workspace AND i.id = m.id
{% endif %}
WHERE m.workspace_id = :workspace AND m.id = :id;

-- name: reinforce_memory
-- Said again: closer to certain and to important by a tenth of what is missing, tags and metadata joined.
WITH changed AS (
    UPDATE memories SET
        importance = importance + (1 - importance) * 0.1,
        confidence = confidence + (1 - confidence) * 0.1,
        tags = ARRAY(SELECT DISTINCT t FROM unnest(tags || :tags::text[]) t ORDER BY t),
        metadata = metadata || :metadata::jsonb,
        origin = :origin,
        updated_at = :now,
        reinforced_at = :now,
        version = version + 1,
        changed_by = :changed_by,
        change_reason = :reason
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version
)
{% include "memory_updated_events" %};

-- name: rate_memory
-- Move the importance by a step, within 0 and 1.
WITH changed AS (
    UPDATE memories SET
        importance = least(1, greatest(0, importance + :step::float8)), updated_at = :now, version = version + 1,
        changed_by = :changed_by, change_reason = :reason
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version
)
{% include "memory_updated_events" %};

-- name: label_memory
-- Set the tags, and whether the memory is exempt from decay.
WITH changed AS (
    UPDATE memories SET
        tags = :tags::text[], decay_exempt = :decay_exempt, updated_at = :now, version = version + 1,
        changed_by = :changed_by, change_reason = :reason
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version
)
{% include "memory_updated_events" %};

-- name: set_status
-- A todo is closed, or open again.
WITH changed AS (
    UPDATE memories SET
        status = :status, updated_at = :now, version = version + 1, changed_by = :changed_by, change_reason = :reason,
        dream_id = :dream_id::uuid
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version
)
{% include "memory_updated_events" %};

-- name: forget_stated_edges
-- What a dream drew between entities because of the words of this memory, which change.
DELETE FROM edges
WHERE workspace_id = :workspace AND memory_id = :id AND source_kind = 'entity' AND dream_id IS NOT NULL;

-- name: rewrite_memory
-- Set every changeable field of a locked memory, whose new values the caller has worked out; dreams read it once more.
WITH changed AS (
    UPDATE memories m SET
        type = i.type, like_type = i.like_type, scope = i.scope, audience = i.audience, team_id = i.team_id, task_id = i.task_id,
        session_id = i.session_id, user_name = i.user_name, owners = i.owners, hearsay_by = i.hearsay_by, origin = i.origin, key = i.key, content = i.content, summary = i.summary,
        identity_hash = decode(i.identity_hash, 'hex'), language = i.configuration, tokens = i.tokens,
        importance = i.importance, confidence = i.confidence, tags = i.tags, metadata = i.metadata, source = i.source,
        status = i.status, decay_exempt = i.decay_exempt, occurred_at = i.occurred_at, occurred_until = i.occurred_until,
        expires_at = i.expires_at,
        lexemes = i.lexemes, updated_at = :now, version = m.version + 1, changed_by = :changed_by,
        change_reason = :reason, dream_analysis = NULL
    FROM (
        SELECT i.*, c.configuration, x.lexemes || {% include "field_lexemes" %} AS lexemes
        FROM jsonb_to_recordset(jsonb_build_array(:item::jsonb)) AS i(
            agent_id uuid, type text, like_type text, scope text, audience uuid, team_id uuid, task_id uuid, session_id uuid, user_name text,
            owners text[], hearsay_by text, origin text, key text, content text, summary text, identity_hash text, language text, lexical text,
            lexical_key text, lexical_tags text, lexical_summary text, tokens integer, importance float8,
            confidence float8, tags text[], metadata jsonb, source jsonb, status text, decay_exempt boolean,
            occurred_at timestamptz, occurred_until timestamptz, expires_at timestamptz
        ) CROSS JOIN LATERAL (SELECT i.agent_id) AS owner(agent_id) {% include "lexemes_of" %}
    ) AS i
    WHERE m.workspace_id = :workspace AND m.id = :id
    RETURNING m.id, m.agent_id, m.owners, m.version
)
{% include "memory_updated_events" %};

-- name: mark_deleted
WITH changed AS (
    UPDATE memories SET deleted_at = :at::timestamptz, updated_at = :now, version = version + 1, changed_by = :changed_by,
        change_reason = :reason, dream_analysis = CASE WHEN :at::timestamptz IS NULL THEN NULL ELSE dream_analysis END
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version, deleted_at
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), CASE WHEN deleted_at IS NULL THEN 'memory.restored' ELSE 'memory.deleted' END, agent_id, owners, id,
    jsonb_build_object('version', version), clock_timestamp()
FROM changed
RETURNING id;

-- name: mark_superseded
WITH changed AS (
    UPDATE memories SET superseded_by = :by, valid_until = :until, updated_at = :now, version = version + 1,
        changed_by = :changed_by, change_reason = :reason, dream_id = :dream_id
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version, superseded_by
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'memory.superseded', agent_id, owners, id,
    jsonb_build_object('version', version, 'superseded_by', superseded_by), clock_timestamp()
FROM changed
RETURNING id;

-- name: types_in_use
-- Those of the types that memories have, deleted ones too.
SELECT t.type
FROM unnest(:types::text[]) AS t(type)
WHERE EXISTS (SELECT 1 FROM memories m WHERE m.workspace_id = :workspace AND m.type = t.type)
ORDER BY t.type;

-- name: delete_postings
-- Take a memory off its posting lists, before its words or audience change or it stands for a window.
DELETE FROM search_terms
WHERE workspace_id = :workspace AND id = :id AND term = ANY(ARRAY(
    SELECT reverie_term_v1(m.audience, k.kind, l.lexeme)
    FROM memories m, unnest(m.lexemes) AS l(lexeme, positions, weights), unnest('{0,3}'::smallint[]) AS k(kind)
    WHERE m.workspace_id = :workspace AND m.id = :id
));

-- name: insert_postings
-- Put a memory on its posting lists; the summary of a window has lists of its own (kind 3), that a search reads where the
-- messages that it summarises are not searched.
WITH spoken AS (
    INSERT INTO audience_languages (workspace_id, audience, language)
    SELECT workspace_id, audience, language FROM memories
    WHERE workspace_id = :workspace AND id = :id AND language <> 'english'
    ON CONFLICT DO NOTHING
), posted AS (
    INSERT INTO search_terms (workspace_id, term, id, frequency, length)
    SELECT m.workspace_id, reverie_term_v1(m.audience, CASE WHEN i.window_summary THEN 3 ELSE 0 END::smallint, l.lexeme), m.id,
        {% include "posting_frequency" %}, n.length
    FROM memories m JOIN search_index i ON i.workspace_id = m.workspace_id AND i.id = m.id,
        reverie_length_v1(ts_filter(m.lexemes, '{d}')) AS n(length), unnest(m.lexemes) AS l(lexeme, positions, weights)
    WHERE m.workspace_id = :workspace AND m.id = :id
    ON CONFLICT DO NOTHING
)
SELECT 1;

-- name: fields_of_memory
SELECT id, key, tags, summary, content FROM memories WHERE workspace_id = :workspace AND id = :id;

-- name: index_fields
-- Label the words of a memory's other fields again; those of its content stay.
WITH f AS MATERIALIZED (
    SELECT {% include "field_lexemes" %} AS lexemes
    FROM (SELECT :lexical_key::text AS lexical_key, :lexical_tags::text AS lexical_tags, :lexical_summary::text AS lexical_summary) AS i,
        memories o CROSS JOIN LATERAL (SELECT o.language) AS c(configuration)
    WHERE o.workspace_id = :workspace AND o.id = :id
)
UPDATE memories m SET lexemes = ts_filter(m.lexemes, '{d}') || f.lexemes
FROM f
WHERE m.workspace_id = :workspace AND m.id = :id;

-- name: lock_field_backfill
-- How far a workspace has come, unless another worker is at it.
SELECT "after" FROM field_backfills WHERE workspace_id = :workspace FOR UPDATE SKIP LOCKED;

-- name: memories_to_backfill
-- The next memories after an id, locked in one order.
SELECT id, key, tags, summary, content FROM memories
WHERE workspace_id = :workspace AND id > :after::uuid
ORDER BY id
LIMIT :limit
FOR UPDATE;

-- name: advance_field_backfill
UPDATE field_backfills SET "after" = :after::uuid WHERE workspace_id = :workspace;

-- name: finish_field_backfill
DELETE FROM field_backfills WHERE workspace_id = :workspace;

-- name: reindex_memory
-- Bring the search row in line with the memory, and the lists that filters read; a new embedding when one is given or
-- the content changed.
WITH before AS (
    SELECT reverie_term_v1(i.audience, 0::smallint, f.facet) AS term
    FROM search_index i, unnest(reverie_facets_v1(i.type, i.user_name, i.tags, i.owners)) AS f(facet)
    WHERE i.workspace_id = :workspace AND i.id = :id
), after AS (
    SELECT reverie_term_v1(m.audience, 0::smallint, f.facet) AS term
    FROM memories m, unnest(reverie_facets_v1(m.type, m.user_name, m.tags, m.owners)) AS f(facet)
    WHERE m.workspace_id = :workspace AND m.id = :id
), unlisted AS (
    DELETE FROM search_terms
    WHERE workspace_id = :workspace AND id = :id
        AND term = ANY(ARRAY(SELECT term FROM before EXCEPT SELECT term FROM after))
    RETURNING id
), listed AS (
    INSERT INTO search_terms (workspace_id, term, id, frequency, length)
    SELECT :workspace, term, :id, 1, 1 FROM (SELECT term FROM after EXCEPT SELECT term FROM before) AS f
    ON CONFLICT DO NOTHING
    RETURNING id
)
UPDATE search_index i SET
    audience = m.audience, type = m.type, scope = m.scope, user_name = m.user_name, owners = m.owners, session_id = m.session_id, task_id = m.task_id,
    tags = m.tags, importance = m.importance, confidence = m.confidence,
    base_importance = CASE WHEN {% include "decays" %} AND NOT (
        i.decays_from IS NULL AND {% include "dated_import" %}) THEN m.importance END,
    decays_from = CASE WHEN {% include "decays" %} AND NOT (i.decays_from IS NULL AND {% include "dated_import" %}) THEN greatest(
        m.created_at, m.learned_at, m.reinforced_at, (
            SELECT u.last_accessed_at FROM memory_usage u WHERE u.workspace_id = :workspace AND u.memory_id = :id
        )) END,
    happened_at = coalesce(m.occurred_at, m.valid_from), happened_until = m.occurred_until, valid_from = m.valid_from, valid_until = m.valid_until,
    expires_at = m.expires_at, deleted = m.deleted_at IS NOT NULL, length = reverie_length_v1(ts_filter(m.lexemes, '{d}')),
    words = coalesce(:words::smallint, i.words), speaker = CASE WHEN :words IS NULL THEN i.speaker ELSE :speaker::text END,
    asks = coalesce(:asks::boolean, i.asks), question_share = coalesce(:question_share::real, i.question_share),
    embedding_model = CASE WHEN :embed::boolean THEN :model::smallint ELSE i.embedding_model END,
    {{ vector_column }} = CASE WHEN :embed THEN :embedding::{{ vector_type }} ELSE i.{{ vector_column }} END,
    {{ other_vector_column }} = CASE WHEN NOT :embed THEN i.{{ other_vector_column }} END,
    next_model = CASE WHEN NOT :embed THEN i.next_model END,
    next_embedding = CASE WHEN NOT :embed THEN i.next_embedding END,
    next_embedding_float32 = CASE WHEN NOT :embed THEN i.next_embedding_float32 END
FROM memories m
WHERE m.workspace_id = :workspace AND m.id = :id AND i.workspace_id = m.workspace_id AND i.id = m.id;

-- name: get_memories
-- The memories of these ids that the reader may see: its own, or of an audience it belongs to.
SELECT * FROM {% include "memory_records" %} r
WHERE r.workspace_id = :workspace AND r.id = ANY(:ids)
    AND (:agent_id::uuid IS NULL OR r.agent_id = :agent_id OR r.audience = ANY(:audiences));

-- fragment: listed_records
-- The memories of the workspace as they are, or with ``past`` as they were at ``as_of``.
{% if past %}{% include "past_records" %}{% else %}{% include "memory_records" %}{% endif %}

-- fragment: listed_memory
-- Whether a memory ``r`` of listed_records may be seen and passes the filters of a list.
(:agent_id::uuid IS NULL OR r.agent_id = :agent_id OR r.audience = ANY(:audiences))
    AND (:types::text[] IS NULL OR r.type = ANY(:types))
    AND (:scopes::text[] IS NULL OR r.scope = ANY(:scopes))
    AND (:session::text IS NULL OR r.session_id IN (
        SELECT s.id FROM sessions s WHERE s.workspace_id = :workspace AND s.session = :session))
    AND (:user::text IS NULL OR r."user" = :user)
    AND (:tag::text IS NULL OR :tag = ANY(r.tags))
    AND (:key::text IS NULL OR r.key = :key)
    AND (:source::text IS NULL OR r.source ->> 'kind' = :source)
    AND (:text::text IS NULL OR position(lower(:text) IN lower(r.content)) > 0)
    AND (:since::timestamptz IS NULL OR coalesce(r.occurred_at, r.created_at) >= :since OR r.occurred_until > :since)
    AND (:until::timestamptz IS NULL OR coalesce(r.occurred_at, r.created_at) < :until)
    AND (:created_since::timestamptz IS NULL OR r.created_at >= :created_since)
    AND (:created_until::timestamptz IS NULL OR r.created_at < :created_until)
    AND (:with_deleted::boolean OR r.deleted_at IS NULL)
    AND (:with_superseded::boolean OR r.superseded_by IS NULL)
    AND (:with_expired::boolean OR r.expires_at IS NULL OR r.expires_at > :now)
    AND (:min_importance::float8 IS NULL OR r.importance >= :min_importance)
    {% if past %} AND r.valid_from <= :as_of::timestamptz AND (r.valid_until IS NULL OR r.valid_until > :as_of) {% endif %}
    {% if where and past %} AND EXISTS (
        SELECT 1 FROM memories p
        CROSS JOIN LATERAL (SELECT r.*, r."user" AS user_name, p.team_id) AS m, (SELECT :where_values::jsonb AS v) w
        WHERE p.workspace_id = :workspace AND p.id = r.id AND {% include "where" %})
    {% elif where %} AND EXISTS (
        SELECT 1 FROM memories m, (SELECT :where_values::jsonb AS v) w
        WHERE m.workspace_id = :workspace AND m.id = r.id AND {% include "where" %})
    {% endif %}

-- name: list_memories
-- By keyset on a column and the id. ``order`` is newest, oldest, happened, recalled or importance.
{% set column = {
    'newest': 'r.created_at', 'oldest': 'r.created_at', 'happened': 'coalesce(r.occurred_at, r.created_at)',
    'recalled': "coalesce(r.last_accessed_at, 'epoch')", 'importance': 'r.importance'}[order] %}
{% set kind = 'float8' if order == 'importance' else 'timestamptz' %}
{% set direction = 'ASC' if order == 'oldest' else 'DESC' %}
SELECT * FROM {% include "listed_records" %} r
WHERE r.workspace_id = :workspace
    AND {% include "listed_memory" %}
    AND (:before_key::{{ kind }} IS NULL
        OR ({{ column }}, r.id) {{ '>' if order == 'oldest' else '<' }} (:before_key, :before_id::uuid))
ORDER BY {{ column }} {{ direction }}, r.id {{ direction }}
LIMIT :limit;

-- name: matching_memories
-- Lock the memories that a list has, with ``owners`` of exactly these, in one order, deleted ones left out; or, with ``deleted``, these alone.
SELECT m.id FROM memories m
WHERE m.workspace_id = :workspace AND m.id IN (
    SELECT r.id FROM {% include "memory_records" %} r
    WHERE r.workspace_id = :workspace AND {% include "listed_memory" %}
        AND (:owners::text[] IS NULL OR r.owners = :owners)
        {% if deleted %} AND r.deleted_at IS NOT NULL {% endif %}
    ORDER BY r.id LIMIT :limit
) AND m.deleted_at IS {% if deleted %} NOT {% endif %} NULL
ORDER BY m.id
FOR UPDATE OF m;

-- name: count_memories
-- How many memories a list has, counted up to a bound.
SELECT count(*) FROM (
    SELECT 1 FROM {% include "listed_records" %} r
    WHERE r.workspace_id = :workspace AND {% include "listed_memory" %}
    LIMIT :bound
) c;

-- name: memory_stats
-- How many live memories of each type the reader may see, and what of them.
SELECT m.type, count(*) AS memories, sum(m.tokens) AS tokens,
    count(*) FILTER (WHERE i.id IS NOT NULL AND i.embedding_model IS NULL) AS pending,
    count(*) FILTER (WHERE u.access_count > 0) AS recalled
FROM memories m
LEFT JOIN search_index i ON i.workspace_id = m.workspace_id AND i.id = m.id
LEFT JOIN memory_usage u ON u.workspace_id = m.workspace_id AND u.memory_id = m.id
WHERE m.workspace_id = :workspace
    AND (:agent_id::uuid IS NULL OR m.agent_id = :agent_id OR m.audience = ANY(:audiences))
    AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
GROUP BY m.type
ORDER BY m.type;

-- name: memory_history
-- Every version, oldest first, the present one last.
SELECT m.id, m.agent, m.session, m.created_at, x.*, reverie_precision_v1(x.occurred_at, x.occurred_until) AS occurred_precision, v.dream_id, v.actor, v.reason, v.at
FROM {% include "memory_records" %} m
CROSS JOIN LATERAL (
    SELECT record, changed_by AS actor, dream_id, change_reason AS reason, at
    FROM memory_versions
    WHERE workspace_id = :workspace AND memory_id = m.id
    UNION ALL
    SELECT to_jsonb(m), n.changed_by, n.dream_id, n.change_reason, n.updated_at
    FROM memories n
    WHERE n.workspace_id = :workspace AND n.id = m.id
) AS v
{% include "version_record" %}
WHERE m.id = :id
ORDER BY x.version;

-- name: memory_messages
-- The messages a memory was made of, as far as they are of sessions of ``owner``; null sees all.
SELECT m.id AS message_id, s.session, m.seq, m.role, m.content, m.created_at
FROM memory_sources x
JOIN messages m ON m.workspace_id = x.workspace_id AND m.id = x.message_id
JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
WHERE x.workspace_id = :workspace AND x.memory_id = :id
    AND (:owner::text IS NULL OR s.agent_id = (
        SELECT a.id FROM agents a WHERE a.workspace_id = :workspace AND a.agent = :owner))
ORDER BY m.created_at, m.seq;

-- name: add_sources
-- Tie memories to the messages they came from; pairs are given side by side.
INSERT INTO memory_sources (workspace_id, memory_id, message_id)
SELECT :workspace, p.memory_id, p.message_id
FROM unnest(:memory_ids::uuid[], :message_ids::uuid[]) AS p(memory_id, message_id)
JOIN messages m ON m.workspace_id = :workspace AND m.id = p.message_id
ON CONFLICT DO NOTHING
RETURNING memory_id, message_id;

-- name: add_access_counts
-- Count accesses without touching the memory rows. What searches know of the last use is brought in line at most once
-- a day for each memory; a row that somebody else has locked is left for the next time. A dated import goes unused from
-- its first use here.
WITH revived AS (
    UPDATE search_index SET decays_from = :now
    WHERE workspace_id = :workspace AND id = ANY(ARRAY(
        SELECT id FROM search_index
        WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[])
            AND decays_from < :now::timestamptz - make_interval(hours => 24)
        ORDER BY id
        FOR UPDATE SKIP LOCKED
    ))
), begun AS (
    UPDATE search_index i SET decays_from = :now, base_importance = m.importance
    FROM memories m
    WHERE i.workspace_id = :workspace AND i.id = ANY(:ids::uuid[]) AND i.decays_from IS NULL
        AND m.workspace_id = :workspace AND m.id = i.id AND {% include "decays" %} AND {% include "dated_import" %}
)
INSERT INTO memory_usage (workspace_id, memory_id, access_count, last_accessed_at)
SELECT :workspace, u.id, u.n, :now
FROM unnest(:ids::uuid[], :counts::bigint[]) AS u(id, n)
JOIN memories m ON m.workspace_id = :workspace AND m.id = u.id
ORDER BY u.id
ON CONFLICT (workspace_id, memory_id) DO UPDATE SET
    access_count = memory_usage.access_count + excluded.access_count,
    last_accessed_at = greatest(memory_usage.last_accessed_at, excluded.last_accessed_at);

-- name: workspaces
SELECT workspace_id FROM workspaces ORDER BY workspace_id;

-- name: summarizable_memories
-- Old facts, events and observations of an agent that matter little by now, the oldest first. Hearsay is left out: in a
-- summary it would pass for what is known; and what is to expire, which a summary would keep. Those of the owners who
-- have most of them come first.
SELECT r.*
FROM {% include "memory_records" %} r
WHERE r.workspace_id = :workspace AND r.agent_id = :agent_id AND r.audience = :agent_id
    AND (:owners::text[] IS NULL OR r.owners = :owners)
    AND r.type IN ('fact', 'event', 'observation') AND r.key IS NULL AND NOT r.decay_exempt
    AND r.hearsay_by IS NULL
    AND r.effective_importance < :importance_below::float8
    AND r.created_at < :before
    AND r.deleted_at IS NULL AND r.superseded_by IS NULL AND r.expires_at IS NULL
    AND r.source ->> 'kind' IS DISTINCT FROM 'window'
ORDER BY count(*) OVER (PARTITION BY r.owners) DESC, r.owners, r.created_at, r.id
LIMIT :limit;

-- name: agent_memory_tokens
-- The length of an agent's live memories.
SELECT coalesce(sum(tokens), 0)::bigint FROM memories
WHERE workspace_id = :workspace AND agent_id = :agent_id
    AND deleted_at IS NULL AND superseded_by IS NULL AND (expires_at IS NULL OR expires_at > :now);

-- name: inherit_sources
-- What a summary stands for came from these messages.
INSERT INTO memory_sources (workspace_id, memory_id, message_id)
SELECT DISTINCT workspace_id, :memory_id::uuid, message_id FROM memory_sources
WHERE workspace_id = :workspace AND memory_id = ANY(:ids::uuid[])
ON CONFLICT DO NOTHING;

-- name: reinstate_memory
-- A memory that another had replaced is current again.
WITH changed AS (
    UPDATE memories SET superseded_by = NULL, valid_until = NULL, updated_at = :now, version = version + 1,
        changed_by = :changed_by, change_reason = :reason
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, version
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'memory.restored', agent_id, owners, id,
    jsonb_build_object('version', version), clock_timestamp()
FROM changed
RETURNING id;
