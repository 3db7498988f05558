-- fragment: stated_at
-- From when on a memory ``m`` says what it says: it was told then, or put so by whoever edited it.
greatest(m.valid_from, (
    SELECT coalesce(
        (SELECT n.at FROM memory_versions n
         WHERE n.workspace_id = :workspace AND n.memory_id = m.id AND n.version = other.version + 1),
        m.updated_at)
    FROM (
        SELECT max(v.version) AS version FROM memory_versions v
        WHERE v.workspace_id = :workspace AND v.memory_id = m.id AND v.record ->> 'content' <> m.content
    ) other
    WHERE other.version IS NOT NULL
))

-- fragment: was_edited
-- Whether a memory ``m`` was put otherwise before, so that what a dream noted of its meaning no longer holds.
EXISTS (
    SELECT 1 FROM memory_versions v
    WHERE v.workspace_id = :workspace AND v.memory_id = m.id AND v.record ->> 'content' <> m.content
)

-- fragment: word_of
-- The user in whose turns a memory ``m`` was said by the person it is about: that user, or the one who spoke under
-- that name. What was saved for a user counts as the user's own word. Null: hearsay, or about nobody who spoke.
CASE
    WHEN m.user_name IS NULL OR m.hearsay_by IS NOT NULL THEN NULL
    WHEN coalesce(m.source ->> 'kind', '') NOT IN ('dream', 'summary') THEN m.user_name
    ELSE (
        SELECT coalesce(x.user_name, s.user_name)
        FROM memory_sources o
        JOIN messages x ON x.workspace_id = :workspace AND x.id = o.message_id
        JOIN sessions s ON s.workspace_id = :workspace AND s.id = x.session_id
        WHERE o.workspace_id = :workspace AND o.memory_id = m.id AND x.role = 'user'
            AND (coalesce(x.user_name, s.user_name) = m.user_name
                OR (x.name = m.user_name AND coalesce(x.user_name, s.user_name) IS NOT NULL))
        ORDER BY coalesce(x.user_name, s.user_name) = m.user_name DESC, x.id
        LIMIT 1)
END

-- fragment: compared_columns
-- What a dream has to know of a memory ``m`` that it compares with others.
m.id, m.audience, m.owners, m.type, {% include "policy_type" %} AS policy_type, m.content, m.source, m.dream_analysis, m.identity_hash, m.version, m.user_name, m.hearsay_by, m.origin,
{% include "word_of" %} AS word_of, {% include "stated_at" %} AS since, {% include "was_edited" %} AS edited,
m.occurred_at, m.occurred_until, m.key, m.status, m.decay_exempt, m.expires_at, m.reinforced_at, m.metadata, m.tags,
(SELECT count(*) FROM edges e
 WHERE e.workspace_id = :workspace AND (e.source_id = m.id OR e.target_id = m.id) AND e.dream_id IS NULL)
    + coalesce((SELECT u.access_count FROM memory_usage u
        WHERE u.workspace_id = :workspace AND u.memory_id = m.id), 0) AS uses

-- fragment: is_unread
-- Whether no dream has read a live memory ``m`` as it is now; with ``embedded``, only once it has its vector.
m.dream_analysis IS NULL AND m.type <> 'insight' AND m.deleted_at IS NULL AND m.superseded_by IS NULL
AND (m.expires_at IS NULL OR m.expires_at > :now)
AND NOT EXISTS (
    SELECT 1 FROM dead_letters d
    WHERE d.workspace_id = :workspace AND d.memory_id = m.id AND d.status IN ('dead', 'discarded'))
AND (NOT :embedded::boolean OR EXISTS (
    SELECT 1 FROM search_index i
    WHERE i.workspace_id = :workspace AND i.id = m.id AND i.embedding_model IS NOT NULL))

-- name: unread_memories
-- Memories of the agent, of these owners, that no dream has read as they are now, oldest first; with ``ids`` only those.
SELECT m.id, m.version, m.audience, m.content, m.user_name, m.source ->> 'kind' AS kind, m.hearsay_by, {% include "policy_type" %} AS type
FROM memories m
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.owners = :owners::text[] AND {% include "is_unread" %}
    AND (:ids::uuid[] IS NULL OR m.id = ANY(:ids))
ORDER BY m.id
LIMIT :limit;

-- name: count_unread_memories
SELECT count(*) FROM memories m
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND {% include "is_unread" %};

-- name: mark_read
-- These memories have been read as they are at these versions. What has changed since, or is being changed, stays due.
WITH free AS (
    SELECT m.id, r.dream_analysis
    FROM jsonb_to_recordset(:items::jsonb) AS r(id uuid, version integer, dream_analysis jsonb)
    JOIN memories m ON m.workspace_id = :workspace AND m.id = r.id AND m.version = r.version AND m.dream_analysis IS NULL
    ORDER BY m.id
    FOR UPDATE OF m SKIP LOCKED
)
UPDATE memories m SET dream_analysis = free.dream_analysis
FROM free
WHERE m.workspace_id = :workspace AND m.id = free.id
RETURNING m.id;

-- name: queue_dream
-- A dream waiting for a worker; one already waiting for this agent and these owners, or for
-- any where none are named, is taken instead.
WITH waiting AS (
    SELECT id FROM dreams
    WHERE workspace_id = :workspace AND agent_id = :agent_id AND status = 'queued' AND dry_run = :dry_run
        AND (owners = :owners::text[] OR :owners = '{}')
    ORDER BY created_at LIMIT 1
), made AS (
    INSERT INTO dreams (workspace_id, id, agent_id, owners, status, trigger, dry_run, created_at, key_id)
    SELECT :workspace, :id, :agent_id, :owners, 'queued', :trigger, :dry_run, :now, :key_id::uuid
    WHERE NOT EXISTS (SELECT 1 FROM waiting)
    RETURNING id
), due AS (
    UPDATE dream_schedule SET asked = asked + 1, asked_at = CASE WHEN asked > answered THEN asked_at ELSE :now END
    WHERE workspace_id = :workspace AND agent_id = :agent_id
)
SELECT id FROM waiting UNION ALL SELECT id FROM made;

-- name: wake_workers
-- Tell listening workers that there is something to do; sent when the transaction commits.
SELECT pg_notify('reverie_due', '');

-- name: get_dream
SELECT d.id, a.agent, d.owners, d.status, d.trigger, d.dry_run, d.report, d.error, d.created_at, d.started_at, d.finished_at
FROM dreams d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace AND d.id = :id;

-- name: list_dreams
SELECT d.id, a.agent, d.owners, d.status, d.trigger, d.dry_run, d.report, d.error, d.created_at, d.started_at, d.finished_at
FROM dreams d JOIN agents a ON a.workspace_id = d.workspace_id AND a.id = d.agent_id
WHERE d.workspace_id = :workspace
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:status::text IS NULL OR d.status = :status)
    AND (:before::uuid IS NULL OR d.id < :before)
ORDER BY d.id DESC
LIMIT :limit;

-- name: dream_changes
SELECT op, memory_id, before, after, reason
FROM dream_changes
WHERE workspace_id = :workspace AND dream_id = :dream_id
ORDER BY ordinal;

-- fragment: change_of_type
-- Whether a change ``c`` is of a memory of the type asked for; of any when none is named.
(:type::text IS NULL OR coalesce(c.after ->> 'type', c.before ->> 'type', (
    SELECT m.type FROM memories m WHERE m.workspace_id = :workspace AND m.id = c.memory_id)) = :type)

-- name: list_dream_changes
-- Changes of a dream in order, with the messages and memories that each rests on, at most 50 of each.
SELECT c.ordinal AS n, c.op, c.memory_id, c.before, c.after, c.reason, c.undone_at,
    d.status = 'succeeded' AND c.undo IS NOT NULL AND c.undone_at IS NULL AS undoable,
    coalesce(
        (SELECT p.message_ids[1:50] FROM proposals p
            WHERE p.workspace_id = :workspace AND p.id = (c.undo ->> 'proposal_id')::uuid),
        ARRAY(SELECT o.message_id FROM memory_sources o
            WHERE o.workspace_id = :workspace AND o.memory_id = c.memory_id ORDER BY o.message_id LIMIT 50)
    ) AS message_ids,
    ARRAY(SELECT e.target_id FROM edges e
        WHERE e.workspace_id = :workspace AND e.source_id = c.memory_id AND e.target_kind = 'memory'
        ORDER BY e.target_id LIMIT 50) AS memory_ids
FROM dream_changes c JOIN dreams d ON d.workspace_id = c.workspace_id AND d.id = c.dream_id
WHERE c.workspace_id = :workspace AND c.dream_id = :dream_id
    AND (:actions::text[] IS NULL OR c.op = ANY(:actions)) AND {% include "change_of_type" %}
    AND (:after_n::bigint IS NULL OR c.ordinal > :after_n)
ORDER BY c.ordinal
LIMIT :limit;

-- name: count_dream_changes
SELECT c.op, count(*) AS count
FROM dream_changes c
WHERE c.workspace_id = :workspace AND c.dream_id = :dream_id AND {% include "change_of_type" %}
GROUP BY c.op
ORDER BY c.op;

-- name: cancel_dream
-- End a dream that waits or runs: it is recorded as failed, and its messages stay due.
WITH changed AS (
    UPDATE dreams SET status = 'failed', error = :error, finished_at = :now, report = report - 'newest'
    WHERE workspace_id = :workspace AND id = :id AND status IN ('queued', 'running')
    RETURNING id, agent_id, owners, status
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), 'dream.failed', agent_id, owners, id, jsonb_build_object('status', status), clock_timestamp()
FROM changed
RETURNING id;

-- name: take_agent_back
-- The worker that dreams this dream has lost its lease, and cannot commit; the agent is due as before, but not before then.
UPDATE dream_schedule SET
    lease_token = lease_token + 1, lease_owner = NULL, lease_until = NULL, dream_id = NULL,
    due_at = greatest(due_at, :not_before::timestamptz)
WHERE workspace_id = :workspace AND dream_id = :dream_id;

-- name: claim_due_agent
-- Take an agent that is due or was asked for and that no worker holds: a lease with the next fencing token. Workspaces
-- take turns: the one with the fewest leases is first, then the one served longest ago; one whose limit of dreams is
-- reached waits, which workers that claim at the same moment may pass by one each. ``reserved``: only of a
-- workspace without a lease.
WITH tenant AS MATERIALIZED (
    SELECT workspace_id, count(*) FILTER (WHERE lease_until > now()) AS leases, max(claimed_at) AS served_at
    FROM dream_schedule
    WHERE workspace_id IN (
        SELECT workspace_id FROM dream_schedule
        WHERE (due_at <= :now OR asked > answered) AND (lease_until IS NULL OR lease_until <= now())
    ) AND workspace_id NOT IN (SELECT w.workspace_id FROM workspaces w WHERE w.suspended_at IS NOT NULL)
    GROUP BY workspace_id
    HAVING count(*) FILTER (WHERE lease_until > now()) < coalesce(
        (SELECT (w.limits ->> 'dreams_max')::integer FROM workspaces w WHERE w.workspace_id = dream_schedule.workspace_id),
        2147483647)
)
UPDATE dream_schedule s SET
    lease_owner = :worker, lease_until = now() + make_interval(secs => :lease_s::float8), lease_token = lease_token + 1,
    claimed_at = now()
FROM (
    SELECT d.workspace_id, d.agent_id
    FROM dream_schedule d JOIN tenant t ON t.workspace_id = d.workspace_id
    WHERE (d.due_at <= :now OR d.asked > d.answered) AND (d.lease_until IS NULL OR d.lease_until <= now())
        AND (t.leases = 0 OR NOT :reserved::boolean)
    ORDER BY t.leases, t.served_at NULLS FIRST, d.asked > d.answered DESC, d.due_at, d.agent_id
    LIMIT 1
    FOR UPDATE OF d SKIP LOCKED
) next
WHERE s.workspace_id = next.workspace_id AND s.agent_id = next.agent_id
RETURNING s.workspace_id, s.agent_id, s.lease_token AS token, s.dream_id, s.asked, s.failures, s.due_at <= :now AS scheduled,
    '{}'::text[] AS owners;

-- name: claim_agent
-- Take one agent, due or not, unless another worker holds it.
UPDATE dream_schedule SET
    lease_owner = :worker, lease_until = now() + make_interval(secs => :lease_s::float8), lease_token = lease_token + 1,
    claimed_at = now()
WHERE workspace_id = :workspace AND agent_id = :agent_id AND (lease_until IS NULL OR lease_until <= now())
RETURNING workspace_id, agent_id, lease_token AS token, dream_id, asked, failures, due_at <= :now AS scheduled,
    '{}'::text[] AS owners;

-- name: extend_lease
-- Still alive: the lease runs on, if it is still this worker's.
UPDATE dream_schedule SET lease_until = now() + make_interval(secs => :lease_s::float8)
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token AND lease_until > now();

-- name: fence
-- Lock the lease for the rest of the transaction; nothing when it has been lost.
SELECT 1 FROM dream_schedule
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token AND lease_until > now()
FOR UPDATE;

-- name: release_lease
-- Done with the agent: free for others, and due again at the time given (null: as it was). What was asked for up to
-- the claim is answered; what was asked since is not.
UPDATE dream_schedule SET lease_owner = NULL, lease_until = NULL, dream_id = NULL, failures = :failures,
    answered = :asked, due_at = coalesce(:due_at::timestamptz, due_at)
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: abandon_lease
-- Let go without having finished: due as before, for whoever comes next.
UPDATE dream_schedule SET lease_owner = NULL, lease_until = NULL
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: attach_dream
UPDATE dream_schedule SET dream_id = :dream_id
WHERE workspace_id = :workspace AND agent_id = :agent_id AND lease_token = :token;

-- name: next_queued_dream
-- The next dream waiting for this agent.
SELECT id FROM dreams
WHERE workspace_id = :workspace AND agent_id = :agent_id AND status = 'queued'
ORDER BY created_at, id LIMIT 1;

-- name: add_dream
INSERT INTO dreams (workspace_id, id, agent_id, status, trigger, dry_run, created_at)
VALUES (:workspace, :id, :agent_id, 'queued', :trigger, :dry_run, :now);

-- name: start_dream
-- Begin a dream, by default of these owners, or go on with one that was interrupted. How it was is read first of all: on Citus each part is a step
-- of its own, which sees what those before it have done.
WITH waiting AS MATERIALIZED (
    SELECT id, started_at FROM dreams WHERE workspace_id = :workspace AND id = :id
), changed AS (
    UPDATE dreams SET status = 'running', started_at = coalesce(started_at, :now),
        owners = CASE WHEN owners = '{}' THEN :owners::text[] ELSE owners END
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, trigger, dry_run, usage, watermarks, memory_ids, owners
), told AS (
    INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
    SELECT :workspace, gen_random_uuid(), 'dream.started', c.agent_id, c.owners, c.id,
        jsonb_build_object('trigger', c.trigger, 'dry_run', c.dry_run), clock_timestamp()
    FROM changed c JOIN waiting w ON w.id = c.id
    WHERE w.started_at IS NULL
    RETURNING id
)
SELECT id, trigger, dry_run, usage, watermarks, memory_ids, owners FROM changed;

-- name: save_ranges
-- What a dream is going to read: taken up again, it reads the same, whatever has been said since.
UPDATE dreams SET watermarks = :watermarks, memory_ids = :memory_ids::uuid[] WHERE workspace_id = :workspace AND id = :id;

-- name: note_progress
-- How far a dream under way has come; the texts of its newest candidates (newest) go when it ends, waits again or is purged.
UPDATE dreams SET report = :report::jsonb
WHERE workspace_id = :workspace AND id = :id AND status = 'running';

-- name: requeue_dream
-- Its worker was told to stop: the next one takes it up.
UPDATE dreams d SET status = 'queued', report = d.report - 'newest'
FROM dream_schedule s
WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND d.workspace_id = s.workspace_id AND d.id = s.dream_id
    AND d.status = 'running';

-- name: finish_dream
WITH changed AS (
    UPDATE dreams SET status = :status, report = :report, watermarks = :watermarks, memory_ids = :memory_ids::uuid[],
        error = :error, finished_at = :now
    WHERE workspace_id = :workspace AND id = :id
    RETURNING id, agent_id, owners, status
)
INSERT INTO events (workspace_id, id, kind, agent_id, owners, subject_id, details, at)
SELECT :workspace, gen_random_uuid(), CASE status WHEN 'failed' THEN 'dream.failed' ELSE 'dream.finished' END, agent_id, owners, id,
    jsonb_build_object('status', status), clock_timestamp()
FROM changed
RETURNING id;

-- name: add_changes
INSERT INTO dream_changes (workspace_id, dream_id, ordinal, op, memory_id, before, after, undo, reason)
SELECT :workspace, :dream_id, c.ordinal, c.op, c.memory_id, c.before, c.after, c.undo, c.reason
FROM jsonb_to_recordset(:changes::jsonb) AS c(
    ordinal integer, op text, memory_id uuid, before jsonb, after jsonb, undo jsonb, reason text
)
RETURNING ordinal;

-- name: add_dream_usage
-- Count what language-model calls of a dream used; the totals of the dream.
UPDATE dreams SET usage = jsonb_build_object(
    'calls', coalesce((usage ->> 'calls')::bigint, 0) + :calls::bigint,
    'failed_calls', coalesce((usage ->> 'failed_calls')::bigint, 0) + :failed_calls::bigint,
    'prompt_tokens', coalesce((usage ->> 'prompt_tokens')::bigint, 0) + :prompt_tokens::bigint,
    'completion_tokens', coalesce((usage ->> 'completion_tokens')::bigint, 0) + :completion_tokens::bigint,
    'cost_usd', coalesce((usage ->> 'cost_usd')::float8, 0) + :cost_usd::float8
)
WHERE workspace_id = :workspace AND id = :id;

-- name: dream_usage
SELECT usage FROM dreams WHERE workspace_id = :workspace AND id = :id;

-- name: find_steps
-- Results of finished steps, by the hash of their input.
SELECT input_hash, result FROM dream_steps
WHERE workspace_id = :workspace AND agent_id = :agent_id AND input_hash = ANY(:hashes::text[]);

-- name: save_step
-- Keep the result of a step, unless a message that went into it is gone: what was purged must not come back.
INSERT INTO dream_steps (workspace_id, agent_id, input_hash, step, result, dream_id, created_at)
SELECT :workspace, :agent_id, :input_hash, :step, :result, :dream_id, :now
WHERE (
    SELECT count(*) FROM messages WHERE workspace_id = :workspace AND id = ANY(:message_ids::uuid[])
) = cardinality(:message_ids)
ON CONFLICT DO NOTHING;

-- name: save_verdicts
-- Keep what a model answered about pairs of statements, for later dreams too.
INSERT INTO dream_steps (workspace_id, agent_id, input_hash, step, result, dream_id, created_at)
SELECT :workspace, :agent_id, v.input_hash, 'verdict', v.result, :dream_id, :now
FROM jsonb_to_recordset(:items::jsonb) AS v(input_hash text, result jsonb)
ON CONFLICT DO NOTHING;

-- name: forget_steps
-- The dream has committed: its checkpoints have served.
DELETE FROM dream_steps WHERE workspace_id = :workspace AND agent_id = :agent_id AND input_hash = ANY(:hashes::text[]);

-- name: due_messages
-- Messages of these owners past the watermark of the agent's sessions, oldest session first, in order: at most
-- ``limit``, and no more than ``tokens_max`` tokens after the first; with ``stretches`` only those in them. What is set
-- aside or not searchable comes without its text. A message of other owners ends what is due of its session.
SELECT due.id, session_id, session, dreamed_seq, seq, role, name, user_name, due.created_at, time_zone, d.status,
    coalesce(d.step, '') AS step, coalesce(d.attempts, 0) AS attempts,
    CASE WHEN d.status IN ('dead', 'discarded') OR NOT searchable THEN '' ELSE content END AS content,
    CASE WHEN d.status IN ('dead', 'discarded') OR NOT searchable THEN NULL ELSE parts END AS parts
FROM (
    SELECT m.id, s.id AS session_id, s.session, s.dreamed_seq, m.seq, m.role, m.content, m.name, m.searchable,
        m.content_json AS parts,
        coalesce(m.user_name, s.user_name) AS user_name, m.created_at, m.time_zone,
        sum(m.tokens) OVER (ORDER BY s.id, m.seq ROWS UNBOUNDED PRECEDING) - m.tokens AS tokens_before
    FROM sessions s
    JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.seq > s.dreamed_seq
    WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND s.dreamed_seq < s.last_seq
        AND m.seq < coalesce((
            SELECT min(x.seq) FROM messages x
            WHERE x.workspace_id = :workspace AND x.session_id = s.id AND x.seq > s.dreamed_seq AND x.owners <> :owners::text[]
        ), m.seq + 1)
        AND (:stretches::jsonb IS NULL OR m.seq <= (
            SELECT w.to_seq FROM jsonb_to_recordset(:stretches) AS w(session_id uuid, to_seq bigint)
            WHERE w.session_id = s.id))
    ORDER BY s.id, m.seq
    LIMIT :limit
) due
LEFT JOIN dead_letters d ON d.workspace_id = :workspace AND d.message_id = due.id
WHERE tokens_before < :tokens_max
ORDER BY session_id, seq;

-- name: due_owners
-- Whose turn it is: the owners of what has been due the longest, messages before memories; nothing where nothing is due.
-- What is retried comes first.
SELECT owners FROM (
    (SELECT 0 AS place, m.owners
    FROM dead_letters d
    JOIN messages m ON m.workspace_id = d.workspace_id AND m.id = d.message_id
    JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
    WHERE d.workspace_id = :workspace AND d.status = 'retrying' AND s.agent_id = :agent_id AND m.seq <= s.dreamed_seq
    ORDER BY m.id
    LIMIT 1)
    UNION ALL
    (SELECT 1, m.owners
    FROM sessions s
    JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.seq = (
        SELECT min(x.seq) FROM messages x
        WHERE x.workspace_id = :workspace AND x.session_id = s.id AND x.seq > s.dreamed_seq)
    WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND s.dreamed_seq < s.last_seq
    ORDER BY s.id
    LIMIT 1)
    UNION ALL
    (SELECT 2, m.owners FROM memories m
    WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND {% include "is_unread" %}
    ORDER BY m.id
    LIMIT 1)
) AS due
ORDER BY place
LIMIT 1;

-- name: count_due_messages
-- How many messages are past the watermark, or behind it and to be dreamed about after all.
SELECT (
    SELECT count(*)
    FROM sessions s
    JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id AND m.seq > s.dreamed_seq
    WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND s.dreamed_seq < s.last_seq
) + (
    SELECT count(*)
    FROM dead_letters d
    JOIN messages m ON m.workspace_id = d.workspace_id AND m.id = d.message_id
    JOIN sessions s ON s.workspace_id = m.workspace_id AND s.id = m.session_id
    WHERE d.workspace_id = :workspace AND d.status = 'retrying' AND s.agent_id = :agent_id AND m.seq <= s.dreamed_seq
);

-- name: messages_present
-- How many of these messages are still there.
SELECT count(*) FROM messages WHERE workspace_id = :workspace AND id = ANY(:ids::uuid[]);

-- name: advance_watermark
-- The session has been dreamed about up to ``seq``; nothing when something else moved the watermark meanwhile.
UPDATE sessions SET dreamed_seq = :seq
WHERE workspace_id = :workspace AND id = :session_id AND dreamed_seq = :from_seq;

-- name: memories_alike
-- Live memories of this agent in these audiences that fill one of these slots, say something identical or the same in
-- its canonical form, have one of ``words`` (patterns of LIKE), or are among ``ids``.
SELECT {% include "compared_columns" %}
FROM memories m
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.audience = ANY(:audiences::uuid[])
    AND m.owners = :owners AND m.type <> 'insight' AND m.deleted_at IS NULL AND m.superseded_by IS NULL
    AND (m.expires_at IS NULL OR m.expires_at > :now)
    AND (m.source ->> 'slot' = ANY(:slots::text[]) OR m.dream_analysis ->> 'slot' = ANY(:slots)
        OR m.dream_analysis ->> 'form' = ANY(:forms::text[]) OR m.identity_hash = ANY(:hashes::bytea[]) OR m.id = ANY(:ids::uuid[])
        OR m.content ILIKE ANY(:words::text[]))
ORDER BY m.id;

-- name: facts_of_attributes
-- What current memories say of these attributes of anything, and the sessions they were said in.
SELECT f.content, f.audience, f.user_name, f.slot, f.value, ARRAY(
    SELECT DISTINCT x.session_id FROM memory_sources s
    JOIN messages x ON x.workspace_id = :workspace AND x.id = s.message_id
    WHERE s.workspace_id = :workspace AND s.memory_id = f.id) AS sessions
FROM (
    SELECT m.id, m.content, m.audience, m.user_name,
        CASE WHEN m.dream_analysis ? 'slot' THEN m.dream_analysis ->> 'slot' ELSE m.source ->> 'slot' END AS slot,
        CASE WHEN m.dream_analysis ? 'slot' THEN m.dream_analysis ->> 'value' ELSE m.source ->> 'value' END AS value
    FROM memories m
    WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.audience = ANY(:audiences::uuid[])
        AND m.owners = :owners AND m.type <> 'insight' AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now)
        AND m.hearsay_by IS NULL AND coalesce(m.dream_analysis ->> 'polarity', m.source ->> 'polarity', 'positive') = 'positive'
        AND (m.dream_analysis ? 'slot' OR m.source ? 'slot' AND NOT {% include "was_edited" %})
) f
WHERE split_part(f.slot, '/', 2) = ANY(:attributes::text[]) AND f.value IS NOT NULL
ORDER BY f.id;

-- name: open_todos
SELECT {% include "compared_columns" %}
FROM memories m
WHERE m.workspace_id = :workspace AND m.audience = ANY(:audiences::uuid[]) AND m.agent_id = :agent_id
    AND m.owners = :owners AND m.type = 'todo' AND m.status = 'open' AND m.deleted_at IS NULL AND m.superseded_by IS NULL
    AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.id DESC
LIMIT :limit;

-- name: aliases_of_persons
-- Other names of the persons that these names (folded) stand for in the agent's graph.
SELECT mine.alias AS name, other.alias
FROM entity_aliases mine
JOIN entity_aliases other ON other.workspace_id = :workspace AND other.entity_id = mine.entity_id
WHERE mine.workspace_id = :workspace AND mine.audience = :agent_id AND mine.owners = reverie_owners_v1(:owners::text[])
    AND mine.kind = 'person'
    AND mine.alias = ANY(:names::text[]) AND other.alias <> mine.alias
ORDER BY mine.alias, other.alias;

-- name: people_called
-- Users of an agent that one of these names (folded) stands for, who came first first, and in which way: as the user's
-- id, as a name under which the user speaks, or as what the user says to be called.
SELECT known.called, known.user_name, known.way
FROM (
    SELECT s.user_name AS called, s.user_name, 'id' AS way, s.created_at AS since
    FROM sessions s
    WHERE s.workspace_id = :workspace AND s.agent_id = :agent_id AND lower(s.user_name) = ANY(:names::text[])
    UNION ALL
    SELECT m.user_name, m.user_name, 'id', m.created_at
    FROM memories m
    WHERE m.workspace_id = :workspace AND m.audience = :agent_id AND lower(m.user_name) = ANY(:names)
        AND m.hearsay_by IS NULL AND coalesce(m.source ->> 'kind', '') NOT IN ('dream', 'summary')
    UNION ALL
    SELECT f.user_name, f.word_of, CASE WHEN f.word_of = f.user_name THEN 'id' ELSE 'speaks as' END, f.created_at
    FROM (
        SELECT DISTINCT m.user_name FROM memories m
        WHERE m.workspace_id = :workspace AND m.audience = :agent_id AND lower(m.user_name) = ANY(:names)
    ) n CROSS JOIN LATERAL (
        SELECT m.user_name, p.word_of, m.created_at
        FROM memories m CROSS JOIN LATERAL (SELECT {% include "word_of" %} AS word_of) AS p
        WHERE m.workspace_id = :workspace AND m.audience = :agent_id AND m.user_name = n.user_name
            AND p.word_of IS NOT NULL
        ORDER BY m.created_at, m.id
        LIMIT 1
    ) f
    UNION ALL
    SELECT m.source ->> 'value', m.user_name, 'is called', m.created_at
    FROM memories m CROSS JOIN LATERAL (SELECT {% include "word_of" %} AS word_of) AS p
    WHERE m.workspace_id = :workspace AND m.audience = :agent_id AND m.deleted_at IS NULL
        AND m.source ->> 'slot' LIKE '%/name' AND lower(m.source ->> 'value') = ANY(:names)
        AND p.word_of = m.user_name
) known
GROUP BY known.called, known.user_name, known.way
ORDER BY min(known.since), known.user_name, known.called;

-- name: agent_by_id
SELECT agent FROM agents WHERE workspace_id = :workspace AND id = :agent_id;

-- name: schedule_now
-- One agent is due, unless it is being dreamed for.
UPDATE dream_schedule SET due_at = least(due_at, :now)
WHERE workspace_id = :workspace AND agent_id = :agent_id AND (lease_until IS NULL OR lease_until <= now());

-- name: bring_forward
-- One agent, or with null every agent of the workspace, is due at the time given at the latest.
UPDATE dream_schedule SET due_at = :due_at::timestamptz
WHERE workspace_id = :workspace AND (:agent_id::uuid IS NULL OR agent_id = :agent_id) AND due_at > :due_at;

-- name: schedule_new
-- The schedule fires: agents that were never scheduled are due; the others are when their intervals are over.
UPDATE dream_schedule SET due_at = :now WHERE due_at = 'infinity';

-- name: schedule_all_now
-- Every agent is due, but for those being dreamed for.
UPDATE dream_schedule SET due_at = least(due_at, :now) WHERE lease_until IS NULL OR lease_until <= now();

-- name: nearest_memories
-- For each vector the live memories of the agent's own audience, of these owners, nearest to it, best first. They are found before they
-- are joined: on tables without statistics the planner would look for them once for every memory there is.
WITH near AS MATERIALIZED (
    SELECT c.n, found.id, found.similarity
    FROM unnest(:numbers::integer[], :embeddings::{{ vector_type }}[]) AS c(n, embedding)
    CROSS JOIN LATERAL (
        SELECT i.id, -(v.embedding <#> c.embedding) AS similarity
        FROM search_index i, LATERAL (
            SELECT CASE WHEN i.embedding_model = :model::smallint THEN i.{{ vector_column }} ELSE i.next_{{ vector_column }} END
        ) AS v(embedding)
        WHERE i.workspace_id = :workspace AND i.audience = :agent_id AND i.owners = :owners::text[] AND i.kind = 0
            AND i.type <> 'insight'
            AND (i.embedding_model = :model OR i.next_model = :model) AND NOT i.deleted AND i.valid_until IS NULL
            AND (i.expires_at IS NULL OR i.expires_at > :now)
        ORDER BY v.embedding <#> c.embedding, i.id
        LIMIT :limit
    ) found
    WHERE found.similarity >= :similarity_min::float8
)
SELECT near.n, near.similarity, {% include "compared_columns" %}
FROM near JOIN memories m ON m.workspace_id = :workspace AND m.id = near.id AND m.agent_id = :agent_id
ORDER BY near.n, near.similarity DESC, m.id;

-- name: nearest_to_memories
-- For each of these memories, by their own vectors, the live ones of the same agent, audience and owners nearest to it.
WITH near AS MATERIALIZED (
    SELECT own.id AS memory_id, found.id, found.similarity
    FROM search_index own
    CROSS JOIN LATERAL (
        SELECT i.id, -(i.{{ vector_column }} <#> own.{{ vector_column }}) AS similarity
        FROM search_index i
        WHERE i.workspace_id = :workspace AND i.audience = own.audience AND i.owners = own.owners AND i.kind = 0 AND i.type <> 'insight'
            AND i.id <> own.id
            AND i.embedding_model = :model::smallint AND NOT i.deleted AND i.valid_until IS NULL
            AND (i.expires_at IS NULL OR i.expires_at > :now)
        ORDER BY i.{{ vector_column }} <#> own.{{ vector_column }}, i.id
        LIMIT :limit
    ) found
    WHERE own.workspace_id = :workspace AND own.id = ANY(:ids::uuid[]) AND own.embedding_model = :model
        AND found.similarity >= :similarity_min::float8
)
SELECT near.memory_id, near.similarity, {% include "compared_columns" %}
FROM near JOIN memories m ON m.workspace_id = :workspace AND m.id = near.id AND m.agent_id = :agent_id
ORDER BY near.memory_id, near.similarity DESC, m.id;

-- name: pass_on_sources
-- What became one with another memory came from these messages; (memory, message) of those that were not tied before.
INSERT INTO memory_sources (workspace_id, memory_id, message_id)
SELECT DISTINCT s.workspace_id, p.kept, s.message_id
FROM unnest(:merged::uuid[], :kept::uuid[]) AS p(merged, kept)
JOIN memory_sources s ON s.workspace_id = :workspace AND s.memory_id = p.merged
ON CONFLICT DO NOTHING
RETURNING memory_id, message_id;

-- name: edges_of_memories
-- The edges that begin or end at these memories, or that they state, but for those from what was concluded of them.
SELECT id, audience, relation, source_kind, source_id, target_kind, target_id, memory_id FROM edges
WHERE workspace_id = :workspace
    AND (source_id = ANY(:ids::uuid[]) OR target_id = ANY(:ids) OR memory_id = ANY(:ids))
    AND NOT EXISTS (
        SELECT 1 FROM memories i WHERE i.workspace_id = :workspace AND i.id = source_id AND i.type = 'insight')
ORDER BY id;

-- fragment: fades
-- Whether memory ``m`` of importance ``d`` is found no more unasked; a dated import is until it was used here once.
d.importance < :faded_below::float8 AND d.importance < m.importance AND i.decays_from IS NOT NULL

-- name: decay
-- Note how important each event and observation of the agent, of these owners, is now, and whether it has faded below what surfaces
-- unasked; those that differ from the last dream. Searches work both out themselves.
WITH due AS (
    SELECT i.id, i.importance AS importance_before, i.faded AS faded_before, d.importance::real AS importance,
        {% include "fades" %} AS faded,
        greatest(m.created_at, m.learned_at, m.reinforced_at, u.last_accessed_at) AS used_at
    FROM memories m
    JOIN search_index i ON i.workspace_id = m.workspace_id AND i.id = m.id
    LEFT JOIN memory_usage u ON u.workspace_id = m.workspace_id AND u.memory_id = m.id
    CROSS JOIN LATERAL (SELECT least(m.importance, greatest({% include "least_real" %}, reverie_decayed_v1(
        m.importance, {% include "policy_type" %}, m.decay_exempt, {% include "stored_at" %}, m.reinforced_at, u.last_accessed_at, :now, :days
    ))) AS importance) d
    WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id AND m.owners = :owners::text[]
        AND {% include "policy_type" %} IN ('event', 'observation') AND m.deleted_at IS NULL AND m.superseded_by IS NULL
)
UPDATE search_index i SET importance = due.importance, faded = due.faded,
    decays_from = CASE WHEN i.decays_from IS NOT NULL THEN due.used_at END
FROM due
WHERE i.workspace_id = :workspace AND i.id = due.id
    AND (due.importance <> due.importance_before OR due.faded <> due.faded_before)
RETURNING i.id, due.importance_before, due.faded_before, due.importance, due.faded;

-- name: decayed_owners
-- The owners of a memory of the agent that ``decay`` would change; nothing where there is none.
SELECT m.owners
FROM memories m
JOIN search_index i ON i.workspace_id = m.workspace_id AND i.id = m.id
LEFT JOIN memory_usage u ON u.workspace_id = m.workspace_id AND u.memory_id = m.id
CROSS JOIN LATERAL (SELECT least(m.importance, greatest({% include "least_real" %}, reverie_decayed_v1(
    m.importance, {% include "policy_type" %}, m.decay_exempt, {% include "stored_at" %}, m.reinforced_at, u.last_accessed_at, :now, :days
))) AS importance) d
WHERE m.workspace_id = :workspace AND m.agent_id = :agent_id
    AND {% include "policy_type" %} IN ('event', 'observation') AND m.deleted_at IS NULL AND m.superseded_by IS NULL
    AND (i.importance <> d.importance::real
        OR i.faded <> ({% include "fades" %}))
LIMIT 1;
