-- Sample a table anew, so that the planner's statistics hold no value of rows that are gone. Runs as the tables' owner: the
-- service owns none. ANALYZE leaves the statistics of a table without rows as they were; Postgres 18 can clear them.
CREATE FUNCTION reverie_forget_statistics_v1(sampled text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
AS $$
DECLARE
    one name;
BEGIN
    EXECUTE format('ANALYZE public.%I', sampled);
    IF to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') IS NULL
        OR (SELECT reltuples FROM pg_class WHERE oid = format('public.%I', sampled)::regclass) > 0
    THEN
        RETURN;
    END IF;
    FOR one IN
        SELECT attname FROM pg_attribute
        WHERE attrelid = format('public.%I', sampled)::regclass AND attnum > 0 AND NOT attisdropped
    LOOP
        EXECUTE 'SELECT pg_clear_attribute_stats($1, $2, $3, false)' USING 'public', sampled, one::text;
    END LOOP;
END
$$;
