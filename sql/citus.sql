-- Spreads a migrated database over the nodes of its Citus cluster; run again, it takes in what migrations have added.
--
-- Every table with a workspace_id is distributed by it, all colocated, so that a workspace lives in one shard group of
-- one node. What is the same for all of them is copied to every node. The schedules stay on the coordinator, undistributed:
-- workers take what is due next of any workspace with FOR UPDATE SKIP LOCKED, which cannot cross shards. Citus knows of them
-- all the same, so that a transaction that changes one and a workspace commits in two phases.

-- Whether the transaction sees the row that another belongs to. Policies of spread tables have no sub-selects; a function
-- may read the shard beside the one that it is called on, if it says so.
CREATE OR REPLACE FUNCTION reverie_is_visible_v1(parent name, workspace uuid, parent_id uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET citus.allow_nested_distributed_execution = on AS $$
DECLARE
    found boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE workspace_id = $1 AND id = $2)', parent)
    INTO found USING workspace, parent_id;
    RETURN found;
END
$$;

DO $$
DECLARE
    shared CONSTANT regclass[] := '{workspaces,embedding_models,embedding_state}';
    apart CONSTANT regclass[] := '{dream_schedule,webhook_schedule,installation_settings,rescans}';
    new_shared CONSTANT regclass[] := ARRAY(
        SELECT s FROM unnest(shared) s WHERE NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = s));
    new_tenants CONSTANT regclass[] := ARRAY(
        SELECT c.oid
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.oid <> ALL (shared || apart)
            AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
        ORDER BY c.relname);
    -- A table can be spread only while no foreign key joins it to one that is not.
    foreign_keys CONSTANT text[] := ARRAY(
        SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.conrelid::regclass, f.conname, pg_get_constraintdef(f.oid))
        FROM pg_constraint f
        WHERE f.contype = 'f' AND f.conrelid = ANY (new_tenants)
        ORDER BY f.conrelid::regclass::text, f.conname);
    statement text;
BEGIN
    SET LOCAL client_min_messages = warning;
    -- Triggers note on the shards what is stored (a moved shard takes them along, whence the setting of the database). What
    -- they note is settled by the last statement of a transaction: an error at the commit of a shard says nothing of a limit.
    SET LOCAL citus.enable_unsafe_triggers = on;
    EXECUTE format('ALTER DATABASE %I SET citus.enable_unsafe_triggers = on', current_database());
    IF 'stored_changes'::regclass = ANY (new_tenants) THEN
        DROP TRIGGER stored_changes_settled ON stored_changes;
        ALTER TABLE stored_changes SET LOGGED;  -- a shard that is not cannot be moved
    END IF;
    SET LOCAL citus.multi_shard_modify_mode = 'sequential';
    -- On shards Citus makes every policy a permissive one: what is restrictive here would widen what is seen there. So each
    -- command has one policy.
    FOR statement IN
        SELECT format(
            'DROP POLICY viewer ON %1$s; DROP POLICY workspace ON %1$s; CREATE POLICY reads ON %1$s FOR SELECT USING (%2$s AND (%3$s));
            CREATE POLICY inserts ON %1$s FOR INSERT WITH CHECK (%2$s); CREATE POLICY updates ON %1$s FOR UPDATE USING (%2$s);
            CREATE POLICY deletes ON %1$s FOR DELETE USING (%2$s)',
            v.polrelid::regclass, pg_get_expr(w.polqual, w.polrelid), CASE WHEN parent IS NULL
                THEN pg_get_expr(v.polqual, v.polrelid)
                ELSE format('reverie_viewer_v1() = ''{}'' OR reverie_is_visible_v1(%L, workspace_id, %I)', parent, id) END)
        FROM pg_policy v JOIN pg_policy w ON w.polrelid = v.polrelid AND w.polname = 'workspace'
        LEFT JOIN (VALUES
            ('chunks', 'documents', 'document_id'), ('dream_changes', 'dreams', 'dream_id'),
            ('memory_versions', 'memories', 'memory_id'), ('page_versions', 'pages', 'page_id'),
            ('saved_search_results', 'saved_searches', 'search_id')) of_rows (child, parent, id)
            ON child::regclass = v.polrelid
        WHERE v.polname = 'viewer' AND v.polrelid = ANY (new_tenants)
        UNION ALL
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', f.conrelid::regclass, f.conname)
        FROM pg_constraint f
        WHERE f.contype = 'f' AND f.conrelid = ANY (new_tenants)
    LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM citus_add_local_table_to_metadata(t)
    FROM unnest(apart) t WHERE NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = t);
    PERFORM create_reference_table(s) FROM unnest(new_shared) s;
    PERFORM create_distributed_table(
        t, 'workspace_id', colocate_with => CASE t WHEN 'agents'::regclass THEN 'none' ELSE 'agents' END)
    FROM unnest(new_tenants) t ORDER BY t <> 'agents'::regclass, t::text;
    FOREACH statement IN ARRAY foreign_keys LOOP
        EXECUTE statement;
    END LOOP;
    -- The nodes are told whose workspace a transaction is in: row-level security holds there as well.
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = local', current_database());
    -- A key is looked up where its workspace lives, in one step.
    PERFORM create_distributed_function(f.oid::regprocedure, 'workspace', colocate_with => 'api_keys')
    FROM pg_proc f
    WHERE f.proname LIKE 'reverie\_authenticate\_%' AND NOT EXISTS (
        SELECT FROM pg_dist_object d
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.distribution_argument_index IS NOT NULL);
    PERFORM truncate_local_data_after_distributing_table(t) FROM unnest(new_shared || new_tenants) t;
END
$$;
