/** The server function of a table's writes: takes the lock of the table, then applies a batch in order. */

/** Writes `apply_<lane>`. `branches` are those of a CASE over the name of an operation. */
export const batchFunction = (lane: string, branches: readonly string[]): string =>
  dispatcher(lane, `PERFORM take_lane('${lane}');`, branches);

/** Writes it for rows that belong to a process, which shows with each batch that it is alive. */
export const ownedBatchFunction = (lane: string, branches: readonly string[]): string =>
  dispatcher(lane, `PERFORM take_lane('${lane}');\n  PERFORM renew_owner(me);`, branches);

const dispatcher = (lane: string, start: string, branches: readonly string[]): string =>
  `CREATE FUNCTION apply_${lane}(operations jsonb, me jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
SET search_path = "SCHEMA_NAME", pg_temp SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  op jsonb;
BEGIN
  ${start}
  FOR op IN SELECT value FROM jsonb_array_elements(operations) LOOP
    RETURN NEXT CASE op->>'op'
      ${branches.join('\n      ')} END;
  END LOOP;
END $$;
`;
