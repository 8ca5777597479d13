/** The server function of a write group: takes the lock of the group, then applies a batch in order. */

/** Writes `apply_<group>`. `branches` are those of a CASE over the name of an operation. */
export const batchFunction = (group: string, branches: readonly string[]): string =>
  dispatcher(group, `PERFORM take_lane('${group}');`, branches);

/** Writes it for rows that belong to a process, which shows with each batch that it is alive. */
export const ownedBatchFunction = (group: string, branches: readonly string[]): string =>
  dispatcher(group, `PERFORM take_lane('${group}');\n  PERFORM renew_owner(me);`, branches);

/** Writes functions that take the place of those that an earlier migration made. */
export const replacing = (functions: string): string =>
  functions.replaceAll(/^CREATE FUNCTION/gm, 'CREATE OR REPLACE FUNCTION');

const dispatcher = (group: string, start: string, branches: readonly string[]): string =>
  `CREATE FUNCTION apply_${group}(operations jsonb, me jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql
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
