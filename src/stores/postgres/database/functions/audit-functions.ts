/**
 * Server functions of the audit trail. The chain is continued while the lock of the group is held; the hash is that
 * of docs/audit-format.md. A process sends the canonical text of a row from after its number on.
 */
/** Writes `apply_audit`, with what it does before it looks at claims and after it has written its rows. */
export const applyAudit = ({
  first = '',
  last = '',
}: {
  readonly first?: string;
  readonly last?: string;
}): string => `CREATE FUNCTION apply_audit(operations jsonb, me jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  operation jsonb;
  item jsonb;
  last_seq bigint;
  last_hash text;
  fields jsonb[] := '{}';
  hashes text[] := '{}';
  is_allowed boolean;
BEGIN
  PERFORM take_lane('audit');
${first}  SELECT seq, hash INTO last_seq, last_hash FROM audit ORDER BY seq DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT seq, hash INTO last_seq, last_hash FROM audit_anchor WHERE one = 1;
  END IF;
  IF NOT FOUND THEN last_seq := 0; last_hash := repeat('0', 64); END IF;
  FOR operation IN SELECT value FROM jsonb_array_elements(operations) LOOP
    is_allowed := true;
    IF operation ? 'claims' THEN
      is_allowed := holds_claims(operation->'claims');
    ELSIF operation ? 'doubt' THEN
      -- An outcome earlier in this batch may have closed the intent.
      PERFORM put_rows(last_seq - cardinality(hashes), fields, hashes, me);
      fields := '{}';
      hashes := '{}';
      is_allowed := is_in_doubt(operation->>'doubt', me);
    END IF;
    IF is_allowed THEN
      FOR item IN SELECT value FROM jsonb_array_elements(operation->'rows') LOOP
        last_seq := last_seq + 1;
        last_hash := encode(sha256(convert_to(
          last_hash || E'\\n[' || last_seq || (item->>'rest'), 'UTF8')), 'hex');
        hashes := hashes || last_hash;
        fields := fields || coalesce(item->'fields', ('[0' || (item->>'rest'))::jsonb);
      END LOOP;
    END IF;
    RETURN NEXT to_jsonb(is_allowed);
  END LOOP;
  PERFORM put_rows(last_seq - cardinality(hashes), fields, hashes, me);
${last}END $$;`;

const RENEWED_LAST = `  -- Last, because the lane of claims may hold a row that was waited for above.
  PERFORM renew_owner(me);
`;

export const AUDIT_FUNCTIONS = `
-- Writes rows whose hashes are known, opens their intents and closes those with an outcome. One
-- statement for all rows: each by itself costs three times as much.
CREATE FUNCTION put_rows(before_first bigint, fields jsonb[], hashes text[], me jsonb)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit SELECT before_first + place, (field->>1)::float8, field->>2, field->>3,
    field->>4, field->>5, field->>6, field->>7, field->>8, field->>9, field->>10, field->>11,
    (field->>12)::float8, (field->>13)::bigint, field->>14, row_hash
  FROM unnest(fields, hashes) WITH ORDINALITY AS entry (field, row_hash, place);
  INSERT INTO intents SELECT DISTINCT ON (field->>3) field->>3, before_first + place, me->>'id',
    me->>'place'
  FROM unnest(fields) WITH ORDINALITY AS entry (field, place) WHERE field->>2 = 'intent'
  ORDER BY field->>3, place DESC
  ON CONFLICT (execution_id) DO UPDATE SET seq = excluded.seq, owner = excluded.owner,
    place = excluded.place;
  PERFORM 1 FROM intents LIMIT 1;
  IF FOUND THEN
    DELETE FROM intents WHERE execution_id IN
      (SELECT field->>3 FROM unnest(fields) AS field WHERE field->>2 = 'outcome');
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

${applyAudit({ last: RENEWED_LAST })}

CREATE FUNCTION prune_audit(last bigint, row_hash text, note text) RETURNS jsonb LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp SET enable_seqscan = off SET jit = off
AS $$
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
