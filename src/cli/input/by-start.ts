/** Finds entries by ids that may be shortened to a unique beginning. */
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';

const ROWS_AT_ONCE = 1000;
/** How many rows of the record are searched for a shortened id. */
const MAX_ROWS = 50_000;

const recentIds = async (crib: CribHost): Promise<readonly string[]> => {
  const { audit } = await crib.store();
  const ids = new Set<string>();
  let before: number | undefined;
  for (let read = 0; read < MAX_ROWS; read += ROWS_AT_ONCE) {
    const page = { limit: ROWS_AT_ONCE, ...(before !== undefined && { before }) };
    const rows = await audit.query(page);
    for (const { executionId } of rows) ids.add(executionId);
    before = rows.at(-1)?.seq;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  return [...ids];
};

/** Finds the full id of a call on record. Fails with NOT_FOUND. */
export const findExecution = async (crib: CribHost, typed: string): Promise<string> => {
  const { audit } = await crib.store();
  const [row] = typed === '' ? [] : await audit.query({ executionId: typed, limit: 1 });
  if (row) return typed;
  const match = byStart(await recentIds(crib), typed, (id) => id);
  if (match !== undefined && match !== '') return match;
  throw new ToolFailure('NOT_FOUND', 'There is no call with that execution id.', {
    suggestions: ['See which there are: toolcrib audit list'],
  });
};

/** A shorter beginning is treated as a typing error. */
const MIN_START = 4;

/** Finds the entry with that id, or the only one whose id begins with it. Fails when several do. */
export const byStart = <T>(
  entries: readonly T[],
  typed: string,
  idOf: (entry: T) => string,
): T | undefined => {
  const exact = entries.find((entry) => idOf(entry) === typed);
  if (exact !== undefined || typed.length < MIN_START) return exact;
  const close = entries.filter((entry) => idOf(entry).startsWith(typed));
  if (new Set(close.map(idOf)).size > 1) {
    throw new ToolFailure('VALIDATION_ERROR', 'Several ids begin like that: type more characters.');
  }
  return close[0];
};
