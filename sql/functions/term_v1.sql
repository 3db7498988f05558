-- The posting-list key of a lexeme within one audience and kind of row. A hash, because a posting list never
-- needs the word itself; rows found by it are checked against their audience again, so a collision cannot leak.
CREATE FUNCTION reverie_term_v1(audience uuid, kind smallint, lexeme text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(lexeme, uuid_hash_extended(audience, kind));
