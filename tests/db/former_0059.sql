-- What makes of the schema 0060 that of 0059.
DROP POLICY viewer ON bulletins;
DROP POLICY viewer ON chunks;
DROP POLICY viewer ON deletions;
DROP POLICY viewer ON documents;
DROP POLICY viewer ON dream_changes;
DROP POLICY viewer ON dreams;
DROP POLICY viewer ON entities;
DROP POLICY viewer ON events;
DROP POLICY viewer ON memories;
DROP POLICY viewer ON memory_versions;
DROP POLICY viewer ON messages;
DROP POLICY viewer ON model_calls;
DROP POLICY viewer ON page_versions;
DROP POLICY viewer ON pages;
DROP POLICY viewer ON proposals;
DROP POLICY viewer ON saved_search_results;
DROP POLICY viewer ON saved_searches;
DROP POLICY viewer ON search_index;
DROP INDEX uq_memories_key, uq_proposals_fingerprint;
ALTER TABLE entity_aliases DROP CONSTRAINT pk_entity_aliases, DROP COLUMN owners,
    ADD CONSTRAINT pk_entity_aliases PRIMARY KEY (workspace_id, audience, alias, kind);
ALTER TABLE bulletins DROP COLUMN owners;
ALTER TABLE deletions DROP COLUMN owners;
ALTER TABLE documents DROP COLUMN owners;
ALTER TABLE dreams DROP COLUMN owners;
ALTER TABLE entities DROP COLUMN owners;
ALTER TABLE events DROP COLUMN owners;
ALTER TABLE memories DROP COLUMN owners;
ALTER TABLE messages DROP COLUMN owners;
ALTER TABLE model_calls DROP COLUMN owners;
ALTER TABLE pages DROP COLUMN owners;
ALTER TABLE proposals DROP COLUMN owners;
ALTER TABLE saved_searches DROP COLUMN owners;
ALTER TABLE search_index DROP COLUMN owners;
ALTER TABLE sessions DROP COLUMN members;
ALTER TABLE api_keys DROP COLUMN user_name;
ALTER TABLE oauth_codes DROP COLUMN user_name;
CREATE UNIQUE INDEX uq_memories_key ON memories USING btree (workspace_id, agent_id, audience, key) WHERE ((key IS NOT NULL) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE UNIQUE INDEX uq_proposals_fingerprint ON proposals USING btree (workspace_id, agent_id, fingerprint) WHERE (status <> 'accepted'::text);
DROP FUNCTION reverie_owners_v1(text[]), reverie_viewer_v1(), reverie_authenticate_v6(uuid, bytea),
    reverie_facets_v1(text, text, text[], text[]);
-- What filters ask of a row, as words of no language: its type, its user, each of its tags. They have posting lists
-- like words, and what these find is looked at again, so that two tags which look the same here do no harm.
CREATE FUNCTION reverie_facets_v1(type text, user_name text, tags text[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN array_remove(ARRAY[E'\x01' || type, E'\x02' || user_name], NULL)
    || string_to_array(E'\x03' || nullif(array_to_string(tags, E'\x04\x03'), ''), E'\x04');
-- Who holds this key, the settings of its workspace, the limits of both and of the keys that it comes from, and whether it is within its
-- rate: all a request needs to know before a workspace is set, in one call. Runs as its owner; gives back at most the one row whose hash matches.
-- The rate is the generic cell rate algorithm (ITU-T I.371): ``full_at`` is when the key will have its whole burst
-- again. Only workspaces with a limit pay for the write; an expired key, or one
-- of a suspended workspace, is only reported. The keys of OAuth clients share the rate of the one that consented. Each step is a statement
-- that Citus, too, can carry out.
CREATE FUNCTION reverie_authenticate_v6(workspace uuid, key_hash bytea)
RETURNS TABLE (
    id uuid, role text, agent text, hash bytea, settings jsonb, retry_after_s double precision, scopes text[],
    expires_at timestamptz, expired boolean,
    suspended boolean, limits jsonb, maker_limits jsonb, workspace_limits jsonb
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
#variable_conflict use_column
DECLARE
    holder record;
    chosen jsonb;
    per_minute double precision;
    burst double precision;
    period interval;
    moment timestamptz := clock_timestamp();
    held timestamptz;
    suspended boolean;
    maker_limits jsonb;
    workspace_limits jsonb;
    rated uuid;
    wait double precision;
BEGIN
    PERFORM set_config('reverie.workspace', workspace::text, true);
    SELECT k.id, k.role, k.agent, k.hash, k.scopes, k.expires_at, k.limits, k.makers, k.client_id,
        coalesce(k.expires_at <= moment, false) AS expired
    INTO holder
    FROM public.api_keys k
    WHERE k.workspace_id = workspace AND k.hash = key_hash AND k.revoked_at IS NULL;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF holder.makers IS NOT NULL THEN
        SELECT jsonb_object_agg(m.id, m.limits) INTO maker_limits
        FROM public.api_keys m WHERE m.workspace_id = workspace AND m.id = ANY(holder.makers) AND m.limits IS NOT NULL;
    END IF;
    rated := CASE WHEN holder.client_id IS NULL THEN holder.id ELSE holder.makers[cardinality(holder.makers)] END;
    SELECT s.value INTO chosen FROM public.settings s WHERE s.workspace_id = workspace;
    SELECT w.suspended_at IS NOT NULL, w.limits INTO suspended, workspace_limits FROM public.workspaces w WHERE w.workspace_id = workspace;
    IF NOT holder.expired AND NOT suspended THEN
        per_minute := (chosen #>> '{rate_limit,requests_per_minute}')::double precision;
    END IF;
    IF per_minute IS NOT NULL THEN
        burst := coalesce((chosen #>> '{rate_limit,burst}')::double precision, per_minute);
        period := make_interval(secs => 60 / per_minute);
        SELECT r.full_at INTO held
        FROM public.rate_limits r WHERE r.workspace_id = workspace AND r.key_id = rated FOR UPDATE;
        IF NOT FOUND THEN
            INSERT INTO public.rate_limits (workspace_id, key_id, full_at) VALUES (workspace, rated, moment)
            ON CONFLICT DO NOTHING;
            SELECT r.full_at INTO held
            FROM public.rate_limits r WHERE r.workspace_id = workspace AND r.key_id = rated FOR UPDATE;
        END IF;
        held := greatest(held, moment) + period;
        IF held <= moment + period * burst THEN
            UPDATE public.rate_limits r SET full_at = held WHERE r.workspace_id = workspace AND r.key_id = rated;
        ELSE
            wait := extract(epoch FROM held - (moment + period * burst));
        END IF;
    END IF;
    RETURN QUERY SELECT holder.id, holder.role, holder.agent, holder.hash, chosen, wait, holder.scopes, holder.expires_at,
        holder.expired, suspended, holder.limits, maker_limits, workspace_limits;
END
$$;
