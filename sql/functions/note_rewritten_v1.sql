-- Notes by how many bytes a memory or a message grew or shrank, where its workspace is counted.
CREATE FUNCTION reverie_note_rewritten_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    grown bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM stored_counts c WHERE c.workspace_id = NEW.workspace_id) THEN
        RETURN NULL;
    END IF;
    IF starts_with(TG_TABLE_NAME, 'messages') THEN
        grown := reverie_stored_bytes_v1(NEW.content, NEW.content_json)
            - reverie_stored_bytes_v1(OLD.content, OLD.content_json);
    ELSE
        grown := reverie_stored_bytes_v1(NEW.content, NEW.metadata) - reverie_stored_bytes_v1(OLD.content, OLD.metadata);
    END IF;
    IF grown <> 0 THEN
        INSERT INTO stored_changes (workspace_id, id, key_id, rows, bytes)
        VALUES (NEW.workspace_id, gen_random_uuid(), NEW.key_id, 0, grown);
    END IF;
    RETURN NULL;
END
$$;
