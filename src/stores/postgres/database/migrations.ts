/**
 * The schema, step by step: entry n brings a database from version n to n + 1. Never edit one that was
 * released. Tables and columns have the names that they have in SQLite. Functions plan without scans of
 * whole tables: a plan that was made while a table was small would be kept while it grows. They are
 * not compiled, which costs more than they do.
 */
import { AUDIT_FUNCTIONS } from './functions/audit-functions.ts';
import { CLAIM_FUNCTIONS } from './functions/claim-functions.ts';
import {
  EVENT_BYTES_FUNCTION,
  EVENT_FUNCTIONS,
  FLOW_FUNCTIONS,
} from './functions/flow-functions.ts';
import { INTENT_FUNCTIONS } from './functions/intent-functions.ts';
import { LEDGER_FUNCTIONS } from './functions/ledger-functions.ts';
import { OWNER_FUNCTIONS } from './functions/owner-functions.ts';
import { RECORD_FUNCTIONS } from './functions/record-functions.ts';
import { RECOVERY_FUNCTIONS } from './functions/recovery-functions.ts';

/** The table `lanes` has a row for each write group: its lock. `version` counts the commits of the group. */
const BASE = `
CREATE TABLE store_schema (
  one integer PRIMARY KEY CHECK (one = 1),
  version integer NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO store_schema (one, version) VALUES (1, 0);
CREATE TABLE lanes (
  name text PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO lanes (name) VALUES ('audit'), ('ledger'), ('claims'), ('records'), ('flows');
CREATE TABLE settled (at timestamptz NOT NULL) WITH (fillfactor = 10);
INSERT INTO settled VALUES (clock_timestamp());
CREATE TABLE owners (
  id text PRIMARY KEY,
  place text NOT NULL,
  pid integer NOT NULL,
  lease_ms double precision NOT NULL,
  heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 50);
`;

const AUDIT = `
CREATE TABLE audit (
  seq bigint PRIMARY KEY,
  at double precision NOT NULL,
  kind text NOT NULL,
  execution_id text NOT NULL,
  tool text NOT NULL,
  version text NOT NULL,
  tier text NOT NULL,
  user_id text NOT NULL,
  agent_id text NOT NULL,
  session_id text NOT NULL,
  status text NOT NULL,
  code text NOT NULL,
  duration_ms double precision NOT NULL,
  cost_micros bigint NOT NULL,
  detail text NOT NULL,
  hash text NOT NULL
);
CREATE INDEX audit_by_execution ON audit USING hash (execution_id);
CREATE INDEX audit_by_time ON audit (at);
CREATE TABLE audit_anchor (
  one integer PRIMARY KEY CHECK (one = 1),
  seq bigint NOT NULL,
  hash text NOT NULL,
  checkpoint text NOT NULL
);
CREATE TABLE intents (
  execution_id text PRIMARY KEY,
  seq bigint NOT NULL,
  owner text NOT NULL,
  place text NOT NULL DEFAULT ''
);
CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.seq <= coalesce((SELECT seq FROM audit_anchor WHERE one = 1), 0) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'The audit trail is append-only.';
END $$;
CREATE TRIGGER audit_keeps_rows BEFORE DELETE OR UPDATE ON audit
FOR EACH ROW EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_keeps_table BEFORE TRUNCATE ON audit
FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
`;

const CLAIMS = `
CREATE TABLE budgets (
  key text COLLATE "C" PRIMARY KEY,
  spent bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  calls bigint NOT NULL DEFAULT 0,
  held_calls bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  held_tokens bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE holds (
  execution_id text PRIMARY KEY,
  amount bigint NOT NULL,
  tokens bigint NOT NULL,
  scopes jsonb NOT NULL,
  owner text NOT NULL
);
CREATE TABLE counters (
  key text NOT NULL,
  size_ms bigint NOT NULL,
  start bigint NOT NULL,
  ends bigint NOT NULL,
  hits bigint NOT NULL,
  PRIMARY KEY (key, size_ms, start)
) WITH (fillfactor = 50);
CREATE INDEX counters_by_end ON counters (ends);
CREATE TABLE replays (
  key text PRIMARY KEY,
  digest text NOT NULL,
  execution_id text NOT NULL,
  owner text NOT NULL,
  result text,
  expires_at double precision
);
CREATE INDEX replays_by_expiry ON replays (expires_at) WHERE expires_at IS NOT NULL;
`;

const CONTENT = `
CREATE TABLE memory (
  space text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  expires_at double precision,
  PRIMARY KEY (space, key)
);
CREATE INDEX memory_by_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE snapshots (
  execution_id text NOT NULL,
  step bigint NOT NULL,
  path text NOT NULL,
  before bytea,
  before_mode bigint,
  after_hash text,
  kept_at double precision NOT NULL,
  PRIMARY KEY (execution_id, step)
);
CREATE INDEX snapshots_by_age ON snapshots (kept_at);
CREATE TABLE results (
  handle text PRIMARY KEY,
  user_id text NOT NULL,
  execution_id text NOT NULL,
  text text NOT NULL,
  kept_at double precision NOT NULL
);
CREATE INDEX results_by_execution ON results USING hash (execution_id);
CREATE INDEX results_by_age ON results (kept_at);
`;

/** `position` keeps the order in which rows were added, as SQLite's row numbers do. */
const RECORDS = `
CREATE TABLE approvals (
  id text PRIMARY KEY,
  position bigint GENERATED BY DEFAULT AS IDENTITY,
  created_at double precision NOT NULL,
  expires_at double precision NOT NULL,
  user_id text NOT NULL,
  call_key text,
  state text NOT NULL,
  decided_by text,
  decided_at double precision,
  decision text,
  record text NOT NULL
);
CREATE INDEX approvals_by_state ON approvals (state, created_at);
CREATE INDEX approvals_waiting_by_user ON approvals USING hash (user_id) WHERE state = 'waiting';
CREATE INDEX approvals_waiting_by_expiry ON approvals (expires_at) WHERE state = 'waiting';
CREATE INDEX approvals_by_call ON approvals USING hash (call_key) WHERE call_key IS NOT NULL;
CREATE TABLE grants (
  id text PRIMARY KEY,
  position bigint GENERATED BY DEFAULT AS IDENTITY,
  created_at double precision NOT NULL,
  expires_at double precision,
  record text NOT NULL
);
CREATE TABLE tokens (
  id text PRIMARY KEY,
  position bigint GENERATED BY DEFAULT AS IDENTITY,
  revoked_at double precision,
  last_used_at double precision,
  record text NOT NULL
);
`;

/** `revision` grows with every change of a run, `epoch` when it changes hands. */
const FLOWS = `
CREATE TABLE flow_runs (
  id text COLLATE "C" PRIMARY KEY,
  flow text NOT NULL,
  user_id text NOT NULL,
  status text NOT NULL,
  finished boolean NOT NULL
    GENERATED ALWAYS AS (status IN ('completed', 'failed', 'cancelled')) STORED,
  owner text,
  wake_at double precision,
  created_at double precision NOT NULL,
  updated_at double precision NOT NULL,
  epoch bigint NOT NULL,
  revision bigint NOT NULL DEFAULT 1,
  record text NOT NULL
);
CREATE INDEX flow_runs_due ON flow_runs (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX flow_runs_by_age ON flow_runs (created_at);
CREATE TABLE flow_steps (
  run_id text NOT NULL,
  key text NOT NULL,
  position bigint GENERATED BY DEFAULT AS IDENTITY,
  record text NOT NULL,
  PRIMARY KEY (run_id, key)
);
CREATE TABLE flow_events (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  run_id text NOT NULL,
  record text NOT NULL
);
CREATE INDEX flow_events_of_run ON flow_events (run_id, id);
`;

const FIRST = [
  BASE,
  AUDIT,
  CLAIMS,
  CONTENT,
  RECORDS,
  FLOWS,
  OWNER_FUNCTIONS,
  AUDIT_FUNCTIONS,
  LEDGER_FUNCTIONS,
  CLAIM_FUNCTIONS,
  RECORD_FUNCTIONS,
  FLOW_FUNCTIONS,
].join('\n');

/** Vectors of texts, as 32-bit numbers: no extension of the server is needed. */
const VECTORS = `
CREATE TABLE vectors (
  user_key text NOT NULL,
  kind text NOT NULL,
  id_key text NOT NULL,
  id text NOT NULL,
  position bigint GENERATED BY DEFAULT AS IDENTITY,
  model text NOT NULL,
  dimensions bigint NOT NULL,
  vector bytea NOT NULL,
  stored_at double precision NOT NULL,
  PRIMARY KEY (user_key, kind, id_key)
);
CREATE INDEX vectors_of_model ON vectors (user_key, model, position);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
`;

/** The public key whose seals count here; the first process that opens the store sets it. */
const SEAL_KEY = 'ALTER TABLE store_schema ADD COLUMN seal_key text';

/** Counts of calls by period, and the last row of the trail that is in them. */
const ROLL_UPS = `
CREATE TABLE roll_ups (
  kind text NOT NULL,
  grain bigint NOT NULL,
  start bigint NOT NULL,
  name text NOT NULL,
  counts text NOT NULL,
  PRIMARY KEY (kind, grain, start, name)
);
CREATE TABLE metric_mark (
  one integer PRIMARY KEY CHECK (one = 1),
  seq bigint NOT NULL
);
`;

const RECOVERY = [RECOVERY_FUNCTIONS, INTENT_FUNCTIONS].join('\n');

/** Where the files are that a call changed. */
const PLACE_OF_SNAPSHOTS = 'ALTER TABLE snapshots ADD COLUMN place text';

/**
 * Finds the id of the event that a step has taken in the text of its record: JSON operators fail on NUL. Before it
 * come only fields whose values are neither lists nor objects, so that nothing inside of a value is taken for it.
 */
const EVENT_ID = String.raw`^\{(?:"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+),)*"eventId":([0-9]{1,18})[,}]`;

/** An event is forgotten once the step is on record that took it. */
const TAKEN_EVENTS = `
DELETE FROM flow_events AS event USING flow_steps AS step
WHERE step.run_id = event.run_id AND event.id = substring(step.record from '${EVENT_ID}')::bigint;
${EVENT_FUNCTIONS}`;

export const MIGRATIONS: readonly string[] = [
  FIRST,
  VECTORS,
  SEAL_KEY,
  ROLL_UPS,
  RECOVERY,
  PLACE_OF_SNAPSHOTS,
  TAKEN_EVENTS,
  EVENT_BYTES_FUNCTION,
];
