/** Server functions of owners and of the locks of write groups. All times are those of the server's clock. */
export const OWNER_FUNCTIONS = `
CREATE FUNCTION is_alive(owner_id text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (SELECT 1 FROM owners
    WHERE id = owner_id AND heartbeat_at > clock_timestamp() - lease_ms * interval '1 ms')
$$;

-- Takes a lane until the transaction ends, and counts the commit.
CREATE FUNCTION take_lane(lane text) RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE lanes SET version = version + 1 WHERE name = lane
$$;

-- Puts an owner on record or renews its lease, unless that was done a moment ago.
CREATE FUNCTION renew_owner(me jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM owners WHERE id = me->>'id'
    AND heartbeat_at > clock_timestamp() - lease_ms / 3 * interval '1 ms';
  IF FOUND THEN RETURN; END IF;
  INSERT INTO owners (id, place, pid, lease_ms, heartbeat_at)
  VALUES (me->>'id', me->>'place', (me->>'pid')::integer, (me->>'leaseMs')::float8, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at;
END $$;

CREATE FUNCTION enter_owner(me jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp AS $$
BEGIN
  INSERT INTO owners (id, place, pid, lease_ms, heartbeat_at)
  VALUES (me->>'id', me->>'place', (me->>'pid')::integer, (me->>'leaseMs')::float8, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at;
  -- An owner without a row counts as gone, too.
  DELETE FROM owners WHERE id IN (SELECT id FROM owners
    WHERE heartbeat_at < clock_timestamp() - greatest(10 * lease_ms, 3600000) * interval '1 ms'
    FOR UPDATE SKIP LOCKED);
END $$;
`;
