-- Who holds this key, the settings of its workspace, the limits of both and of the keys that it comes from, and whether it is within its
-- rate: all a request needs to know before a workspace is set, in one call. Runs as its owner; gives back at most the one row whose hash matches.
-- The rate is the generic cell rate algorithm (ITU-T I.371): ``full_at`` is when the key will have its whole burst
-- again. Only workspaces with a limit pay for the write; an expired key, or one
-- of a suspended workspace, is only reported. The keys of OAuth clients share the rate of the one that consented. Each step is a statement
-- that Citus, too, can carry out.
CREATE FUNCTION reverie_authenticate_v6(workspace uuid, key_hash bytea)
RETURNS TABLE (
    id uuid, role text, agent text, user_name text, hash bytea, settings jsonb, retry_after_s double precision, scopes text[],
    expires_at timestamptz, expired boolean,
    suspended boolean, limits jsonb, maker_limits jsonb, workspace_limits jsonb, agent_users text
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
    agent_users text;
    rated uuid;
    wait double precision;
BEGIN
    PERFORM set_config('reverie.workspace', workspace::text, true);
    SELECT k.id, k.role, k.agent, k.user_name, k.hash, k.scopes, k.expires_at, k.limits, k.makers, k.client_id,
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
    IF holder.agent IS NOT NULL THEN
        SELECT a.settings ->> 'users' INTO agent_users
        FROM public.agents a WHERE a.workspace_id = workspace AND a.agent = holder.agent;
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
    RETURN QUERY SELECT holder.id, holder.role, holder.agent, holder.user_name, holder.hash, chosen, wait, holder.scopes, holder.expires_at,
        holder.expired, suspended, holder.limits, maker_limits, workspace_limits, agent_users;
END
$$;
