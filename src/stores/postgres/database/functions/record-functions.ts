/** Server functions of what people decide: approvals, grants and tokens; and of what tools remember. */
import { batchFunction } from './batch-function.ts';

export const RECORD_FUNCTIONS = `
CREATE FUNCTION add_approval(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO approvals (id, created_at, expires_at, user_id, call_key, state, decided_by,
    decided_at, record)
  VALUES (op->>'id', (op->>'createdAt')::float8, (op->>'expiresAt')::float8, op->>'userId',
    op->>'callKey', op->>'state', op->>'decidedBy', (op->>'decidedAt')::float8, op->>'record')
  ON CONFLICT (id) DO NOTHING;
  RETURN FOUND;
END $$;

CREATE FUNCTION park_approval(op jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  moment float8 := (op->>'now')::float8;
  same approvals;
BEGIN
  UPDATE approvals SET state = 'denied', decided_by = op->>'nobody', decided_at = moment
  WHERE state = 'waiting' AND expires_at <= moment;
  IF (op->>'reuse')::boolean THEN
    SELECT * INTO same FROM approvals WHERE call_key = coalesce(op->>'callKey', '')
    AND state = 'waiting' ORDER BY created_at DESC, position DESC LIMIT 1;
    IF FOUND THEN RETURN jsonb_build_object('state', 'same', 'row', to_jsonb(same)); END IF;
  END IF;
  IF (SELECT count(*) FROM approvals WHERE state = 'waiting' AND user_id = op->>'userId')
    >= (op->>'maxWaiting')::float8 THEN RETURN '{"state":"full"}'; END IF;
  IF NOT add_approval(op) THEN RETURN '{"state":"taken"}'; END IF;
  RETURN '{"state":"parked"}';
END $$;

CREATE FUNCTION decide_approval(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE approvals SET state = op->>'state', decided_by = op->>'by',
    decided_at = (op->>'at')::float8, decision = op->>'decision'
  WHERE id = op->>'id' AND state = 'waiting';
  RETURN FOUND;
END $$;

CREATE FUNCTION use_approval(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE approvals SET state = 'used' WHERE id = op->>'id' AND state = 'approved'
    AND expires_at > (op->>'now')::float8;
  RETURN FOUND;
END $$;

CREATE FUNCTION add_grant(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO grants (id, created_at, expires_at, record) VALUES (op->>'id',
    (op->>'createdAt')::float8, (op->>'expiresAt')::float8, op->>'record')
  ON CONFLICT (id) DO NOTHING;
  RETURN FOUND;
END $$;

CREATE FUNCTION revoke_grant(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM grants WHERE id = op->>'id';
  RETURN FOUND;
END $$;

CREATE FUNCTION add_token(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tokens (id, revoked_at, last_used_at, record) VALUES (op->>'id',
    (op->>'revokedAt')::float8, (op->>'lastUsedAt')::float8, op->>'record')
  ON CONFLICT (id) DO NOTHING;
  RETURN FOUND;
END $$;

CREATE FUNCTION revoke_token(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tokens SET revoked_at = (op->>'at')::float8 WHERE id = op->>'id' AND revoked_at IS NULL;
  RETURN FOUND;
END $$;

CREATE FUNCTION touch_token(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tokens SET last_used_at = (op->>'at')::float8 WHERE id = op->>'id';
  RETURN FOUND;
END $$;

-- Replaces a value if it is still the one that was read, and live or absent as it was then. The row is
-- locked, because plain writes do not take the lane.
CREATE FUNCTION exchange_item(op jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  line memory;
  moment float8 := (op->>'now')::float8;
BEGIN
  SELECT * INTO line FROM memory WHERE space = op->>'space' AND key = op->>'key' FOR UPDATE;
  IF NOT FOUND THEN
    IF op->>'before' IS NOT NULL THEN RETURN false; END IF;
    IF op->>'after' IS NULL THEN RETURN true; END IF;
    INSERT INTO memory VALUES (op->>'space', op->>'key', op->>'after', NULL)
    ON CONFLICT (space, key) DO NOTHING;
    RETURN FOUND;
  END IF;
  IF line.expires_at <= moment THEN line.value := NULL; line.expires_at := NULL; END IF;
  IF line.value IS DISTINCT FROM op->>'before' THEN RETURN false; END IF;
  IF op->>'after' IS NULL THEN
    DELETE FROM memory WHERE space = op->>'space' AND key = op->>'key';
  ELSE
    UPDATE memory SET value = op->>'after', expires_at = line.expires_at
    WHERE space = op->>'space' AND key = op->>'key';
  END IF;
  DELETE FROM memory WHERE (space, key) IN (SELECT space, key FROM memory
    WHERE expires_at <= moment ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
  RETURN true;
END $$;

${batchFunction('records', [
  "WHEN 'create' THEN to_jsonb(add_approval(op))",
  "WHEN 'park' THEN park_approval(op)",
  "WHEN 'decide' THEN to_jsonb(decide_approval(op))",
  "WHEN 'use' THEN to_jsonb(use_approval(op))",
  "WHEN 'add grant' THEN to_jsonb(add_grant(op))",
  "WHEN 'revoke grant' THEN to_jsonb(revoke_grant(op))",
  "WHEN 'add token' THEN to_jsonb(add_token(op))",
  "WHEN 'revoke token' THEN to_jsonb(revoke_token(op))",
  "WHEN 'touch token' THEN to_jsonb(touch_token(op))",
  "WHEN 'exchange' THEN to_jsonb(exchange_item(op))",
])}`;
