-- How many words a text has for BM25: the positions of all its lexemes, stop words left out, at most what a smallint holds.
CREATE FUNCTION reverie_length_v1(lexemes tsvector) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT least(coalesce(sum(coalesce(cardinality(positions), 1)), 0), 32767) FROM unnest(lexemes));
