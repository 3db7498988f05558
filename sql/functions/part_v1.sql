-- Which of the 32 parts of a model's HNSW index an audience's rows go to. The last byte of an id is random.
CREATE FUNCTION reverie_part_v1(audience uuid) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (get_byte(uuid_send(audience), 15) & 31)::smallint;
