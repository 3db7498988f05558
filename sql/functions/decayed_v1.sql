-- The importance of an event or observation after a time without use: halved once for every full period of
-- ``days`` since it was made, reinforced or last returned, whichever came last. All other types keep theirs.
CREATE FUNCTION reverie_decayed_v1(
    importance float8, type text, decay_exempt boolean, created_at timestamptz, reinforced_at timestamptz,
    last_accessed_at timestamptz, at timestamptz, days integer
) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN type NOT IN ('event', 'observation') OR decay_exempt THEN importance ELSE
    importance * power(0.5::float8, least(1000, greatest(0, floor(
        extract(epoch FROM at - greatest(created_at, reinforced_at, last_accessed_at)) / (86400.0 * days)
    )))::float8) END;
