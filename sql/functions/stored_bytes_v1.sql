-- What a memory or a message counts against a limit of bytes: its text in UTF-8, and its metadata or JSON content.
CREATE FUNCTION reverie_stored_bytes_v1(content text, extra jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(content)::bigint + coalesce(octet_length(extra::text), 0);
