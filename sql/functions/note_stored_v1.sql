-- Notes the rows and bytes of memories or messages that a statement inserted or deleted, where their workspace is
-- counted. ``changed`` is the statement's transition table.
CREATE FUNCTION reverie_note_stored_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    IF TG_TABLE_NAME = 'messages' THEN
        INSERT INTO stored_changes (workspace_id, id, key_id, rows, bytes)
        SELECT m.workspace_id, gen_random_uuid(), m.key_id, sign * count(*),
            sign * sum(reverie_stored_bytes_v1(m.content, m.content_json))
        FROM changed m
        WHERE EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = m.workspace_id)
        GROUP BY m.workspace_id, m.key_id;
    ELSE
        INSERT INTO stored_changes (workspace_id, id, key_id, rows, bytes)
        SELECT m.workspace_id, gen_random_uuid(), m.key_id, sign * count(*),
            sign * sum(reverie_stored_bytes_v1(m.content, m.metadata))
        FROM changed m
        WHERE EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = m.workspace_id)
        GROUP BY m.workspace_id, m.key_id;
    END IF;
    RETURN NULL;
END
$$;
