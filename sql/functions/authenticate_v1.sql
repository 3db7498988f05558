-- Who holds this key: the only read that happens before a workspace is known. Runs as its owner, past row-level
-- security, and gives back at most the one row whose hash matches.
CREATE FUNCTION reverie_authenticate_v1(workspace uuid, key_hash bytea)
RETURNS TABLE (id uuid, role text, agent text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
    SELECT k.id, k.role, k.agent
    FROM public.api_keys k
    WHERE k.workspace_id = workspace AND k.hash = key_hash AND k.revoked_at IS NULL
$$;
