/**
 * Server functions of the audit trail as they write intents since version 5: the row of the owner is locked
 * before those of claims, as everywhere, so that no two groups wait for each other.
 */
export const INTENT_FUNCTIONS = `
-- The row of a claim stays as it is until the intent is on record. One that is locked is being ended:
-- waiting for it would only end in a refusal, and could be a deadlock.
CREATE OR REPLACE FUNCTION holds_claims(claims jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
BEGIN
  FOR item IN SELECT value FROM jsonb_array_elements(claims) LOOP
    PERFORM 1 FROM replays WHERE key = item->>0 AND execution_id = item->>1 AND result IS NULL
    FOR SHARE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION apply_audit(operations jsonb, me jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
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
  -- Before the claims: other groups, too, take the row of the owner before any other.
  PERFORM renew_owner(me);
  SELECT seq, hash INTO last_seq, last_hash FROM audit ORDER BY seq DESC LIMIT 1;
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
END $$;
`;
