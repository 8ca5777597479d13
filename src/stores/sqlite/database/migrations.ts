/** The schema, step by step: entry n brings a database from version n to n + 1. Never edit one that was released. */

const FIRST = `
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  version TEXT NOT NULL,
  tier TEXT NOT NULL,
  user_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  code TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  cost_micros INTEGER NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_execution ON audit (execution_id);
CREATE INDEX audit_by_time ON audit (at);
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'The audit trail is append-only.'); END;
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'The audit trail is append-only.'); END;

CREATE TABLE owners (
  id TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  heartbeat_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE intents (
  execution_id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  owner TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE budgets (
  key TEXT PRIMARY KEY,
  spent INTEGER NOT NULL,
  held INTEGER NOT NULL,
  calls INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE holds (
  execution_id TEXT PRIMARY KEY,
  amount INTEGER NOT NULL,
  scopes TEXT NOT NULL,
  owner TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  key TEXT NOT NULL,
  size_ms INTEGER NOT NULL,
  start INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  PRIMARY KEY (key, size_ms, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX counters_by_end ON counters (ends);

CREATE TABLE replays (
  key TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  result TEXT,
  expires_at REAL
) STRICT;
CREATE INDEX replays_by_expiry ON replays (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE memory (
  space TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at REAL,
  PRIMARY KEY (space, key)
) STRICT;
CREATE INDEX memory_by_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE snapshots (
  execution_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  path TEXT NOT NULL,
  before BLOB,
  before_mode INTEGER,
  after_hash TEXT,
  PRIMARY KEY (execution_id, step)
) STRICT;

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  created_at REAL NOT NULL,
  state TEXT NOT NULL,
  decided_by TEXT,
  decided_at REAL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_state ON approvals (state, created_at);

CREATE TABLE results (
  handle TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX results_by_execution ON results (execution_id);
`;

const GOVERNANCE = `
ALTER TABLE budgets ADD COLUMN held_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE budgets ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE budgets ADD COLUMN held_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE holds ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN expires_at REAL NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN decision TEXT;

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  created_at REAL NOT NULL,
  expires_at REAL,
  record TEXT NOT NULL
) STRICT;

CREATE TABLE audit_anchor (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  checkpoint TEXT NOT NULL
) STRICT;
DROP TRIGGER audit_keeps_rows;
CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
WHEN OLD.seq > coalesce((SELECT seq FROM audit_anchor), 0)
BEGIN SELECT RAISE(ABORT, 'The audit trail is append-only.'); END;
`;

const TOKENS = `
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  revoked_at REAL,
  last_used_at REAL,
  record TEXT NOT NULL
) STRICT;
`;

/** Results of earlier versions count as kept at the moment of the change. */
const AGE_OF_RESULTS = `
ALTER TABLE results ADD COLUMN kept_at REAL NOT NULL DEFAULT 0;
UPDATE results SET kept_at = unixepoch() * 1000.0;
CREATE INDEX results_by_age ON results (kept_at);
`;

/** The same for what undo needs. */
const AGE_OF_SNAPSHOTS = `
ALTER TABLE snapshots ADD COLUMN kept_at REAL NOT NULL DEFAULT 0;
UPDATE snapshots SET kept_at = unixepoch() * 1000.0;
CREATE INDEX snapshots_by_age ON snapshots (kept_at);
`;

/** What a question into the inbox looks up, so that it does not read all the others. */
const INBOX_INDEXES = `
ALTER TABLE approvals ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN call_key TEXT;
UPDATE approvals SET user_id = coalesce(json_extract(record, '$.userId'), '')
WHERE json_valid(record);
CREATE INDEX approvals_waiting_by_user ON approvals (user_id) WHERE state = 'waiting';
CREATE INDEX approvals_waiting_by_expiry ON approvals (expires_at) WHERE state = 'waiting';
CREATE INDEX approvals_by_call ON approvals (call_key, state) WHERE call_key IS NOT NULL;
`;

/** Runs of flows, their journal, and the events sent to them. */
const FLOWS = `
CREATE TABLE flow_runs (
  id TEXT PRIMARY KEY,
  flow TEXT NOT NULL,
  user_id TEXT NOT NULL,
  status TEXT NOT NULL,
  finished INTEGER NOT NULL AS (status IN ('completed', 'failed', 'cancelled')) VIRTUAL,
  owner TEXT,
  wake_at REAL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX flow_runs_due ON flow_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX flow_runs_by_age ON flow_runs (created_at);
CREATE TABLE flow_steps (
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (run_id, key)
) STRICT;
CREATE TABLE flow_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX flow_events_of_run ON flow_events (run_id, id);
`;

/** Runs that wait are looked for every second, among finished ones that are kept for a month. */
const WAITING_RUNS = `
CREATE INDEX flow_runs_waiting ON flow_runs (created_at) WHERE status = 'waiting';
`;

/** Jobs, the moments at which those of a limited rate began, and schedules. */
const JOBS = `
CREATE TABLE jobs (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL,
  priority INTEGER NOT NULL,
  run_at REAL NOT NULL,
  created_at REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  started_at REAL,
  finished_at REAL,
  record TEXT NOT NULL,
  progress TEXT,
  result TEXT,
  error TEXT
) STRICT;
CREATE INDEX jobs_waiting ON jobs (queue, priority) WHERE state = 'waiting';
CREATE INDEX jobs_delayed ON jobs (queue, run_at) WHERE state = 'delayed';
CREATE INDEX jobs_active ON jobs (owner, queue) WHERE state = 'active';
CREATE INDEX jobs_finished ON jobs (state, finished_at, queue) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_by_age ON jobs (created_at);
CREATE TABLE job_starts (
  queue TEXT NOT NULL,
  at REAL NOT NULL
) STRICT;
CREATE INDEX job_starts_by_age ON job_starts (queue, at);
CREATE TABLE job_schedules (
  id TEXT PRIMARY KEY,
  next_at REAL NOT NULL,
  record TEXT NOT NULL
) STRICT;
`;

/** Vectors of texts; `user_key` and `id_key` are digests of long names in PostgreSQL only. */
const VECTORS = `
CREATE TABLE vectors (
  row INTEGER PRIMARY KEY,
  user_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  id_key TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector BLOB NOT NULL,
  stored_at REAL NOT NULL,
  UNIQUE (user_key, kind, id_key)
) STRICT;
CREATE INDEX vectors_of_model ON vectors (user_key, model);
`;

/** Counts of calls by period, and the last row of the trail that is in them. */
const ROLL_UPS = `
CREATE TABLE roll_ups (
  kind TEXT NOT NULL,
  grain INTEGER NOT NULL,
  start INTEGER NOT NULL,
  name TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (kind, grain, start, name)
) STRICT;
CREATE TABLE metric_mark (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL
) STRICT;
`;

/**
 * An event is forgotten once the step is on record that took it. SQLite reads no JSON of more than 1,000 levels:
 * the event of such a step stays.
 */
const TAKEN_EVENTS = `
DELETE FROM flow_events WHERE (run_id, id) IN (
  SELECT run_id, json_extract(record, '$.eventId') FROM flow_steps
  WHERE record LIKE '%"eventId":%' AND json_valid(record)
);
`;

export const MIGRATIONS: readonly string[] = [
  FIRST,
  GOVERNANCE,
  TOKENS,
  AGE_OF_RESULTS,
  AGE_OF_SNAPSHOTS,
  INBOX_INDEXES,
  FLOWS,
  WAITING_RUNS,
  JOBS,
  VECTORS,
  ROLL_UPS,
  TAKEN_EVENTS,
];
