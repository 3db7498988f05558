-- What filters ask of a row, as words of no language: its type, its user, each of its tags, each of its owners or that
-- it has none. They have posting lists like words, and what these find is looked at again, so that two tags which look
-- the same here do no harm.
CREATE FUNCTION reverie_facets_v1(type text, user_name text, tags text[], owners text[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN array_remove(ARRAY[E'\x01' || type, E'\x02' || user_name], NULL)
    || string_to_array(E'\x03' || nullif(array_to_string(tags, E'\x04\x03'), ''), E'\x04')
    || CASE WHEN owners = '{}' THEN ARRAY[E'\x05'] ELSE ARRAY(SELECT E'\x05' || name FROM unnest(owners) AS name) END;
