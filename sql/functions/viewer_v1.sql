-- The users for whom the transaction reads: a row is seen that has no owner, or all of these among its owners. Null is
-- nobody, who sees rows without an owner; an empty array sees all. ``reverie.viewer`` is an array as Postgres writes it. A
-- function without a sub-select is inlined into the policies, where Citus allows none.
CREATE FUNCTION reverie_viewer_v1() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('reverie.viewer', true), '')::text[];
