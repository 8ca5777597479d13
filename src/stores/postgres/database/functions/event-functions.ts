/**
 * Server functions of the events of runs, which replace those of the same names in flow-functions.ts: a
 * step that is written takes its event away, and a run keeps no more events than it may.
 */
export const EVENT_FUNCTIONS = `
CREATE OR REPLACE FUNCTION write_steps(op jsonb) RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO flow_steps (run_id, key, record)
  SELECT op->>'id', step->>0, step->>1
  FROM jsonb_array_elements(op->'steps') WITH ORDINALITY AS each (step, place) ORDER BY place
  ON CONFLICT (run_id, key) DO UPDATE SET record = excluded.record;
  DELETE FROM flow_events WHERE run_id = op->>'id'
    AND id IN (SELECT taken::bigint FROM jsonb_array_elements_text(op->'taken') AS each (taken));
$$;

-- "changed": another revision; "held": its owner lives; "news": an event came after the one seen;
-- "full": as many events as a run may have wait to be taken.
CREATE OR REPLACE FUNCTION exchange_run(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
    PERFORM 1 FROM flow_events WHERE run_id = op->>'id'
    OFFSET (op->>'maxEvents')::bigint - 1 LIMIT 1;
    IF FOUND THEN RETURN '"full"'; END IF;
    INSERT INTO flow_events (run_id, record) VALUES (op->>'id', op->>'event');
  END IF;
  IF (op->>'record') IS NOT NULL THEN
    PERFORM put_run(op, CASE op->>'holder' WHEN 'me' THEN me->>'id' WHEN 'same' THEN run.owner END);
    PERFORM write_steps(op);
  END IF;
  RETURN '"done"';
END $$;
`;
