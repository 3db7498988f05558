-- Makes of the schema 0059 that of 0060, in which rows have owners, and finds the owners of what is there. The owner of what
-- was made of what different users own is the empty name, which no user can have.
--
-- The owner of a table sees its rows only while row-level security is not forced on it.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{bulletins,deletions,documents,dreams,entities,events,memories,messages,model_calls,pages,proposals,
        saved_searches,search_index}'::text[]
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN owners text[] DEFAULT ''{}''::text[] NOT NULL', name);
    END LOOP;
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relforcerowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', name);
    END LOOP;
END
$$;
ALTER TABLE api_keys ADD COLUMN user_name text;
ALTER TABLE oauth_codes ADD COLUMN user_name text;
ALTER TABLE sessions ADD COLUMN members text[] DEFAULT '{}'::text[] NOT NULL;
ALTER TABLE entity_aliases ADD COLUMN owners bytea DEFAULT reverie_owners_v1('{}'::text[]) NOT NULL;

-- Who had spoken in a session by when; its own user counts from the start.
CREATE TEMP TABLE members_from ON COMMIT DROP AS
WITH joined AS (
    SELECT workspace_id, session_id, user_name AS name, min(seq) AS seq
    FROM (
        SELECT workspace_id, session_id, user_name, seq FROM messages
        UNION ALL
        SELECT workspace_id, id, user_name, 0 FROM sessions
    ) said
    WHERE user_name IS NOT NULL
    GROUP BY workspace_id, session_id, user_name
)
SELECT d.workspace_id, d.session_id, d.seq, lead(d.seq) OVER (PARTITION BY d.workspace_id, d.session_id ORDER BY d.seq) AS until,
    (
        SELECT array_agg(j.name ORDER BY j.name COLLATE "C") FROM joined j
        WHERE j.workspace_id = d.workspace_id AND j.session_id = d.session_id AND j.seq <= d.seq
    ) AS members
FROM (SELECT DISTINCT workspace_id, session_id, seq FROM joined) d;
ANALYZE members_from;
UPDATE sessions s SET members = f.members
FROM members_from f
WHERE f.workspace_id = s.workspace_id AND f.session_id = s.id AND f.until IS NULL;
UPDATE messages m SET owners = f.members
FROM members_from f
WHERE f.workspace_id = m.workspace_id AND f.session_id = m.session_id AND m.seq >= f.seq
    AND (f.until IS NULL OR m.seq < f.until);

UPDATE documents SET owners = ARRAY[user_name] WHERE user_name IS NOT NULL;
UPDATE pages SET owners = ARRAY[scope ->> 'user'], scope = scope || jsonb_build_object('about', scope -> 'user')
WHERE scope ->> 'user' IS NOT NULL;
UPDATE saved_searches
SET owners = ARRAY[options ->> 'user'], options = options || jsonb_build_object('about', options -> 'user')
WHERE options ->> 'user' IS NOT NULL;

-- What was made (``id``) of what has owners; what has none leaves out nobody.
CREATE TEMP TABLE evidence (workspace_id uuid, id uuid, made_of uuid, owners text[]) ON COMMIT DROP;
CREATE TEMP VIEW shared AS
SELECT DISTINCT ON (e.workspace_id, e.id) e.workspace_id, e.id, e.owners AS first, c.names AS common
FROM evidence e
LEFT JOIN (
    SELECT workspace_id, id, array_agg(name ORDER BY name COLLATE "C") AS names
    FROM (
        SELECT n.workspace_id, n.id, n.name
        FROM (SELECT workspace_id, id, unnest(owners) AS name FROM evidence) n
        JOIN (SELECT workspace_id, id, count(*) AS parts FROM evidence GROUP BY workspace_id, id) p
            ON p.workspace_id = n.workspace_id AND p.id = n.id
        GROUP BY n.workspace_id, n.id, n.name, p.parts
        HAVING count(*) = p.parts
    ) own
    GROUP BY workspace_id, id
) c ON c.workspace_id = e.workspace_id AND c.id = e.id
ORDER BY e.workspace_id, e.id, e.made_of;

-- Of messages. What was saved belongs to the user it is about, else to the members of its session.
INSERT INTO evidence
SELECT x.workspace_id, x.memory_id, m.id, m.owners
FROM memory_sources x JOIN messages m ON m.workspace_id = x.workspace_id AND m.id = x.message_id
WHERE m.owners <> '{}'
UNION
SELECT w.workspace_id, w.memory_id, m.id, m.owners
FROM window_summaries w
JOIN messages m ON m.workspace_id = w.workspace_id AND m.session_id = w.session_id AND m.seq BETWEEN w.from_seq AND w.to_seq
WHERE m.owners <> '{}'
UNION
SELECT p.workspace_id, p.id, m.id, m.owners
FROM (SELECT workspace_id, id, unnest(message_ids) AS message_id FROM proposals) p
JOIN messages m ON m.workspace_id = p.workspace_id AND m.id = p.message_id
WHERE m.owners <> '{}';
ANALYZE evidence;
UPDATE memories m SET owners = ARRAY[m.user_name] WHERE m.user_name IS NOT NULL;
UPDATE memories m SET owners = s.members
FROM sessions s
WHERE m.user_name IS NULL AND s.workspace_id = m.workspace_id AND s.id = m.session_id AND s.members <> '{}';
UPDATE memories m SET owners = coalesce(s.common, s.first)
FROM shared s
WHERE s.workspace_id = m.workspace_id AND s.id = m.id;
UPDATE proposals SET owners = ARRAY[user_name] WHERE user_name IS NOT NULL;
UPDATE proposals p SET owners = coalesce(s.common, s.first)
FROM shared s
WHERE s.workspace_id = p.workspace_id AND s.id = p.id;

-- Of other memories: summaries, of which one may sum up others, then insights. One that tells of different users is shown
-- to none of them; such an insight falls.
TRUNCATE evidence;
WITH RECURSIVE folded AS (
    SELECT workspace_id, id, jsonb_path_query(source, 'lax $.memory_ids[*]') #>> '{}' AS part FROM memories
    WHERE source ->> 'kind' = 'summary'
), parts AS (
    SELECT workspace_id, id, part FROM folded
    UNION
    SELECT p.workspace_id, p.id, f.part FROM parts p JOIN folded f ON f.workspace_id = p.workspace_id AND f.id::text = p.part
)
INSERT INTO evidence
SELECT p.workspace_id, p.id, m.id, m.owners
FROM parts p JOIN memories m ON m.workspace_id = p.workspace_id AND m.id::text = p.part
WHERE m.owners <> '{}' AND NOT EXISTS (SELECT FROM folded f WHERE f.workspace_id = m.workspace_id AND f.id = m.id);
ANALYZE evidence;
UPDATE memories m SET owners = coalesce(s.common, '{""}')
FROM shared s
WHERE s.workspace_id = m.workspace_id AND s.id = m.id;
TRUNCATE evidence;
INSERT INTO evidence
SELECT DISTINCT i.workspace_id, i.id, m.id, m.owners
FROM (
    SELECT workspace_id, id, jsonb_path_query(source, 'lax $.evidence[*].id') #>> '{}' AS part FROM memories
    WHERE type = 'insight'
) i
JOIN memories m ON m.workspace_id = i.workspace_id AND m.id::text = i.part
WHERE m.owners <> '{}';
ANALYZE evidence;
UPDATE memories m SET owners = coalesce(s.common, '{""}')
FROM shared s
WHERE s.workspace_id = m.workspace_id AND s.id = m.id;

-- An entity belongs to those to whom the first memory that speaks of it does. Memories of others lose it, and are read
-- again by the next dream, which makes one of theirs.
CREATE TEMP TABLE mentions ON COMMIT DROP AS
SELECT x.workspace_id, x.id AS edge_id, n.id AS entity_id, m.id AS memory_id, m.created_at, m.owners
FROM edges x
CROSS JOIN LATERAL (VALUES (x.source_kind, x.source_id), (x.target_kind, x.target_id)) AS n(kind, id)
JOIN memories m ON m.workspace_id = x.workspace_id AND m.id = x.memory_id
WHERE n.kind = 'entity';
ANALYZE mentions;
UPDATE entities e SET owners = f.owners
FROM (
    SELECT DISTINCT ON (workspace_id, entity_id) workspace_id, entity_id, owners FROM mentions
    ORDER BY workspace_id, entity_id, created_at, memory_id
) f
WHERE f.workspace_id = e.workspace_id AND f.entity_id = e.id;
WITH RECURSIVE merged AS (
    SELECT workspace_id, id, owners FROM entities WHERE merged_into IS NULL
    UNION ALL
    SELECT e.workspace_id, e.id, m.owners FROM merged m
    JOIN entities e ON e.workspace_id = m.workspace_id AND e.merged_into = m.id
)
UPDATE entities e SET owners = m.owners
FROM merged m
WHERE m.workspace_id = e.workspace_id AND m.id = e.id AND e.merged_into IS NOT NULL;
UPDATE entity_aliases a SET owners = reverie_owners_v1(e.owners)
FROM entities e
WHERE e.workspace_id = a.workspace_id AND e.id = a.entity_id;
ALTER TABLE entity_aliases DROP CONSTRAINT pk_entity_aliases,
    ADD CONSTRAINT pk_entity_aliases PRIMARY KEY (workspace_id, audience, owners, alias, kind);
CREATE TEMP TABLE strange ON COMMIT DROP AS
SELECT n.workspace_id, n.edge_id, n.memory_id
FROM mentions n JOIN entities e ON e.workspace_id = n.workspace_id AND e.id = n.entity_id
WHERE e.owners <> n.owners;
DELETE FROM edges x USING strange s WHERE x.workspace_id = s.workspace_id AND x.id = s.edge_id;
UPDATE memories m SET reading = NULL
FROM strange s
WHERE m.workspace_id = s.workspace_id AND m.id = s.memory_id AND m.deleted_at IS NULL AND m.superseded_by IS NULL;

UPDATE search_index i SET owners = r.owners
FROM (
    SELECT workspace_id, id, owners FROM memories
    UNION ALL
    SELECT workspace_id, id, owners FROM messages
    UNION ALL
    SELECT c.workspace_id, c.id, d.owners
    FROM chunks c JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id
) r
WHERE r.workspace_id = i.workspace_id AND r.id = i.id AND r.owners <> '{}';
INSERT INTO search_terms (workspace_id, term, id, frequency, length)
SELECT i.workspace_id, reverie_term_v1(i.audience, i.kind, f.facet), i.id, 1, i.length
FROM search_index i, unnest(reverie_facets_v1(NULL, NULL, NULL, i.owners)) AS f(facet)
ORDER BY 1, 2, 3
ON CONFLICT DO NOTHING;

-- What was written from all that an agent knew. Bulletins are written again by dreams, pages by the worker; a dream under
-- way begins anew.
CREATE TEMP TABLE of_users ON COMMIT DROP AS
SELECT DISTINCT workspace_id FROM (
    SELECT workspace_id FROM sessions WHERE members <> '{}'
    UNION ALL SELECT workspace_id FROM memories WHERE owners <> '{}'
    UNION ALL SELECT workspace_id FROM documents WHERE owners <> '{}'
) owned;
DELETE FROM bulletins b USING of_users u WHERE u.workspace_id = b.workspace_id;
UPDATE model_calls c SET owners = '{""}' FROM of_users u WHERE u.workspace_id = c.workspace_id;
UPDATE dreams d SET owners = '{""}'
FROM of_users u
WHERE u.workspace_id = d.workspace_id AND d.status NOT IN ('queued', 'running');
UPDATE dreams d SET watermarks = '[]', memory_ids = '{}', report = d.report - 'newest'
FROM of_users u
WHERE u.workspace_id = d.workspace_id AND d.status IN ('queued', 'running');
DELETE FROM dream_changes c USING dreams d
WHERE d.workspace_id = c.workspace_id AND d.id = c.dream_id AND d.status IN ('queued', 'running');
CREATE TEMP TABLE mixed ON COMMIT DROP AS
SELECT DISTINCT p.workspace_id, p.id
FROM pages p
JOIN page_versions v ON v.workspace_id = p.workspace_id AND v.page_id = p.id
CROSS JOIN LATERAL jsonb_path_query(v.sentences, 'lax $[*].memories[*].id') AS c(id)
JOIN memories m ON m.workspace_id = p.workspace_id AND m.id::text = c.id #>> '{}'
WHERE m.owners <> '{}' AND (p.owners = '{}' OR NOT m.owners @> p.owners);
DELETE FROM page_versions v USING mixed p WHERE v.workspace_id = p.workspace_id AND v.page_id = p.id;
UPDATE pages p SET due_at = now() FROM mixed x WHERE x.workspace_id = p.workspace_id AND x.id = p.id;
UPDATE events e SET owners = r.owners
FROM (
    SELECT workspace_id, id, owners FROM memories
    UNION ALL SELECT workspace_id, id, owners FROM proposals
    UNION ALL SELECT workspace_id, id, owners FROM dreams
    UNION ALL SELECT workspace_id, id, members FROM sessions
) r
WHERE r.workspace_id = e.workspace_id AND r.id = e.subject_id AND r.owners <> '{}';

-- Rows of deletions wait in workspaces of their own.
CREATE TEMP TABLE deleted_sessions ON COMMIT DROP AS
SELECT w.deletion_of AS workspace_id, w.workspace_id AS id, s.members
FROM workspaces w JOIN sessions s ON s.workspace_id = w.workspace_id
WHERE w.deletion_of IS NOT NULL;
UPDATE deletions d SET owners = s.members
FROM deleted_sessions s
WHERE d.kind = 'session' AND s.workspace_id = d.workspace_id AND s.id = d.id;
UPDATE deletions d SET owners = s.members
FROM sessions s JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
WHERE d.kind = 'session' AND d.restored_at IS NOT NULL AND s.workspace_id = d.workspace_id AND s.session = d.name
    AND a.agent = d.agent;

DROP INDEX uq_memories_key, uq_proposals_fingerprint;
CREATE UNIQUE INDEX uq_memories_key ON memories USING btree (workspace_id, agent_id, audience, key, reverie_owners_v1(owners)) WHERE ((key IS NOT NULL) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE UNIQUE INDEX uq_proposals_fingerprint ON proposals USING btree (workspace_id, agent_id, fingerprint, reverie_owners_v1(owners)) WHERE (status <> 'accepted'::text);
CREATE POLICY viewer ON bulletins AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON chunks AS RESTRICTIVE FOR SELECT USING (((reverie_viewer_v1() = '{}'::text[]) OR (EXISTS ( SELECT
   FROM documents p
  WHERE ((p.workspace_id = chunks.workspace_id) AND (p.id = chunks.document_id))))));
CREATE POLICY viewer ON deletions AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON documents AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON dream_changes AS RESTRICTIVE FOR SELECT USING (((reverie_viewer_v1() = '{}'::text[]) OR (EXISTS ( SELECT
   FROM dreams p
  WHERE ((p.workspace_id = dream_changes.workspace_id) AND (p.id = dream_changes.dream_id))))));
CREATE POLICY viewer ON dreams AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON entities AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON events AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON memories AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON memory_versions AS RESTRICTIVE FOR SELECT USING (((reverie_viewer_v1() = '{}'::text[]) OR (EXISTS ( SELECT
   FROM memories p
  WHERE ((p.workspace_id = memory_versions.workspace_id) AND (p.id = memory_versions.memory_id))))));
CREATE POLICY viewer ON messages AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON model_calls AS RESTRICTIVE FOR SELECT USING (
CASE
    WHEN (owners = '{}'::text[]) THEN (COALESCE(reverie_viewer_v1(), '{}'::text[]) = '{}'::text[])
    ELSE (owners @> reverie_viewer_v1())
END);
CREATE POLICY viewer ON page_versions AS RESTRICTIVE FOR SELECT USING (((reverie_viewer_v1() = '{}'::text[]) OR (EXISTS ( SELECT
   FROM pages p
  WHERE ((p.workspace_id = page_versions.workspace_id) AND (p.id = page_versions.page_id))))));
CREATE POLICY viewer ON pages AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON proposals AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON saved_search_results AS RESTRICTIVE FOR SELECT USING (((reverie_viewer_v1() = '{}'::text[]) OR (EXISTS ( SELECT
   FROM saved_searches p
  WHERE ((p.workspace_id = saved_search_results.workspace_id) AND (p.id = saved_search_results.search_id))))));
CREATE POLICY viewer ON saved_searches AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
CREATE POLICY viewer ON search_index AS RESTRICTIVE FOR SELECT USING (((owners = '{}'::text[]) OR (owners @> reverie_viewer_v1())));
