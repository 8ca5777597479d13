/** How far a trail can be pruned: old enough, and through no call. */
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import type { AuditHead } from './make-checkpoint.ts';

/** Follows which calls are under way from row to row. */
class OpenCalls {
  readonly #open = new Set<string>();

  take({ kind, executionId }: AuditRow): void {
    if (kind === 'intent') this.#open.add(executionId);
    else if (kind === 'outcome') this.#open.delete(executionId);
  }

  get none(): boolean {
    return this.#open.size === 0;
  }
}

/**
 * Where to cut, oldest first, about `step` rows apart; the last cut is as far as it goes. A cut leaves
 * no call with its intent on one side and its outcome on the other, or still open. Clocks may go
 * back: the old part ends with the first row that is not old.
 */
export const findCuts = async (
  log: AuditLog,
  before: number,
  step: number,
): Promise<readonly AuditHead[]> => {
  const calls = new OpenCalls();
  const cuts: AuditHead[] = [];
  let cut: AuditHead | undefined;
  let since = 0;
  const keep = (): void => {
    if (cut) cuts.push(cut);
    cut = undefined;
    since = 0;
  };
  for await (const page of log.scan()) {
    for (const row of page) {
      if (row.at >= before) {
        keep();
        return cuts;
      }
      calls.take(row);
      since += 1;
      if (calls.none) cut = { seq: row.seq, hash: row.hash };
      if (cut && since >= step) keep();
    }
  }
  keep();
  return cuts;
};
