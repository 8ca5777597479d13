/** Server functions of what must happen once: hits of rate limits and idempotency keys. */
import { ownedBatchFunction } from './batch-function.ts';

export const CLAIM_FUNCTIONS = `
-- Counts one hit in every window, or in none; answers the hits before it.
CREATE FUNCTION hit_windows(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
  before bigint;
  hits_before jsonb := '[]';
  is_full boolean := false;
  is_first boolean := false;
BEGIN
  FOR item IN SELECT value FROM jsonb_array_elements(op->'windows') LOOP
    SELECT hits INTO before FROM counters WHERE key = op->>'key'
      AND size_ms = (item->>'sizeMs')::bigint AND start = (item->>'start')::bigint;
    IF NOT FOUND THEN before := 0; is_first := true; END IF;
    hits_before := hits_before || to_jsonb(before);
    is_full := is_full OR before + 1 > (item->>'limit')::bigint;
  END LOOP;
  IF is_full THEN RETURN hits_before; END IF;
  INSERT INTO counters AS line (key, size_ms, start, ends, hits)
  SELECT op->>'key', size, start, start + size, 1
  FROM (SELECT (value->>'sizeMs')::bigint AS size, (value->>'start')::bigint AS start
    FROM jsonb_array_elements(op->'windows')) AS hit_window
  ON CONFLICT (key, size_ms, start) DO UPDATE SET hits = line.hits + 1;
  IF is_first THEN
    DELETE FROM counters WHERE (key, size_ms, start) IN (SELECT key, size_ms, start FROM counters
      WHERE ends <= (op->>'sweep')::bigint ORDER BY ends LIMIT 4);
  END IF;
  RETURN hits_before;
END $$;

-- A key whose process is gone without an answer is in doubt, not free.
CREATE FUNCTION claim_key(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  line replays;
  moment float8 := (op->>'now')::float8;
BEGIN
  SELECT * INTO line FROM replays WHERE key = op->>'key';
  IF NOT FOUND OR line.expires_at <= moment THEN
    INSERT INTO replays VALUES (op->>'key', op->>'digest', op->>'id', me->>'id', NULL, NULL)
    ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, execution_id = excluded.execution_id,
      owner = excluded.owner, result = NULL, expires_at = NULL;
    DELETE FROM replays WHERE key IN (SELECT key FROM replays
      WHERE expires_at <= moment ORDER BY expires_at LIMIT 4);
    RETURN '{"state":"new"}';
  END IF;
  IF line.digest <> op->>'digest' THEN RETURN '{"state":"mismatch"}'; END IF;
  IF line.result IS NOT NULL THEN
    RETURN jsonb_build_object('state', 'done', 'result', line.result);
  END IF;
  RETURN jsonb_build_object('executionId', line.execution_id, 'state',
    CASE WHEN line.owner = me->>'id' OR is_alive(line.owner) THEN 'running' ELSE 'unknown' END);
END $$;

CREATE FUNCTION finish_key(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  UPDATE replays SET result = op->>'result', expires_at = (op->>'expiresAt')::float8
  WHERE key = op->>'key' AND result IS NULL AND execution_id = coalesce(op->>'id', execution_id);
  RETURN 'null';
END $$;

CREATE FUNCTION abandon_key(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM replays
  WHERE key = op->>'key' AND result IS NULL AND execution_id = coalesce(op->>'id', execution_id);
  RETURN 'null';
END $$;

${ownedBatchFunction('claims', [
  "WHEN 'hit' THEN hit_windows(op)",
  "WHEN 'claim' THEN claim_key(op, me)",
  "WHEN 'finish' THEN finish_key(op)",
  "WHEN 'abandon' THEN abandon_key(op)",
])}`;
