/**
 * Server functions of the audit trail as they write intents since version 5: the row of the owner is locked
 * before those of claims, as everywhere, so that no two groups wait for each other.
 */
import { applyAudit } from './audit-functions.ts';
import { replacing } from './batch-function.ts';

const RENEWED_FIRST = `  -- Before the claims: other groups, too, take the row of the owner before any other.
  PERFORM renew_owner(me);
`;

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

${replacing(applyAudit({ first: RENEWED_FIRST }))}
`;
