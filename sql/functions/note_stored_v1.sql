-- Notes the rows and bytes of memories or messages that a statement inserted or deleted, where their workspace is
-- counted. ``changed`` is the statement's transition table. On Citus this runs on a shard, whose table has a number after
-- its name, and no statement may read a transition table and another one.
CREATE FUNCTION reverie_note_stored_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
    extra CONSTANT text := CASE WHEN starts_with(TG_TABLE_NAME, 'messages') THEN 'content_json' ELSE 'metadata' END;
    workspace uuid;
    one record;
BEGIN
    FOR workspace IN SELECT DISTINCT m.workspace_id FROM changed m LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = workspace);
        FOR one IN EXECUTE format(
            'SELECT key_id, count(*) AS rows, sum(reverie_stored_bytes_v1(content, %I)) AS bytes
            FROM changed WHERE workspace_id = $1 GROUP BY key_id', extra) USING workspace
        LOOP
            INSERT INTO stored_changes (workspace_id, id, key_id, rows, bytes)
            VALUES (workspace, gen_random_uuid(), one.key_id, sign * one.rows, sign * one.bytes);
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;
