/**
 * Server functions of budgets. One batch checks and holds while it has the lock of the group, so that no two calls
 * hold the same money. The rules are those of budget-amounts.ts.
 */
import { ownedBatchFunction } from './batch-function.ts';

const MAX = Number.MAX_SAFE_INTEGER;

export const LEDGER_FUNCTIONS = `
-- Finds the first scope that is short, in the order given; nothing when all have room. A call that
-- holds already counts as a call, and needs no tokens that it does not ask for.
CREATE FUNCTION first_shortage(scopes jsonb, wanted_micros bigint, wanted_tokens bigint, is_new boolean)
RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_build_object('ok', false, 'scope', scope.key) || CASE
    WHEN wanted_micros > room.micros THEN jsonb_build_object('unit', 'micros', 'available', room.micros)
    WHEN is_new AND room.calls < 1 THEN jsonb_build_object('unit', 'calls', 'available', room.calls)
    ELSE jsonb_build_object('unit', 'tokens', 'available', room.tokens) END
  FROM ROWS FROM (jsonb_to_recordset(scopes) AS
    (key text, "limitMicros" bigint, "limitCalls" bigint, "limitTokens" bigint))
    WITH ORDINALITY AS scope (key, max_micros, max_calls, max_tokens, place)
  LEFT JOIN budgets AS line ON line.key = scope.key
  CROSS JOIN LATERAL (SELECT
    greatest(0, scope.max_micros - coalesce(line.spent + line.held, 0)) AS micros,
    greatest(0, scope.max_calls - coalesce(line.calls + line.held_calls, 0)) AS calls,
    greatest(0, scope.max_tokens - coalesce(line.tokens + line.held_tokens, 0)) AS tokens) AS room
  WHERE wanted_micros > room.micros OR wanted_tokens > room.tokens
    OR (is_new AND (room.calls < 1 OR (room.tokens = 0 AND scope.max_tokens < ${MAX})))
  ORDER BY scope.place LIMIT 1
$$;

CREATE FUNCTION reserve_budget(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  held holds;
  shortage jsonb;
  amount bigint := (op->>'amount')::bigint;
  wanted_tokens bigint := (op->>'tokens')::bigint;
BEGIN
  SELECT * INTO held FROM holds WHERE execution_id = op->>'id';
  IF FOUND THEN
    RETURN jsonb_build_object('held', to_jsonb(held));
  END IF;
  shortage := first_shortage(op->'scopes', amount, wanted_tokens, true);
  IF shortage IS NOT NULL THEN RETURN shortage; END IF;
  INSERT INTO budgets AS line (key, held, held_calls, held_tokens)
  SELECT scope->>'key', amount, 1, wanted_tokens FROM jsonb_array_elements(op->'scopes') AS scope
  ON CONFLICT (key) DO UPDATE SET held = line.held + excluded.held,
    held_calls = line.held_calls + 1, held_tokens = line.held_tokens + excluded.held_tokens;
  INSERT INTO holds VALUES (op->>'id', amount, wanted_tokens, op->'scopes', me->>'id');
  RETURN '{"ok":true}';
END $$;

CREATE FUNCTION extend_hold(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  hold holds;
  shortage jsonb;
  more bigint := (op->>'amount')::bigint;
  more_tokens bigint := (op->>'tokens')::bigint;
BEGIN
  SELECT * INTO hold FROM holds WHERE execution_id = op->>'id';
  IF NOT FOUND THEN RETURN '{"nothing":true}'; END IF;
  shortage := first_shortage(hold.scopes, more, more_tokens, false);
  IF shortage IS NOT NULL THEN RETURN shortage; END IF;
  UPDATE budgets SET held = held + more, held_tokens = held_tokens + more_tokens
  WHERE key IN (SELECT scope->>'key' FROM jsonb_array_elements(hold.scopes) AS scope);
  UPDATE holds SET amount = amount + more, tokens = tokens + more_tokens
  WHERE execution_id = op->>'id';
  RETURN '{"ok":true}';
END $$;

-- Ends the hold; books what was used where the operation says so.
CREATE FUNCTION end_hold(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  hold holds;
  used bigint := coalesce((op->>'amount')::bigint, 0);
  used_tokens bigint := coalesce((op->>'tokens')::bigint, 0);
  counted integer := CASE WHEN op ? 'amount' THEN 1 ELSE 0 END;
BEGIN
  DELETE FROM holds WHERE execution_id = op->>'id' RETURNING * INTO hold;
  IF NOT FOUND THEN RETURN 'null'; END IF;
  UPDATE budgets SET held = held - hold.amount, held_calls = greatest(held_calls - 1, 0),
    held_tokens = held_tokens - hold.tokens, spent = least(spent + used, ${MAX}),
    calls = calls + counted, tokens = least(budgets.tokens + used_tokens, ${MAX})
  WHERE key IN (SELECT scope->>'key' FROM jsonb_array_elements(hold.scopes) AS scope);
  RETURN 'null';
END $$;

CREATE FUNCTION tally_calls(counts jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
BEGIN
  FOR item IN SELECT value FROM jsonb_array_elements(counts) LOOP
    INSERT INTO budgets AS line (key, calls, tokens)
    VALUES (item->>'key', (item->>'calls')::bigint, (item->>'tokens')::bigint)
    ON CONFLICT (key) DO UPDATE SET calls = least(line.calls + excluded.calls, ${MAX}),
      tokens = least(line.tokens + excluded.tokens, ${MAX});
  END LOOP;
  RETURN 'null';
END $$;

${ownedBatchFunction('ledger', [
  "WHEN 'reserve' THEN reserve_budget(op, me)",
  "WHEN 'extend' THEN extend_hold(op)",
  "WHEN 'end' THEN end_hold(op)",
  "WHEN 'tally' THEN tally_calls(op->'counts')",
])}`;
