/**
 * Server functions of flows. A process reads a run, computes what it becomes, and exchanges the one for
 * the other: the exchange fails when the run has changed meanwhile, and is then computed again. Steps
 * are fenced by owner and epoch.
 */
import { ownedBatchFunction } from './batch-function.ts';

/** Writes the steps of an operation; `more` is what is written with them. */
const writeSteps = (
  more: string,
): string => `FUNCTION write_steps(op jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO flow_steps (run_id, key, record)
  SELECT op->>'id', step->>0, step->>1
  FROM jsonb_array_elements(op->'steps') WITH ORDINALITY AS each (step, place) ORDER BY place
  ON CONFLICT (run_id, key) DO UPDATE SET record = excluded.record${more}
$$;`;

/** Exchanges a run for its next state; `check` may refuse an event that is to be added. */
const exchangeRun = (
  check: string,
): string => `FUNCTION exchange_run(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  run flow_runs;
BEGIN
  SELECT * INTO run FROM flow_runs
  WHERE id = op->>'id' AND revision = (op->>'revision')::bigint;
  IF NOT FOUND THEN RETURN '"changed"'; END IF;
  IF (op->>'ifFree')::boolean AND (run.owner = me->>'id' OR is_alive(run.owner)) THEN
    RETURN '"held"';
  END IF;
  IF (op->>'seenEvent') IS NOT NULL THEN
    PERFORM 1 FROM flow_events WHERE run_id = op->>'id' AND id > (op->>'seenEvent')::bigint;
    IF FOUND THEN RETURN '"news"'; END IF;
  END IF;
  IF (op->>'event') IS NOT NULL THEN
${check}    INSERT INTO flow_events (run_id, record) VALUES (op->>'id', op->>'event');
  END IF;
  IF (op->>'record') IS NOT NULL THEN
    PERFORM put_run(op, CASE op->>'holder' WHEN 'me' THEN me->>'id' WHEN 'same' THEN run.owner END);
    PERFORM write_steps(op);
  END IF;
  RETURN '"done"';
END $$;`;

export const FLOW_FUNCTIONS = `
CREATE FUNCTION put_run(op jsonb, holder text) RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO flow_runs AS run (id, flow, user_id, status, owner, wake_at, created_at, updated_at,
    epoch, record)
  VALUES (op->>'id', op->>'flow', op->>'userId', op->>'status', holder, (op->>'wakeAt')::float8,
    (op->>'createdAt')::float8, (op->>'updatedAt')::float8, (op->>'epoch')::bigint, op->>'record')
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, owner = excluded.owner,
    wake_at = excluded.wake_at, updated_at = excluded.updated_at, epoch = excluded.epoch,
    revision = run.revision + 1, record = excluded.record
$$;

CREATE ${writeSteps('')}

CREATE FUNCTION create_run(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM flow_runs WHERE id = op->>'id';
  IF FOUND THEN RETURN 'false'; END IF;
  PERFORM put_run(op, CASE WHEN (op->>'isReleased')::boolean THEN NULL ELSE me->>'id' END);
  PERFORM write_steps(op);
  RETURN 'true';
END $$;

-- "changed": another revision; "held": its owner lives; "news": an event came after the one seen.
CREATE ${exchangeRun('')}

CREATE FUNCTION put_steps(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM flow_runs WHERE id = op->>'id' AND owner = me->>'id'
    AND epoch = (op->>'epoch')::bigint;
  IF NOT FOUND THEN RETURN 'false'; END IF;
  PERFORM write_steps(op);
  RETURN 'true';
END $$;

CREATE FUNCTION expire_runs(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  old text[];
BEGIN
  SELECT array_agg(id) INTO old FROM flow_runs
  WHERE wake_at IS NULL AND finished AND updated_at < (op->>'before')::float8;
  DELETE FROM flow_steps WHERE run_id = ANY (old);
  DELETE FROM flow_events WHERE run_id = ANY (old);
  DELETE FROM flow_runs WHERE id = ANY (old);
  RETURN to_jsonb(coalesce(cardinality(old), 0));
END $$;

${ownedBatchFunction('flows', [
  "WHEN 'create' THEN create_run(op, me)",
  "WHEN 'exchange' THEN exchange_run(op, me)",
  "WHEN 'steps' THEN put_steps(op, me)",
  "WHEN 'expire' THEN expire_runs(op)",
])}`;

/**
 * Replaces two of the functions above: a step that is written takes its event away, and a run keeps no
 * more events than it may. The exchange then also answers "full".
 */
export const EVENT_FUNCTIONS = `
CREATE OR REPLACE ${writeSteps(`;
  DELETE FROM flow_events WHERE run_id = op->>'id'
    AND id IN (SELECT taken::bigint FROM jsonb_array_elements_text(op->'taken') AS each (taken));`)}

CREATE OR REPLACE ${exchangeRun(`    PERFORM 1 FROM flow_events WHERE run_id = op->>'id'
    OFFSET coalesce((op->>'maxEvents')::bigint, 1000) - 1 LIMIT 1;
    -- A process from before the limit sends none, and would repeat what is "full" without end.
    IF FOUND THEN
      IF op ? 'maxEvents' THEN RETURN '"full"'; ELSE RETURN '"held"'; END IF;
    END IF;
`)}
`;

/**
 * Replaces the exchange once more: the events that a run keeps have so many bytes at most. Their lengths are read
 * without the text itself.
 */
export const EVENT_BYTES_FUNCTION = `
CREATE OR REPLACE ${exchangeRun(`    PERFORM 1 FROM flow_events WHERE run_id = op->>'id'
    HAVING count(*) >= coalesce((op->>'maxEvents')::bigint, 1000)
      OR coalesce(sum(octet_length(record)), 0) + octet_length(op->>'event')
        > coalesce((op->>'maxEventBytes')::bigint, 16777216);
    -- A process from before the limit sends none, and would repeat what is "full" without end.
    IF FOUND THEN
      IF op ? 'maxEvents' THEN RETURN '"full"'; ELSE RETURN '"held"'; END IF;
    END IF;
`)}
`;
