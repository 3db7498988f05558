-- The schema, in the form of pg_dump; the initial migration runs it after sql/functions. To change it,
-- edit a statement and run `make schema`, which writes it as Postgres does.
CREATE TABLE agents (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent text NOT NULL,
    name text,
    prime boolean DEFAULT false NOT NULL,
    prime_audience uuid NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY agents FORCE ROW LEVEL SECURITY;
CREATE TABLE api_keys (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    agent text,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    former_hashes bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    prefix text,
    scopes text[],
    expires_at timestamp with time zone,
    limits jsonb,
    client_id uuid,
    makers uuid[],
    subject text,
    user_name text
);
ALTER TABLE ONLY api_keys FORCE ROW LEVEL SECURITY;
CREATE TABLE audience_languages (
    workspace_id uuid NOT NULL,
    audience uuid NOT NULL,
    language text NOT NULL
);
ALTER TABLE ONLY audience_languages FORCE ROW LEVEL SECURITY;
CREATE TABLE audience_rows (
    workspace_id uuid NOT NULL,
    audience uuid NOT NULL,
    kind smallint NOT NULL,
    rows bigint NOT NULL,
    part smallint
);
ALTER TABLE ONLY audience_rows FORCE ROW LEVEL SECURITY;
CREATE TABLE audit_log (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    key_id uuid,
    action text NOT NULL,
    target text,
    subject text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL
);
ALTER TABLE ONLY audit_log FORCE ROW LEVEL SECURITY;
CREATE TABLE bulletins (
    workspace_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    version integer NOT NULL,
    content text NOT NULL,
    tokens integer DEFAULT 0 NOT NULL,
    inputs_hash text NOT NULL,
    dream_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    parts jsonb DEFAULT '[]'::jsonb NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY bulletins FORCE ROW LEVEL SECURITY;
CREATE TABLE chunks (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    "position" integer NOT NULL,
    content text NOT NULL,
    tokens integer DEFAULT 0 NOT NULL,
    lexemes tsvector NOT NULL
);
ALTER TABLE ONLY chunks FORCE ROW LEVEL SECURITY;
CREATE TABLE common_terms (
    workspace_id uuid NOT NULL,
    term bigint NOT NULL,
    rows bigint NOT NULL
);
ALTER TABLE ONLY common_terms FORCE ROW LEVEL SECURITY;
CREATE TABLE cron_runs (
    job text NOT NULL,
    started_at timestamp with time zone NOT NULL
);
CREATE TABLE dead_letters (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    message_id uuid,
    memory_id uuid,
    chunk_id uuid,
    status text NOT NULL,
    job text NOT NULL,
    step text NOT NULL,
    attempts integer NOT NULL,
    dream_id uuid,
    created_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY dead_letters FORCE ROW LEVEL SECURITY;
CREATE TABLE deletions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    agent text,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    kept jsonb DEFAULT '{}'::jsonb NOT NULL,
    deleted_by text NOT NULL,
    deleted_at timestamp with time zone NOT NULL,
    restored_at timestamp with time zone,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY deletions FORCE ROW LEVEL SECURITY;
CREATE TABLE documents (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    user_name text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    tokens integer DEFAULT 0 NOT NULL,
    chunks integer DEFAULT 0 NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY documents FORCE ROW LEVEL SECURITY;
CREATE TABLE dream_changes (
    workspace_id uuid NOT NULL,
    dream_id uuid NOT NULL,
    ordinal integer NOT NULL,
    op text NOT NULL,
    memory_id uuid,
    before jsonb,
    after jsonb,
    reason text NOT NULL,
    undo jsonb,
    undone_at timestamp with time zone
);
ALTER TABLE ONLY dream_changes FORCE ROW LEVEL SECURITY;
CREATE TABLE dream_schedule (
    workspace_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_owner text,
    lease_until timestamp with time zone,
    lease_token bigint DEFAULT '0'::bigint NOT NULL,
    dream_id uuid,
    asked bigint DEFAULT '0'::bigint NOT NULL,
    answered bigint DEFAULT '0'::bigint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    compact_at timestamp with time zone,
    claimed_at timestamp with time zone,
    folded_at timestamp with time zone,
    asked_at timestamp with time zone
);
CREATE TABLE dream_steps (
    workspace_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    input_hash text NOT NULL,
    step text NOT NULL,
    result jsonb DEFAULT '{}'::jsonb NOT NULL,
    dream_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY dream_steps FORCE ROW LEVEL SECURITY;
CREATE TABLE dreams (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    status text NOT NULL,
    trigger text NOT NULL,
    dry_run boolean DEFAULT false NOT NULL,
    report jsonb DEFAULT '{}'::jsonb NOT NULL,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    watermarks jsonb DEFAULT '[]'::jsonb NOT NULL,
    usage jsonb DEFAULT '{}'::jsonb NOT NULL,
    memory_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    key_id uuid,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY dreams FORCE ROW LEVEL SECURITY;
CREATE TABLE edges (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    audience uuid NOT NULL,
    relation text NOT NULL,
    source_kind text NOT NULL,
    source_id uuid NOT NULL,
    target_kind text NOT NULL,
    target_id uuid NOT NULL,
    memory_id uuid,
    dream_id uuid,
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY edges FORCE ROW LEVEL SECURITY;
CREATE TABLE embedding_models (
    id smallint NOT NULL,
    signature text NOT NULL,
    dim integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    setting text NOT NULL,
    noise real
);
CREATE SEQUENCE embedding_models_id_seq
    AS smallint
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE embedding_models_id_seq OWNED BY embedding_models.id;
CREATE TABLE embedding_state (
    singleton boolean NOT NULL,
    active smallint,
    next smallint,
    total bigint,
    done bigint DEFAULT '0'::bigint NOT NULL,
    error text,
    started_at timestamp with time zone,
    switched_at timestamp with time zone,
    moving boolean DEFAULT false NOT NULL,
    owner text,
    owner_until timestamp with time zone,
    CONSTRAINT ck_embedding_state_singleton CHECK (singleton)
);
CREATE TABLE entities (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    audience uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    dream_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    merged_into uuid,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY entities FORCE ROW LEVEL SECURITY;
CREATE TABLE entity_aliases (
    workspace_id uuid NOT NULL,
    audience uuid NOT NULL,
    alias text NOT NULL,
    kind text NOT NULL,
    entity_id uuid NOT NULL,
    owners bytea DEFAULT reverie_owners_v1('{}'::text[]) NOT NULL
);
ALTER TABLE ONLY entity_aliases FORCE ROW LEVEL SECURITY;
CREATE TABLE entity_merges (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    entity_id uuid NOT NULL,
    into_id uuid NOT NULL,
    moved jsonb DEFAULT '{}'::jsonb NOT NULL,
    actor text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY entity_merges FORCE ROW LEVEL SECURITY;
CREATE TABLE event_counters (
    workspace_id uuid NOT NULL,
    last bigint NOT NULL
);
ALTER TABLE ONLY event_counters FORCE ROW LEVEL SECURITY;
CREATE TABLE events (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    "position" bigint,
    kind text NOT NULL,
    agent_id uuid,
    subject_id uuid NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY events FORCE ROW LEVEL SECURITY;
CREATE TABLE field_backfills (
    workspace_id uuid NOT NULL,
    after uuid
);
CREATE TABLE idempotency (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    request_key bytea NOT NULL,
    fingerprint bytea NOT NULL,
    status smallint NOT NULL,
    content_type text NOT NULL,
    answer bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY idempotency FORCE ROW LEVEL SECURITY;
CREATE TABLE in_flight (
    workspace_id uuid NOT NULL,
    job text NOT NULL,
    owner_id uuid NOT NULL,
    worker text NOT NULL,
    step text NOT NULL,
    subject_ids uuid[] NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    deadline_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY in_flight FORCE ROW LEVEL SECURITY;
CREATE TABLE installation_settings (
    section text NOT NULL,
    value jsonb DEFAULT '{}'::jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE key_usage (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    last_used_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY key_usage FORCE ROW LEVEL SECURITY;
CREATE TABLE memories (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    audience uuid NOT NULL,
    type text NOT NULL,
    scope text NOT NULL,
    team_id uuid,
    task_id uuid,
    session_id uuid,
    user_name text,
    key text,
    content text NOT NULL,
    summary text NOT NULL,
    identity_hash bytea NOT NULL,
    language text NOT NULL,
    tokens integer DEFAULT 0 NOT NULL,
    importance double precision NOT NULL,
    confidence double precision NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    source jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text,
    decay_exempt boolean DEFAULT false NOT NULL,
    lexemes tsvector NOT NULL,
    occurred_at timestamp with time zone,
    expires_at timestamp with time zone,
    valid_from timestamp with time zone DEFAULT now() NOT NULL,
    valid_until timestamp with time zone,
    superseded_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    dream_id uuid,
    changed_by text NOT NULL,
    change_reason text NOT NULL,
    reinforced_at timestamp with time zone,
    hearsay_by text,
    learned_at timestamp with time zone DEFAULT now(),
    dream_analysis jsonb,
    like_type text,
    key_id uuid,
    origin text DEFAULT 'api'::text NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL,
    occurred_until timestamp with time zone
);
ALTER TABLE ONLY memories FORCE ROW LEVEL SECURITY;
CREATE TABLE memory_sources (
    workspace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    message_id uuid NOT NULL
);
ALTER TABLE ONLY memory_sources FORCE ROW LEVEL SECURITY;
CREATE TABLE memory_usage (
    workspace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    access_count bigint DEFAULT '0'::bigint NOT NULL,
    last_accessed_at timestamp with time zone
);
ALTER TABLE ONLY memory_usage FORCE ROW LEVEL SECURITY;
CREATE TABLE memory_versions (
    workspace_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    version integer NOT NULL,
    record jsonb DEFAULT '{}'::jsonb NOT NULL,
    changed_by text NOT NULL,
    change_reason text NOT NULL,
    dream_id uuid,
    at timestamp with time zone NOT NULL,
    embedding_model smallint,
    embedding halfvec
);
ALTER TABLE ONLY memory_versions FORCE ROW LEVEL SECURITY;
CREATE TABLE messages (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    seq bigint NOT NULL,
    role text NOT NULL,
    content text NOT NULL,
    content_json jsonb,
    name text,
    tool_call_id text,
    user_name text,
    tokens integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    key_id uuid,
    owners text[] DEFAULT '{}'::text[] NOT NULL,
    searchable boolean DEFAULT true NOT NULL,
    time_zone text
);
ALTER TABLE ONLY messages FORCE ROW LEVEL SECURITY;
CREATE TABLE model_budgets (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    tokens bigint NOT NULL,
    cost_usd double precision NOT NULL,
    dream_tokens bigint NOT NULL,
    dream_cost_usd double precision NOT NULL,
    key_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL
);
ALTER TABLE ONLY model_budgets FORCE ROW LEVEL SECURITY;
CREATE TABLE model_calls (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    agent_id uuid,
    dream_id uuid,
    key_id uuid,
    purpose text NOT NULL,
    model text NOT NULL,
    outcome text NOT NULL,
    error text,
    attempt integer NOT NULL,
    failover boolean NOT NULL,
    ms integer NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_usd double precision NOT NULL,
    input text NOT NULL,
    output text NOT NULL,
    input_chars integer NOT NULL,
    output_chars integer NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY model_calls FORCE ROW LEVEL SECURITY;
CREATE TABLE model_usage (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    purpose text NOT NULL,
    model text NOT NULL,
    key_id uuid NOT NULL,
    agent text NOT NULL,
    calls bigint NOT NULL,
    failed_calls bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_usd double precision NOT NULL
);
ALTER TABLE ONLY model_usage FORCE ROW LEVEL SECURITY;
CREATE TABLE oauth_clients (
    id uuid NOT NULL,
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
CREATE TABLE oauth_codes (
    workspace_id uuid NOT NULL,
    hash bytea NOT NULL,
    client_id uuid NOT NULL,
    granted_by uuid NOT NULL,
    role text NOT NULL,
    agent text NOT NULL,
    scopes text[] NOT NULL,
    challenge text NOT NULL,
    redirect_uri text NOT NULL,
    redirect_uri_given boolean DEFAULT false NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    key_id uuid,
    user_name text
);
ALTER TABLE ONLY oauth_codes FORCE ROW LEVEL SECURITY;
CREATE TABLE oauth_refresh_tokens (
    workspace_id uuid NOT NULL,
    hash bytea NOT NULL,
    key_id uuid NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
ALTER TABLE ONLY oauth_refresh_tokens FORCE ROW LEVEL SECURITY;
CREATE TABLE page_versions (
    workspace_id uuid NOT NULL,
    page_id uuid NOT NULL,
    version integer NOT NULL,
    sentences jsonb DEFAULT '[]'::jsonb NOT NULL,
    writer text NOT NULL,
    dropped integer DEFAULT 0 NOT NULL,
    inputs_hash text NOT NULL,
    dream_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY page_versions FORCE ROW LEVEL SECURITY;
CREATE TABLE pages (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    question text NOT NULL,
    scope jsonb DEFAULT '{}'::jsonb NOT NULL,
    trigger text NOT NULL,
    max_tokens integer DEFAULT 500 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    due_at timestamp with time zone,
    due_dream_id uuid,
    claimed_until timestamp with time zone,
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY pages FORCE ROW LEVEL SECURITY;
CREATE TABLE pii_secrets (
    workspace_id uuid NOT NULL,
    secret bytea NOT NULL
);
ALTER TABLE ONLY pii_secrets FORCE ROW LEVEL SECURITY;
CREATE TABLE proposals (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    dream_id uuid,
    status text NOT NULL,
    fingerprint text NOT NULL,
    identity_hash bytea NOT NULL,
    type text NOT NULL,
    content text NOT NULL,
    user_name text,
    hearsay_by text,
    importance double precision NOT NULL,
    confidence double precision NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    source jsonb DEFAULT '{}'::jsonb NOT NULL,
    message_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    reason text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    occurred_at timestamp with time zone,
    memory_id uuid,
    decided_by text,
    decided_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL,
    occurred_until timestamp with time zone
);
ALTER TABLE ONLY proposals FORCE ROW LEVEL SECURITY;
CREATE TABLE rate_limits (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    full_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY rate_limits FORCE ROW LEVEL SECURITY;
CREATE TABLE reindex_requests (
    workspace_id uuid NOT NULL,
    force boolean DEFAULT false NOT NULL,
    after uuid,
    total bigint NOT NULL,
    done bigint DEFAULT '0'::bigint NOT NULL,
    error text,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE request_counts (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    period text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    requests bigint NOT NULL
);
ALTER TABLE ONLY request_counts FORCE ROW LEVEL SECURITY;
CREATE TABLE rescans (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    dry_run boolean DEFAULT false NOT NULL,
    total bigint,
    done bigint DEFAULT '0'::bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    requested_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    lease_until timestamp with time zone,
    owner text
);
CREATE TABLE saved_search_results (
    workspace_id uuid NOT NULL,
    search_id uuid NOT NULL,
    id uuid NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    cause text NOT NULL,
    k integer DEFAULT 0 NOT NULL,
    recall double precision,
    outcomes jsonb DEFAULT '[]'::jsonb NOT NULL,
    overrides jsonb DEFAULT '{}'::jsonb NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    strategy text NOT NULL,
    embedder text,
    degraded boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY saved_search_results FORCE ROW LEVEL SECURITY;
CREATE TABLE saved_searches (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    expected jsonb DEFAULT '[]'::jsonb NOT NULL,
    k integer DEFAULT 10 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    owners text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY saved_searches FORCE ROW LEVEL SECURITY;
CREATE TABLE schema_compatibility (
    revision text NOT NULL,
    serves_from text NOT NULL
);
CREATE TABLE search_counts (
    workspace_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    day date NOT NULL,
    searches bigint NOT NULL,
    degraded bigint NOT NULL,
    latencies bigint[] NOT NULL
);
ALTER TABLE ONLY search_counts FORCE ROW LEVEL SECURITY;
CREATE TABLE search_index (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind smallint NOT NULL,
    audience uuid NOT NULL,
    type text NOT NULL,
    scope text NOT NULL,
    user_name text,
    session_id uuid,
    task_id uuid,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance real DEFAULT '0.5'::real NOT NULL,
    confidence real DEFAULT '1'::real NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    expires_at timestamp with time zone,
    deleted boolean DEFAULT false NOT NULL,
    faded boolean DEFAULT false NOT NULL,
    previous uuid,
    length smallint NOT NULL,
    words smallint NOT NULL,
    speaker text,
    asks boolean DEFAULT false NOT NULL,
    question_share real DEFAULT '0'::real NOT NULL,
    embedding_model smallint,
    embedding halfvec,
    ann boolean DEFAULT false NOT NULL,
    next_model smallint,
    next_embedding halfvec,
    embedding_float32 vector,
    next_embedding_float32 vector,
    part smallint,
    window_summary boolean DEFAULT false NOT NULL,
    base_importance real,
    decays_from timestamp with time zone,
    owners text[] DEFAULT '{}'::text[] NOT NULL,
    happened_until timestamp with time zone,
    CONSTRAINT ck_search_index_decay CHECK (((base_importance IS NULL) = (decays_from IS NULL))),
    CONSTRAINT ck_search_index_part CHECK (((part IS NOT NULL) OR (NOT ann)))
);
ALTER TABLE ONLY search_index ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE ONLY search_index ALTER COLUMN embedding_float32 SET STORAGE MAIN;
ALTER TABLE ONLY search_index FORCE ROW LEVEL SECURITY;
CREATE TABLE search_terms (
    workspace_id uuid NOT NULL,
    term bigint NOT NULL,
    id uuid NOT NULL,
    frequency smallint NOT NULL,
    length smallint NOT NULL
);
ALTER TABLE ONLY search_terms FORCE ROW LEVEL SECURITY;
CREATE TABLE secrets (
    name text NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE sessions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    session text NOT NULL,
    user_name text,
    last_seq bigint DEFAULT 0 NOT NULL,
    dreamed_seq bigint DEFAULT 0 NOT NULL,
    window_seq bigint DEFAULT 0 NOT NULL,
    window_started_at timestamp with time zone,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    window_from_seq bigint DEFAULT 0 NOT NULL,
    members text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY sessions FORCE ROW LEVEL SECURITY;
CREATE TABLE settings (
    workspace_id uuid NOT NULL,
    value jsonb DEFAULT '{}'::jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY settings FORCE ROW LEVEL SECURITY;
CREATE UNLOGGED TABLE stored_changes (
    workspace_id uuid NOT NULL,
    key_id uuid,
    id uuid NOT NULL,
    rows bigint NOT NULL,
    bytes bigint NOT NULL
);
ALTER TABLE ONLY stored_changes FORCE ROW LEVEL SECURITY;
CREATE TABLE stored_counts (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    rows bigint NOT NULL,
    bytes bigint NOT NULL
);
ALTER TABLE ONLY stored_counts FORCE ROW LEVEL SECURITY;
CREATE TABLE stored_days (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    day date NOT NULL,
    rows bigint NOT NULL,
    bytes bigint NOT NULL
);
ALTER TABLE ONLY stored_days FORCE ROW LEVEL SECURITY;
CREATE TABLE task_members (
    workspace_id uuid NOT NULL,
    task_id uuid NOT NULL,
    agent_id uuid NOT NULL
);
ALTER TABLE ONLY task_members FORCE ROW LEVEL SECURITY;
CREATE TABLE tasks (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    task text NOT NULL,
    members_only boolean DEFAULT false NOT NULL
);
ALTER TABLE ONLY tasks FORCE ROW LEVEL SECURITY;
CREATE TABLE team_members (
    workspace_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    team_id uuid NOT NULL
);
ALTER TABLE ONLY team_members FORCE ROW LEVEL SECURITY;
CREATE TABLE teams (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    team text NOT NULL
);
ALTER TABLE ONLY teams FORCE ROW LEVEL SECURITY;
CREATE TABLE totals (
    name text NOT NULL,
    value double precision NOT NULL
);
CREATE TABLE webhook_schedule (
    workspace_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    paused_until timestamp with time zone,
    lease_until timestamp with time zone,
    owner text,
    claimed_at timestamp with time zone
);
CREATE TABLE webhooks (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    name text,
    kinds text[],
    secret text NOT NULL,
    "position" bigint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_error text,
    last_sent_at timestamp with time zone,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY webhooks FORCE ROW LEVEL SECURITY;
CREATE TABLE window_summaries (
    workspace_id uuid NOT NULL,
    session_id uuid NOT NULL,
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL,
    memory_id uuid NOT NULL
);
ALTER TABLE ONLY window_summaries FORCE ROW LEVEL SECURITY;
CREATE TABLE worker_heartbeats (
    worker text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    health jsonb DEFAULT '{}'::jsonb NOT NULL
);
CREATE TABLE workspaces (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    suspended_at timestamp with time zone,
    limits jsonb,
    deletion_of uuid
);
ALTER TABLE ONLY embedding_models ALTER COLUMN id SET DEFAULT nextval('embedding_models_id_seq'::regclass);
ALTER TABLE ONLY agents
    ADD CONSTRAINT pk_agents PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY audience_languages
    ADD CONSTRAINT pk_audience_languages PRIMARY KEY (workspace_id, audience, language);
ALTER TABLE ONLY audience_rows
    ADD CONSTRAINT pk_audience_rows PRIMARY KEY (workspace_id, audience, kind);
ALTER TABLE ONLY audit_log
    ADD CONSTRAINT pk_audit_log PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY bulletins
    ADD CONSTRAINT pk_bulletins PRIMARY KEY (workspace_id, agent_id, version);
ALTER TABLE ONLY chunks
    ADD CONSTRAINT pk_chunks PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY common_terms
    ADD CONSTRAINT pk_common_terms PRIMARY KEY (workspace_id, term);
ALTER TABLE ONLY cron_runs
    ADD CONSTRAINT pk_cron_runs PRIMARY KEY (job);
ALTER TABLE ONLY dead_letters
    ADD CONSTRAINT pk_dead_letters PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY deletions
    ADD CONSTRAINT pk_deletions PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY documents
    ADD CONSTRAINT pk_documents PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY dream_changes
    ADD CONSTRAINT pk_dream_changes PRIMARY KEY (workspace_id, dream_id, ordinal);
ALTER TABLE ONLY dream_schedule
    ADD CONSTRAINT pk_dream_schedule PRIMARY KEY (workspace_id, agent_id);
ALTER TABLE ONLY dream_steps
    ADD CONSTRAINT pk_dream_steps PRIMARY KEY (workspace_id, agent_id, input_hash);
ALTER TABLE ONLY dreams
    ADD CONSTRAINT pk_dreams PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY edges
    ADD CONSTRAINT pk_edges PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY embedding_models
    ADD CONSTRAINT pk_embedding_models PRIMARY KEY (id);
ALTER TABLE ONLY embedding_state
    ADD CONSTRAINT pk_embedding_state PRIMARY KEY (singleton);
ALTER TABLE ONLY entities
    ADD CONSTRAINT pk_entities PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY entity_aliases
    ADD CONSTRAINT pk_entity_aliases PRIMARY KEY (workspace_id, audience, owners, alias, kind);
ALTER TABLE ONLY entity_merges
    ADD CONSTRAINT pk_entity_merges PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY event_counters
    ADD CONSTRAINT pk_event_counters PRIMARY KEY (workspace_id);
ALTER TABLE ONLY events
    ADD CONSTRAINT pk_events PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY field_backfills
    ADD CONSTRAINT pk_field_backfills PRIMARY KEY (workspace_id);
ALTER TABLE ONLY idempotency
    ADD CONSTRAINT pk_idempotency PRIMARY KEY (workspace_id, key_id, request_key);
ALTER TABLE ONLY in_flight
    ADD CONSTRAINT pk_in_flight PRIMARY KEY (workspace_id, job, owner_id, worker);
ALTER TABLE ONLY installation_settings
    ADD CONSTRAINT pk_installation_settings PRIMARY KEY (section);
ALTER TABLE ONLY key_usage
    ADD CONSTRAINT pk_key_usage PRIMARY KEY (workspace_id, key_id, day);
ALTER TABLE ONLY memories
    ADD CONSTRAINT pk_memories PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY memory_sources
    ADD CONSTRAINT pk_memory_sources PRIMARY KEY (workspace_id, memory_id, message_id);
ALTER TABLE ONLY memory_usage
    ADD CONSTRAINT pk_memory_usage PRIMARY KEY (workspace_id, memory_id);
ALTER TABLE ONLY memory_versions
    ADD CONSTRAINT pk_memory_versions PRIMARY KEY (workspace_id, memory_id, version);
ALTER TABLE ONLY messages
    ADD CONSTRAINT pk_messages PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY model_budgets
    ADD CONSTRAINT pk_model_budgets PRIMARY KEY (workspace_id, day, key_id);
ALTER TABLE ONLY model_calls
    ADD CONSTRAINT pk_model_calls PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY model_usage
    ADD CONSTRAINT pk_model_usage PRIMARY KEY (workspace_id, day, purpose, model, key_id, agent);
ALTER TABLE ONLY oauth_clients
    ADD CONSTRAINT pk_oauth_clients PRIMARY KEY (id);
ALTER TABLE ONLY oauth_codes
    ADD CONSTRAINT pk_oauth_codes PRIMARY KEY (workspace_id, hash);
ALTER TABLE ONLY oauth_refresh_tokens
    ADD CONSTRAINT pk_oauth_refresh_tokens PRIMARY KEY (workspace_id, hash);
ALTER TABLE ONLY page_versions
    ADD CONSTRAINT pk_page_versions PRIMARY KEY (workspace_id, page_id, version);
ALTER TABLE ONLY pages
    ADD CONSTRAINT pk_pages PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY pii_secrets
    ADD CONSTRAINT pk_pii_secrets PRIMARY KEY (workspace_id);
ALTER TABLE ONLY proposals
    ADD CONSTRAINT pk_proposals PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY rate_limits
    ADD CONSTRAINT pk_rate_limits PRIMARY KEY (workspace_id, key_id);
ALTER TABLE ONLY reindex_requests
    ADD CONSTRAINT pk_reindex_requests PRIMARY KEY (workspace_id);
ALTER TABLE ONLY request_counts
    ADD CONSTRAINT pk_request_counts PRIMARY KEY (workspace_id, key_id, period, starts_at);
ALTER TABLE ONLY rescans
    ADD CONSTRAINT pk_rescans PRIMARY KEY (workspace_id);
ALTER TABLE ONLY saved_search_results
    ADD CONSTRAINT pk_saved_search_results PRIMARY KEY (workspace_id, search_id, id);
ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT pk_saved_searches PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY schema_compatibility
    ADD CONSTRAINT pk_schema_compatibility PRIMARY KEY (revision);
ALTER TABLE ONLY search_counts
    ADD CONSTRAINT pk_search_counts PRIMARY KEY (workspace_id, agent_id, day);
ALTER TABLE ONLY search_index
    ADD CONSTRAINT pk_search_index PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY search_terms
    ADD CONSTRAINT pk_search_terms PRIMARY KEY (workspace_id, term, id) INCLUDE (frequency, length);
ALTER TABLE ONLY secrets
    ADD CONSTRAINT pk_secrets PRIMARY KEY (name);
ALTER TABLE ONLY sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY settings
    ADD CONSTRAINT pk_settings PRIMARY KEY (workspace_id);
ALTER TABLE ONLY stored_changes
    ADD CONSTRAINT pk_stored_changes PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY stored_counts
    ADD CONSTRAINT pk_stored_counts PRIMARY KEY (workspace_id, key_id);
ALTER TABLE ONLY stored_days
    ADD CONSTRAINT pk_stored_days PRIMARY KEY (workspace_id, day, key_id);
ALTER TABLE ONLY task_members
    ADD CONSTRAINT pk_task_members PRIMARY KEY (workspace_id, task_id, agent_id);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT pk_tasks PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY team_members
    ADD CONSTRAINT pk_team_members PRIMARY KEY (workspace_id, agent_id, team_id);
ALTER TABLE ONLY teams
    ADD CONSTRAINT pk_teams PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY totals
    ADD CONSTRAINT pk_totals PRIMARY KEY (name);
ALTER TABLE ONLY webhook_schedule
    ADD CONSTRAINT pk_webhook_schedule PRIMARY KEY (workspace_id, webhook_id);
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT pk_webhooks PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY window_summaries
    ADD CONSTRAINT pk_window_summaries PRIMARY KEY (workspace_id, session_id, from_seq);
ALTER TABLE ONLY worker_heartbeats
    ADD CONSTRAINT pk_worker_heartbeats PRIMARY KEY (worker);
ALTER TABLE ONLY workspaces
    ADD CONSTRAINT pk_workspaces PRIMARY KEY (workspace_id);
ALTER TABLE ONLY agents
    ADD CONSTRAINT uq_agents_workspace_id_agent UNIQUE (workspace_id, agent);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT uq_api_keys_workspace_id_hash UNIQUE (workspace_id, hash);
ALTER TABLE ONLY chunks
    ADD CONSTRAINT uq_chunks_workspace_id_document_id_position UNIQUE (workspace_id, document_id, "position");
ALTER TABLE ONLY embedding_models
    ADD CONSTRAINT uq_embedding_models_signature UNIQUE (signature);
ALTER TABLE ONLY messages
    ADD CONSTRAINT uq_messages_workspace_id_session_id_seq UNIQUE (workspace_id, session_id, seq);
ALTER TABLE ONLY sessions
    ADD CONSTRAINT uq_sessions_workspace_id_agent_id_session UNIQUE (workspace_id, agent_id, session);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT uq_tasks_workspace_id_task UNIQUE (workspace_id, task);
ALTER TABLE ONLY teams
    ADD CONSTRAINT uq_teams_workspace_id_team UNIQUE (workspace_id, team);
ALTER TABLE ONLY workspaces
    ADD CONSTRAINT uq_workspaces_name UNIQUE (name);
CREATE INDEX ix_documents_user ON documents USING btree (workspace_id, user_name) WHERE (user_name IS NOT NULL);
CREATE INDEX ix_dream_changes_memory ON dream_changes USING btree (workspace_id, memory_id);
CREATE INDEX ix_dream_schedule_asked ON dream_schedule USING btree (agent_id) WHERE (asked > answered);
CREATE INDEX ix_dream_schedule_compact ON dream_schedule USING btree (compact_at) WHERE (compact_at IS NOT NULL);
CREATE INDEX ix_dream_schedule_due ON dream_schedule USING btree (due_at);
CREATE INDEX ix_dreams_agent ON dreams USING btree (workspace_id, agent_id, created_at, id);
CREATE INDEX ix_dreams_unfinished ON dreams USING btree (workspace_id, key_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX ix_edges_memory ON edges USING btree (workspace_id, memory_id) WHERE (memory_id IS NOT NULL);
CREATE INDEX ix_edges_target ON edges USING btree (workspace_id, target_id);
CREATE INDEX ix_entity_aliases_entity ON entity_aliases USING btree (workspace_id, entity_id);
CREATE INDEX ix_entity_merges_entity ON entity_merges USING btree (workspace_id, entity_id);
CREATE UNIQUE INDEX ix_events_position ON events USING btree (workspace_id, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX ix_events_waiting ON events USING btree (workspace_id, at, id) WHERE ("position" IS NULL);
CREATE INDEX ix_idempotency_created ON idempotency USING btree (created_at);
CREATE INDEX ix_memories_audience ON memories USING btree (workspace_id, audience, created_at, id);
CREATE INDEX ix_memories_created ON memories USING btree (workspace_id, created_at, id);
CREATE INDEX ix_memories_fading ON memories USING btree (workspace_id, agent_id) WHERE ((COALESCE(like_type, type) = ANY (ARRAY['event'::text, 'observation'::text])) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE INDEX ix_memories_hearsay ON memories USING btree (workspace_id, hearsay_by) WHERE (hearsay_by IS NOT NULL);
CREATE INDEX ix_memories_insights ON memories USING btree (workspace_id, audience, id) WHERE ((type = 'insight'::text) AND (superseded_by IS NULL));
CREATE INDEX ix_memories_key ON memories USING btree (workspace_id, key) WHERE (key IS NOT NULL);
CREATE INDEX ix_memories_open_todos ON memories USING btree (workspace_id, audience, id) WHERE ((type = 'todo'::text) AND (status = 'open'::text) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE INDEX ix_memories_session ON memories USING btree (workspace_id, session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX ix_memories_unread ON memories USING btree (workspace_id, agent_id, id) WHERE ((dream_analysis IS NULL) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE INDEX ix_memories_user ON memories USING btree (workspace_id, user_name, type, valid_from DESC, id DESC) WHERE (user_name IS NOT NULL);
CREATE INDEX ix_memory_sources_message ON memory_sources USING btree (workspace_id, message_id);
CREATE INDEX ix_model_calls_at ON model_calls USING btree (workspace_id, at, id);
CREATE INDEX ix_model_calls_dream ON model_calls USING btree (workspace_id, dream_id) WHERE (dream_id IS NOT NULL);
CREATE INDEX ix_page_versions_dream ON page_versions USING btree (workspace_id, dream_id) WHERE (dream_id IS NOT NULL);
CREATE INDEX ix_pages_agent ON pages USING btree (workspace_id, agent_id, id);
CREATE INDEX ix_pages_due ON pages USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX ix_proposals_memory ON proposals USING btree (workspace_id, memory_id);
CREATE INDEX ix_saved_searches_agent ON saved_searches USING btree (workspace_id, agent_id, id);
CREATE INDEX ix_search_counts_day ON search_counts USING btree (workspace_id, day);
CREATE INDEX ix_search_index_audience ON search_index USING btree (workspace_id, audience, kind, ann, happened_at);
CREATE INDEX ix_search_index_happened_until ON search_index USING btree (workspace_id, audience, kind, ann, happened_until) WHERE (happened_until IS NOT NULL);
CREATE INDEX ix_search_index_pending ON search_index USING btree (workspace_id, id) WHERE ((embedding_model IS NULL) AND (NOT deleted));
CREATE INDEX ix_search_index_previous ON search_index USING btree (workspace_id, previous) WHERE (previous IS NOT NULL);
CREATE INDEX ix_search_index_session ON search_index USING btree (workspace_id, session_id, kind, happened_at, id) WHERE (session_id IS NOT NULL);
CREATE INDEX ix_search_index_summaries ON search_index USING btree (workspace_id, audience) WHERE window_summary;
CREATE INDEX ix_sessions_due ON sessions USING btree (workspace_id, agent_id) WHERE (dreamed_seq < last_seq);
CREATE INDEX ix_webhook_schedule_due ON webhook_schedule USING btree (due_at);
CREATE UNIQUE INDEX uq_dead_letters_subject ON dead_letters USING btree (workspace_id, COALESCE(message_id, memory_id, chunk_id));
CREATE UNIQUE INDEX uq_edges_ends ON edges USING btree (workspace_id, source_id, relation, target_id, COALESCE(memory_id, source_id));
CREATE UNIQUE INDEX uq_memories_identity ON memories USING btree (workspace_id, audience, type, identity_hash) WHERE ((deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE UNIQUE INDEX uq_memories_key ON memories USING btree (workspace_id, agent_id, audience, key, reverie_owners_v1(owners)) WHERE ((key IS NOT NULL) AND (deleted_at IS NULL) AND (superseded_by IS NULL));
CREATE UNIQUE INDEX uq_proposals_fingerprint ON proposals USING btree (workspace_id, agent_id, fingerprint, reverie_owners_v1(owners)) WHERE (status <> 'accepted'::text);
CREATE TRIGGER memories_deleted AFTER DELETE ON memories REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reverie_note_stored_v1();
CREATE TRIGGER memories_inserted AFTER INSERT ON memories REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reverie_note_stored_v1();
CREATE TRIGGER memories_rewritten AFTER UPDATE OF content, metadata ON memories FOR EACH ROW EXECUTE FUNCTION reverie_note_rewritten_v1();
CREATE TRIGGER messages_deleted AFTER DELETE ON messages REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reverie_note_stored_v1();
CREATE TRIGGER messages_inserted AFTER INSERT ON messages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reverie_note_stored_v1();
CREATE TRIGGER messages_rewritten AFTER UPDATE OF content, content_json ON messages FOR EACH ROW EXECUTE FUNCTION reverie_note_rewritten_v1();
CREATE CONSTRAINT TRIGGER stored_changes_settled AFTER INSERT ON stored_changes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reverie_settle_stored_v1();
ALTER TABLE ONLY agents
    ADD CONSTRAINT fk_agents_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT fk_api_keys_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY audience_languages
    ADD CONSTRAINT fk_audience_languages_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY audit_log
    ADD CONSTRAINT fk_audit_log_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY bulletins
    ADD CONSTRAINT fk_bulletins_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY chunks
    ADD CONSTRAINT fk_chunks_documents_workspace_id_document_id FOREIGN KEY (workspace_id, document_id) REFERENCES documents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dead_letters
    ADD CONSTRAINT fk_dead_letters_chunks_workspace_id_chunk_id FOREIGN KEY (workspace_id, chunk_id) REFERENCES chunks(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dead_letters
    ADD CONSTRAINT fk_dead_letters_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dead_letters
    ADD CONSTRAINT fk_dead_letters_messages_workspace_id_message_id FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY deletions
    ADD CONSTRAINT fk_deletions_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY documents
    ADD CONSTRAINT fk_documents_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dream_changes
    ADD CONSTRAINT fk_dream_changes_dreams_workspace_id_dream_id FOREIGN KEY (workspace_id, dream_id) REFERENCES dreams(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dream_steps
    ADD CONSTRAINT fk_dream_steps_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY dreams
    ADD CONSTRAINT fk_dreams_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY entities
    ADD CONSTRAINT fk_entities_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY entity_aliases
    ADD CONSTRAINT fk_entity_aliases_entities_workspace_id_entity_id FOREIGN KEY (workspace_id, entity_id) REFERENCES entities(workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY entity_merges
    ADD CONSTRAINT fk_entity_merges_entities_workspace_id_entity_id FOREIGN KEY (workspace_id, entity_id) REFERENCES entities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY field_backfills
    ADD CONSTRAINT fk_field_backfills_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY idempotency
    ADD CONSTRAINT fk_idempotency_api_keys_workspace_id_key_id FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY key_usage
    ADD CONSTRAINT fk_key_usage_api_keys_workspace_id_key_id FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memories
    ADD CONSTRAINT fk_memories_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memories
    ADD CONSTRAINT fk_memories_sessions_workspace_id_session_id FOREIGN KEY (workspace_id, session_id) REFERENCES sessions(workspace_id, id);
ALTER TABLE ONLY memories
    ADD CONSTRAINT fk_memories_tasks_workspace_id_task_id FOREIGN KEY (workspace_id, task_id) REFERENCES tasks(workspace_id, id);
ALTER TABLE ONLY memories
    ADD CONSTRAINT fk_memories_teams_workspace_id_team_id FOREIGN KEY (workspace_id, team_id) REFERENCES teams(workspace_id, id);
ALTER TABLE ONLY memory_sources
    ADD CONSTRAINT fk_memory_sources_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory_sources
    ADD CONSTRAINT fk_memory_sources_messages_workspace_id_message_id FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory_usage
    ADD CONSTRAINT fk_memory_usage_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY memory_versions
    ADD CONSTRAINT fk_memory_versions_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY messages
    ADD CONSTRAINT fk_messages_sessions_workspace_id_session_id FOREIGN KEY (workspace_id, session_id) REFERENCES sessions(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY model_calls
    ADD CONSTRAINT fk_model_calls_agents FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_codes
    ADD CONSTRAINT fk_oauth_codes_api_keys_workspace_id_granted_by FOREIGN KEY (workspace_id, granted_by) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_codes
    ADD CONSTRAINT fk_oauth_codes_api_keys_workspace_id_key_id FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_refresh_tokens
    ADD CONSTRAINT fk_oauth_refresh_tokens_api_keys_workspace_id_key_id FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY page_versions
    ADD CONSTRAINT fk_page_versions_pages_workspace_id FOREIGN KEY (workspace_id, page_id) REFERENCES pages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY pages
    ADD CONSTRAINT fk_pages_agents_workspace_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY pii_secrets
    ADD CONSTRAINT fk_pii_secrets_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY proposals
    ADD CONSTRAINT fk_proposals_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY proposals
    ADD CONSTRAINT fk_proposals_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY rate_limits
    ADD CONSTRAINT fk_rate_limits_api_keys_workspace_id_key_id FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY reindex_requests
    ADD CONSTRAINT fk_reindex_requests_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY saved_search_results
    ADD CONSTRAINT fk_saved_search_results_saved_searches_workspace_id FOREIGN KEY (workspace_id, search_id) REFERENCES saved_searches(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_searches
    ADD CONSTRAINT fk_saved_searches_agents_workspace_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY search_counts
    ADD CONSTRAINT fk_search_counts_agents FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sessions
    ADD CONSTRAINT fk_sessions_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY settings
    ADD CONSTRAINT fk_settings_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY task_members
    ADD CONSTRAINT fk_task_members_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY task_members
    ADD CONSTRAINT fk_task_members_tasks_workspace_id_task_id FOREIGN KEY (workspace_id, task_id) REFERENCES tasks(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY tasks
    ADD CONSTRAINT fk_tasks_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY team_members
    ADD CONSTRAINT fk_team_members_agents_workspace_id_agent_id FOREIGN KEY (workspace_id, agent_id) REFERENCES agents(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY team_members
    ADD CONSTRAINT fk_team_members_teams_workspace_id_team_id FOREIGN KEY (workspace_id, team_id) REFERENCES teams(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY teams
    ADD CONSTRAINT fk_teams_workspaces_workspace_id FOREIGN KEY (workspace_id) REFERENCES workspaces(workspace_id);
ALTER TABLE ONLY window_summaries
    ADD CONSTRAINT fk_window_summaries_memories_workspace_id_memory_id FOREIGN KEY (workspace_id, memory_id) REFERENCES memories(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY window_summaries
    ADD CONSTRAINT fk_window_summaries_sessions_workspace_id_session_id FOREIGN KEY (workspace_id, session_id) REFERENCES sessions(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE audience_languages ENABLE ROW LEVEL SECURITY;
ALTER TABLE audience_rows ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE bulletins ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE common_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY;
ALTER TABLE deletions ENABLE ROW LEVEL SECURITY;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE dream_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE dream_steps ENABLE ROW LEVEL SECURITY;
ALTER TABLE dreams ENABLE ROW LEVEL SECURITY;
ALTER TABLE edges ENABLE ROW LEVEL SECURITY;
ALTER TABLE entities ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_merges ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE in_flight ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_calls ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE page_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE pii_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE proposals ENABLE ROW LEVEL SECURITY;
ALTER TABLE rate_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_search_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_searches ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_index ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE team_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE teams ENABLE ROW LEVEL SECURITY;
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
ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE window_summaries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON agents USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON api_keys USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON audience_languages USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON audience_rows USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON audit_log USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON bulletins USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON chunks USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON common_terms USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON dead_letters USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON deletions USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON documents USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON dream_changes USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON dream_steps USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON dreams USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON edges USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON entities USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON entity_aliases USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON entity_merges USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON event_counters USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON events USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON idempotency USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON in_flight USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON key_usage USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON memories USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON memory_sources USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON memory_usage USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON memory_versions USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON messages USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON model_budgets USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON model_calls USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON model_usage USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON oauth_codes USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON oauth_refresh_tokens USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON page_versions USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON pages USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON pii_secrets USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON proposals USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON rate_limits USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON request_counts USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON saved_search_results USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON saved_searches USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON search_counts USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON search_index USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON search_terms USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON sessions USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON settings USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON stored_changes USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON stored_counts USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON stored_days USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON task_members USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON tasks USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON team_members USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON teams USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON webhooks USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
CREATE POLICY workspace ON window_summaries USING ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid)) WITH CHECK ((workspace_id = (NULLIF(current_setting('reverie.workspace'::text, true), ''::text))::uuid));
GRANT USAGE ON SCHEMA public TO reverie_app;
REVOKE ALL ON FUNCTION reverie_forget_statistics_v1(sampled text) FROM PUBLIC;
GRANT ALL ON FUNCTION reverie_forget_statistics_v1(sampled text) TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE agents TO reverie_app;
GRANT SELECT ON TABLE alembic_version TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE api_keys TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE audience_languages TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE audience_rows TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE audit_log TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE bulletins TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE chunks TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE common_terms TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cron_runs TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dead_letters TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE deletions TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dream_changes TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dream_schedule TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dream_steps TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dreams TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE edges TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding_models TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding_state TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE entities TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE entity_aliases TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE entity_merges TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE event_counters TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE events TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE field_backfills TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE idempotency TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE in_flight TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE installation_settings TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE key_usage TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memories TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory_sources TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory_usage TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memory_versions TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE messages TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE model_budgets TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE model_calls TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE model_usage TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE oauth_clients TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE oauth_codes TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE oauth_refresh_tokens TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE page_versions TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pages TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pii_secrets TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE proposals TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rate_limits TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE reindex_requests TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE request_counts TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rescans TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE saved_search_results TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE saved_searches TO reverie_app;
GRANT SELECT ON TABLE schema_compatibility TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search_counts TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search_index TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search_terms TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE secrets TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE sessions TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE settings TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stored_changes TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stored_counts TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stored_days TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE task_members TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tasks TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE team_members TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE teams TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE totals TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE webhook_schedule TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE webhooks TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE window_summaries TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE worker_heartbeats TO reverie_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspaces TO reverie_app;
