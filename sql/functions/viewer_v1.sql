-- The users for whom the transaction reads: a row is seen that has no owner, or all of these among its owners. Null is
-- nobody, who sees rows without an owner; an empty array sees all. ``reverie.viewer`` is ``*`` or a JSON array.
CREATE FUNCTION reverie_viewer_v1() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE current_setting('reverie.viewer', true) WHEN '*' THEN '{}'::text[] ELSE (
    SELECT array_agg(name) FROM jsonb_array_elements_text(nullif(current_setting('reverie.viewer', true), '')::jsonb) AS name
) END;
