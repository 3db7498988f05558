-- A digest of the owners of a row, sorted, by which an index tells them apart: names are too long for a key of it.
CREATE FUNCTION reverie_owners_v1(owners text[]) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(convert_to(array_to_string(owners, E'\x1f'), 'UTF8'));
