-- name: admits_model_calls
-- Whether no purge is under way (``purge_one_at_a_time``) or has begun since.
SELECT CASE WHEN pg_try_advisory_xact_lock_shared(hashtextextended(:workspace::uuid::text, 0)) THEN NOT EXISTS (
    SELECT 1 FROM audit_log l
    WHERE l.workspace_id = :workspace AND l.action = 'user.purged' AND l.at >= :since) ELSE false END;

-- name: add_model_call
INSERT INTO model_calls (
    workspace_id, id, at, agent_id, owners, dream_id, key_id, purpose, model, outcome, error, attempt, failover, ms,
    prompt_tokens, completion_tokens, cost_usd, input, output, input_chars, output_chars
)
SELECT :workspace, :id, :at, a.id, :owners::text[], :dream_id::uuid, :key_id::uuid, :purpose, :model, :outcome, :error::text, :attempt,
    :failover, :ms, :prompt_tokens, :completion_tokens, :cost_usd, :input, :output, :input_chars, :output_chars
FROM (SELECT 1) one LEFT JOIN agents a ON a.workspace_id = :workspace AND a.agent = :agent::text
WHERE :agent IS NULL OR a.id IS NOT NULL
RETURNING id;

-- fragment: model_call_columns
c.id, c.at, a.agent, c.owners, c.dream_id, c.key_id, c.purpose, c.model, c.outcome, c.error, c.attempt, c.failover, c.ms,
c.prompt_tokens, c.completion_tokens, c.cost_usd, c.input_chars, c.output_chars

-- name: list_model_calls
SELECT {% include "model_call_columns" %}, left(c.input, :characters::integer) AS input,
    left(c.output, :characters) AS output
FROM model_calls c LEFT JOIN agents a ON a.workspace_id = :workspace AND a.id = c.agent_id
WHERE c.workspace_id = :workspace
    AND (:agent::text IS NULL OR a.agent = :agent)
    AND (:dream_id::uuid IS NULL OR c.dream_id = :dream_id)
    AND (:purpose::text IS NULL OR c.purpose = :purpose)
    AND (:outcome::text IS NULL OR c.outcome = :outcome)
    AND (:since::timestamptz IS NULL OR c.at >= :since)
    AND (:until::timestamptz IS NULL OR c.at < :until)
    AND (:before::timestamptz IS NULL OR (c.at, c.id) < (:before, :before_id::uuid))
ORDER BY c.at DESC, c.id DESC
LIMIT :limit;

-- name: get_model_call
SELECT {% include "model_call_columns" %}, c.input, c.output
FROM model_calls c LEFT JOIN agents a ON a.workspace_id = :workspace AND a.id = c.agent_id
WHERE c.workspace_id = :workspace AND c.id = :id;

-- name: collect_model_calls
DELETE FROM model_calls c
USING (
    SELECT id FROM model_calls
    WHERE workspace_id = :workspace AND at < :before
    ORDER BY at
    LIMIT :limit
) old
WHERE c.workspace_id = :workspace AND c.id = old.id;
