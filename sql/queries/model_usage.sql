-- name: reserve_budget
-- Take some of a day's budget, of the workspace or of one of its keys; nothing when one of the limits (null: none) would
-- be passed. Concurrent calls wait for each other here, and each sees what those before it took. The first of a day is
-- checked by the caller, who also says what the days of its month before it cost: Citus allows no sub-select here.
INSERT INTO model_budgets (workspace_id, day, key_id, tokens, cost_usd, dream_tokens, dream_cost_usd)
VALUES (:workspace, :day, :key_id, :tokens, :cost_usd, :dream_tokens, :dream_cost_usd)
ON CONFLICT (workspace_id, day, key_id) DO UPDATE SET
    tokens = model_budgets.tokens + excluded.tokens,
    cost_usd = model_budgets.cost_usd + excluded.cost_usd,
    dream_tokens = model_budgets.dream_tokens + excluded.dream_tokens,
    dream_cost_usd = model_budgets.dream_cost_usd + excluded.dream_cost_usd
WHERE (:tokens_max::bigint IS NULL OR model_budgets.tokens + excluded.tokens <= :tokens_max)
    AND (:cost_max_usd::float8 IS NULL OR model_budgets.cost_usd + excluded.cost_usd <= :cost_max_usd)
    AND (:dream_tokens_max::bigint IS NULL OR model_budgets.dream_tokens + excluded.dream_tokens <= :dream_tokens_max)
    AND (:dream_cost_max_usd::float8 IS NULL
        OR model_budgets.dream_cost_usd + excluded.dream_cost_usd <= :dream_cost_max_usd)
    AND (:month_cost_max_usd::float8 IS NULL
        OR model_budgets.cost_usd + excluded.cost_usd + :earlier_cost_usd::float8 <= :month_cost_max_usd)
RETURNING day;

-- name: reconcile_budget
-- Change what of a day's budget is taken by what ended calls used, less what was reserved for them.
UPDATE model_budgets SET
    tokens = greatest(0, tokens + :tokens),
    cost_usd = greatest(0, cost_usd + :cost_usd),
    dream_tokens = greatest(0, dream_tokens + :dream_tokens),
    dream_cost_usd = greatest(0, dream_cost_usd + :dream_cost_usd)
WHERE workspace_id = :workspace AND day = :day AND key_id = :key_id;

-- name: budget_taken
-- What is taken of a day's budget, and what of its month before that day.
SELECT coalesce(b.tokens, 0) AS tokens, coalesce(b.cost_usd, 0) AS cost_usd, coalesce(b.dream_tokens, 0) AS dream_tokens,
    coalesce(b.dream_cost_usd, 0) AS dream_cost_usd, (
        SELECT coalesce(sum(e.cost_usd), 0) FROM model_budgets e
        WHERE e.workspace_id = :workspace AND e.key_id = :key_id
            AND e.day >= date_trunc('month', :day::date)::date AND e.day < :day
    ) AS earlier_cost_usd
FROM (SELECT 1) one LEFT JOIN model_budgets b
    ON b.workspace_id = :workspace AND b.day = :day AND b.key_id = :key_id;

-- name: add_model_usage
INSERT INTO model_usage (
    workspace_id, day, purpose, model, key_id, agent, calls, failed_calls, prompt_tokens, completion_tokens, cost_usd
)
VALUES (
    :workspace, :day, :purpose, :model, :key_id, :agent, :calls, :failed_calls, :prompt_tokens, :completion_tokens,
    :cost_usd
)
ON CONFLICT (workspace_id, day, purpose, model, key_id, agent) DO UPDATE SET
    calls = model_usage.calls + excluded.calls,
    failed_calls = model_usage.failed_calls + excluded.failed_calls,
    prompt_tokens = model_usage.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = model_usage.completion_tokens + excluded.completion_tokens,
    cost_usd = model_usage.cost_usd + excluded.cost_usd;

-- name: model_usage
-- Usage from the day of ``since`` to that of ``until``, added up by day, key or agent, and by purpose.
SELECT CASE WHEN :by_day::boolean THEN day END AS day,
    CASE WHEN :by_key::boolean THEN key_id END AS key_id,
    CASE WHEN :by_agent::boolean THEN agent END AS agent,
    purpose,
    sum(calls)::bigint AS calls, sum(failed_calls)::bigint AS failed_calls,
    sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens,
    sum(cost_usd)::float8 AS cost_usd
FROM model_usage
WHERE workspace_id = :workspace AND day BETWEEN :since AND :until
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
LIMIT :limit;

-- name: collect_model_usage
-- Usage of days past their term.
DELETE FROM model_usage u
USING (
    SELECT day, purpose, model, key_id, agent FROM model_usage
    WHERE workspace_id = :workspace AND day < (:before::timestamptz AT TIME ZONE 'UTC')::date
    LIMIT :limit
) old
WHERE u.workspace_id = :workspace AND u.day = old.day AND u.purpose = old.purpose AND u.model = old.model
    AND u.key_id = old.key_id AND u.agent = old.agent;

-- name: collect_model_budgets
DELETE FROM model_budgets
WHERE workspace_id = :workspace AND day < (:before::timestamptz AT TIME ZONE 'UTC')::date;
