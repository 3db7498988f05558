-- Adds what a transaction noted to the counts of its workspace, of its keys and of those that they come from as it
-- commits, and fails where that passes a limit: two writers at once wait for each other here, and none exceeds it. The workspace's row is the first locked, after
-- all other locks of the transaction, and held only while it commits (lock ordering against deadlock). All notes are
-- taken at once, so that what a transaction adds and removes is one sum. What makes a use smaller is never refused.
CREATE FUNCTION reverie_settle_workspace_v1(workspace uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    whole CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    change record;
    used record;
    most jsonb;
    passed text;
BEGIN
    FOR change IN
        WITH noted AS (
            DELETE FROM stored_changes s WHERE s.workspace_id = workspace RETURNING s.key_id, s.rows, s.bytes
        )
        SELECT h.key_id, sum(n.rows)::bigint AS rows, sum(n.bytes)::bigint AS bytes
        FROM noted n CROSS JOIN LATERAL (
            SELECT whole
            UNION ALL SELECT n.key_id WHERE n.key_id IS NOT NULL
            UNION ALL
            SELECT unnest(k.makers) FROM api_keys k WHERE k.workspace_id = workspace AND k.id = n.key_id
        ) h(key_id)
        GROUP BY h.key_id
        ORDER BY h.key_id
    LOOP
        UPDATE stored_counts c SET rows = c.rows + change.rows, bytes = c.bytes + change.bytes
        WHERE c.workspace_id = workspace AND c.key_id = change.key_id
        RETURNING c.rows, c.bytes INTO used;
        CONTINUE WHEN NOT FOUND;
        IF change.key_id = whole THEN
            SELECT w.limits INTO most FROM workspaces w WHERE w.workspace_id = workspace;
        ELSE
            SELECT k.limits INTO most FROM api_keys k WHERE k.workspace_id = workspace AND k.id = change.key_id;
        END IF;
        passed := CASE
            WHEN change.rows > 0 AND used.rows > (most ->> 'rows_max')::bigint THEN 'rows_max'
            WHEN change.bytes > 0 AND used.bytes > (most ->> 'bytes_max')::bigint THEN 'bytes_max'
        END;
        IF passed IS NOT NULL THEN
            RAISE check_violation USING
                MESSAGE = 'a limit of what is stored is reached',
                CONSTRAINT = 'ck_stored_' || passed,
                DETAIL = jsonb_build_object(
                    'limit', passed, 'of', CASE WHEN change.key_id = whole THEN 'workspace' ELSE 'key' END,
                    'max', (most ->> passed)::bigint,
                    'used', CASE passed WHEN 'rows_max' THEN used.rows - change.rows ELSE used.bytes - change.bytes END
                )::text;
        END IF;
    END LOOP;
END
$$;
