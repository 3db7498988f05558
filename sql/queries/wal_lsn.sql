-- name: current_lsn
-- Which database of which server this is, whether a standby, and how far into the log it has written or replayed.
SELECT (SELECT system_identifier FROM pg_control_system()) AS server,
    current_database()::text AS database,
    pg_is_in_recovery() AS standby,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
        - '0/0'::pg_lsn)::bigint AS position;
