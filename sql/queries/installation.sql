-- name: claim_cron_run
-- Claim a run of a scheduled job, by the database's clock; no row when a worker has claimed one within so many seconds.
INSERT INTO cron_runs (job, started_at) VALUES (:job, clock_timestamp())
ON CONFLICT (job) DO UPDATE SET started_at = excluded.started_at
    WHERE cron_runs.started_at <= clock_timestamp() - make_interval(secs => :within_s::float8)
RETURNING job;

-- name: shared_secret
-- The secret of this name: :made where there was none, else the one that is there. The update changes nothing; it
-- returns the row that another process has inserted meanwhile.
INSERT INTO secrets (name, value) VALUES (:name, :made)
ON CONFLICT (name) DO UPDATE SET value = secrets.value
RETURNING value;

-- name: installation_settings
SELECT section, value FROM installation_settings;

-- name: put_installation_settings
INSERT INTO installation_settings (section, value, updated_at) VALUES (:section, :value, now())
ON CONFLICT (section) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;
