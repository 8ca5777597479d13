/** Finds interrupted calls that may have changed something by calling another tool: the trail has its intent. */
import type { AuditLog } from '../../contract/audit.ts';

/** Limits the rows that are read to about a second's worth: the first call of a process waits for this. */
const MAX_ROWS = 100_000;

type Trail = Pick<AuditLog, 'query' | 'scan'>;

const firstIntent = async (trail: Trail, executionId: string): Promise<number | undefined> =>
  (await trail.query({ executionId, kind: 'intent' })).at(-1)?.seq;

/**
 * Returns those of the calls that made another one with an intent, and those of which the trail does not
 * tell. Whether the tool says that it calls others does not matter: any tool can.
 */
export const callsWithInner = async (
  trail: Trail,
  executionIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const asked = new Set(executionIds);
  const callers = new Set<string>();
  let from = Number.POSITIVE_INFINITY;
  for (const id of asked) {
    const seq = await firstIntent(trail, id);
    if (seq === undefined) callers.add(id);
    else from = Math.min(from, seq);
  }
  if (callers.size === asked.size) return callers;
  let rows = 0;
  for await (const page of trail.scan(from)) {
    rows += page.length;
    if (rows > MAX_ROWS) return asked;
    for (const { kind, detail } of page) {
      const { parent } = detail;
      if (kind === 'intent' && typeof parent === 'string' && asked.has(parent)) callers.add(parent);
    }
  }
  return callers;
};
