-- name: keep_pii_secret
-- Of two that make the first one of a workspace at the same time, one is kept.
INSERT INTO pii_secrets (workspace_id, secret) VALUES (:workspace, :secret) ON CONFLICT DO NOTHING;

-- name: pii_secret
SELECT secret FROM pii_secrets WHERE workspace_id = :workspace;

-- name: names_in_use
-- Which of these names agents, teams, tasks, sessions and users go by. A user's is looked for in the sessions and, by
-- the posting lists of filters, in what agents remember.
SELECT 'agent' AS kind, agent AS name FROM agents WHERE workspace_id = :workspace AND agent = ANY(:names::text[])
UNION
SELECT 'team', team FROM teams WHERE workspace_id = :workspace AND team = ANY(:names::text[])
UNION
SELECT 'task', task FROM tasks WHERE workspace_id = :workspace AND task = ANY(:names::text[])
UNION
SELECT 'session', session FROM sessions WHERE workspace_id = :workspace AND session = ANY(:names::text[])
UNION
SELECT 'user', user_name FROM sessions WHERE workspace_id = :workspace AND user_name = ANY(:names::text[])
UNION
SELECT 'user', n.name FROM unnest(:names::text[]) AS n(name)
WHERE EXISTS (
    SELECT 1 FROM agents a JOIN search_terms t ON t.workspace_id = :workspace
        AND t.term = reverie_term_v1(a.id, 0::smallint, (reverie_facets_v1(NULL, n.name, '{}', NULL))[1])
    WHERE a.workspace_id = :workspace
);
