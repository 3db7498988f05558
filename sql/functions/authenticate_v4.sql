-- Who holds this key, the settings of its workspace, and whether it is within its rate: all a request needs to know
-- before a workspace is set, in one call. Runs as its owner; gives back at most the one row whose hash matches.
-- The rate is the generic cell rate algorithm (ITU-T I.371): ``full_at`` is when the key will have its whole burst
-- again. Only workspaces with a limit pay for the write; an expired key is only reported. Each step is a statement
-- that Citus, too, can carry out.
CREATE FUNCTION reverie_authenticate_v4(workspace uuid, key_hash bytea)
RETURNS TABLE (
    id uuid, role text, agent text, hash bytea, settings jsonb, retry_after_s double precision, scopes text[],
    expires_at timestamptz, expired boolean
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
    wait double precision;
BEGIN
    PERFORM set_config('reverie.workspace', workspace::text, true);
    SELECT k.id, k.role, k.agent, k.hash, k.scopes, k.expires_at, coalesce(k.expires_at <= moment, false) AS expired
    INTO holder
    FROM public.api_keys k
    WHERE k.workspace_id = workspace AND k.hash = key_hash AND k.revoked_at IS NULL;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT s.value INTO chosen FROM public.settings s WHERE s.workspace_id = workspace;
    IF NOT holder.expired THEN
        per_minute := (chosen #>> '{rate_limit,requests_per_minute}')::double precision;
    END IF;
    IF per_minute IS NOT NULL THEN
        burst := coalesce((chosen #>> '{rate_limit,burst}')::double precision, per_minute);
        period := make_interval(secs => 60 / per_minute);
        SELECT r.full_at INTO held
        FROM public.rate_limits r WHERE r.workspace_id = workspace AND r.key_id = holder.id FOR UPDATE;
        IF NOT FOUND THEN
            INSERT INTO public.rate_limits (workspace_id, key_id, full_at) VALUES (workspace, holder.id, moment)
            ON CONFLICT DO NOTHING;
            SELECT r.full_at INTO held
            FROM public.rate_limits r WHERE r.workspace_id = workspace AND r.key_id = holder.id FOR UPDATE;
        END IF;
        held := greatest(held, moment) + period;
        IF held <= moment + period * burst THEN
            UPDATE public.rate_limits r SET full_at = held WHERE r.workspace_id = workspace AND r.key_id = holder.id;
        ELSE
            wait := extract(epoch FROM held - (moment + period * burst));
        END IF;
    END IF;
    RETURN QUERY SELECT holder.id, holder.role, holder.agent, holder.hash, chosen, wait, holder.scopes, holder.expires_at,
        holder.expired;
END
$$;
