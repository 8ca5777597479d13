/**
 * Server functions of the audit trail. The chain is continued while the lane is held; the hash is that
 * of docs/audit-format.md. A process sends the canonical text of a row from after its number on.
 */
export const AUDIT_FUNCTIONS = `
CREATE FUNCTION append_rows(rows jsonb, me jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last_seq bigint;
  last_hash text;
  item jsonb;
  field jsonb;
  outcomes text[] := '{}';
BEGIN
  SELECT seq, hash INTO last_seq, last_hash FROM audit ORDER BY seq DESC LIMIT 1;
  IF NOT FOUND THEN SELECT seq, hash INTO last_seq, last_hash FROM audit_anchor; END IF;
  IF NOT FOUND THEN last_seq := 0; last_hash := repeat('0', 64); END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(rows) LOOP
    last_seq := last_seq + 1;
    last_hash := encode(sha256(convert_to(
      last_hash || E'\\n[' || last_seq || (item->>'rest'), 'UTF8')), 'hex');
    field := coalesce(item->'fields', ('[0' || (item->>'rest'))::jsonb);
    INSERT INTO audit VALUES (last_seq, (field->>1)::float8, field->>2, field->>3, field->>4,
      field->>5, field->>6, field->>7, field->>8, field->>9, field->>10, field->>11,
      (field->>12)::float8, (field->>13)::bigint, field->>14, last_hash);
    IF field->>2 = 'intent' THEN
      INSERT INTO intents VALUES (field->>3, last_seq, me->>'id')
      ON CONFLICT (execution_id) DO UPDATE SET seq = excluded.seq, owner = excluded.owner;
    ELSIF field->>2 = 'outcome' THEN
      outcomes := outcomes || (field->>3);
    END IF;
  END LOOP;
  IF cardinality(outcomes) > 0 THEN
    DELETE FROM intents WHERE execution_id = ANY (outcomes);
  END IF;
END $$;

-- The row of a claim stays as it is until the intent is on record.
CREATE FUNCTION holds_claims(claims jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
BEGIN
  FOR item IN SELECT value FROM jsonb_array_elements(claims) LOOP
    PERFORM 1 FROM replays WHERE key = item->>0 AND execution_id = item->>1 AND result IS NULL
    FOR SHARE;
    IF NOT FOUND THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;

CREATE FUNCTION is_in_doubt(execution text, me jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  holder text;
BEGIN
  SELECT owner INTO holder FROM intents WHERE execution_id = execution;
  RETURN FOUND AND holder <> me->>'id' AND NOT is_alive(holder);
END $$;

-- Runs of plain appends are written together; each guarded operation is judged by itself.
CREATE FUNCTION apply_audit(operations jsonb, me jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp AS $$
DECLARE
  operation jsonb;
  is_allowed boolean;
BEGIN
  PERFORM take_lane('audit');
  FOR operation IN SELECT value FROM jsonb_array_elements(operations) LOOP
    is_allowed := CASE
      WHEN operation ? 'claims' THEN holds_claims(operation->'claims')
      WHEN operation ? 'doubt' THEN is_in_doubt(operation->>'doubt', me)
      ELSE true END;
    IF is_allowed THEN PERFORM append_rows(operation->'rows', me); END IF;
    RETURN NEXT to_jsonb(is_allowed);
  END LOOP;
  -- Last, because the lane of claims may hold a row that was waited for above.
  PERFORM renew_owner(me);
END $$;

CREATE FUNCTION prune_audit(last bigint, row_hash text, note text) RETURNS jsonb LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp AS $$
DECLARE
  pruned bigint;
BEGIN
  PERFORM take_lane('audit');
  PERFORM 1 FROM audit WHERE seq = last AND hash = row_hash;
  IF NOT FOUND THEN RETURN '{"conflict":"row"}'; END IF;
  PERFORM 1 FROM intents WHERE seq <= last;
  IF FOUND THEN RETURN '{"conflict":"open"}'; END IF;
  INSERT INTO audit_anchor VALUES (1, last, row_hash, note)
  ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash,
    checkpoint = excluded.checkpoint;
  DELETE FROM audit WHERE seq <= last;
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN jsonb_build_object('pruned', pruned);
END $$;
`;
