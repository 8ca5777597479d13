/** Finds the id of a call on record from what was typed: the whole id, or a beginning that no other has. */
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { byStart } from './by-start.ts';

const ROWS_AT_ONCE = 1000;
/** How far back in the record a shortened id is looked for. */
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

/** Fails with NOT_FOUND. */
export const findExecution = async (crib: CribHost, typed: string): Promise<string> => {
  const { audit } = await crib.store();
  const [row] = typed === '' ? [] : await audit.query({ executionId: typed, limit: 1 });
  if (row) return typed;
  const found = byStart(await recentIds(crib), typed, (id) => id);
  if (found !== undefined && found !== '') return found;
  throw new ToolFailure('NOT_FOUND', 'There is no call with that execution id.', {
    suggestions: ['See which there are: toolcrib audit list'],
  });
};
