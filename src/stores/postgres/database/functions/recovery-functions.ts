/**
 * Server functions that free what a process has left behind. Each locks what it is about to free before it
 * looks whether the owner is gone: an owner that was only silent may wake up at any moment.
 */
import { ownedBatchFunction, replacing } from './batch-function.ts';

export const RECOVERY_FUNCTIONS = `
-- The intent of an owner that wakes up holds the row of its claim: once this has the row, each new
-- statement sees that intent, or the intent will find no claim.
CREATE FUNCTION abandon_dead_key(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  holder text;
BEGIN
  SELECT owner INTO holder FROM replays
  WHERE key = op->>'key' AND execution_id = op->>'id' AND result IS NULL FOR UPDATE;
  IF NOT FOUND OR is_alive(holder) THEN RETURN 'false'; END IF;
  -- In a trail that was pruned the intent may be among the rows that are gone.
  PERFORM 1 FROM audit_anchor;
  IF FOUND THEN RETURN 'false'; END IF;
  PERFORM 1 FROM audit WHERE execution_id = op->>'id' AND kind = 'intent';
  IF FOUND THEN RETURN 'false'; END IF;
  DELETE FROM replays WHERE key = op->>'key';
  RETURN 'true';
END $$;

CREATE FUNCTION end_orphan(op jsonb, me jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  holder text;
BEGIN
  SELECT owner INTO holder FROM holds WHERE execution_id = op->>'id' FOR UPDATE;
  IF NOT FOUND OR holder = me->>'id' OR is_alive(holder) THEN RETURN 'false'; END IF;
  PERFORM end_hold(op);
  RETURN 'true';
END $$;

${replacing(
  ownedBatchFunction('ledger', [
    "WHEN 'reserve' THEN reserve_budget(op, me)",
    "WHEN 'extend' THEN extend_hold(op)",
    "WHEN 'end' THEN end_hold(op)",
    "WHEN 'end orphan' THEN end_orphan(op, me)",
    "WHEN 'tally' THEN tally_calls(op->'counts')",
  ]),
)}
${replacing(
  ownedBatchFunction('claims', [
    "WHEN 'hit' THEN hit_windows(op)",
    "WHEN 'claim' THEN claim_key(op, me)",
    "WHEN 'finish' THEN finish_key(op)",
    "WHEN 'abandon' THEN abandon_key(op)",
    "WHEN 'abandon dead' THEN abandon_dead_key(op)",
  ]),
)}`;
