-- The largest unit that both ends of a time are the beginning of, by UTC; a minute for an instant, which has no end.
CREATE FUNCTION reverie_precision_v1(begins timestamptz, ends timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN begins IS NULL THEN NULL
    WHEN ends IS NULL OR date_trunc('day', begins AT TIME ZONE 'UTC') <> begins AT TIME ZONE 'UTC'
        OR date_trunc('day', ends AT TIME ZONE 'UTC') <> ends AT TIME ZONE 'UTC' THEN 'minute'
    WHEN extract(day FROM begins AT TIME ZONE 'UTC') <> 1 OR extract(day FROM ends AT TIME ZONE 'UTC') <> 1 THEN 'day'
    WHEN extract(month FROM begins AT TIME ZONE 'UTC') <> 1 OR extract(month FROM ends AT TIME ZONE 'UTC') <> 1 THEN 'month'
    ELSE 'year'
END;
