-- Settles the notes of a workspace as their transaction commits; the first of them settles all.
CREATE FUNCTION reverie_settle_stored_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM reverie_settle_workspace_v1(NEW.workspace_id);
    RETURN NULL;
END
$$;
