/** Finds how far a trail can be pruned: old enough, and through no call. */
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import type { AuditHead } from './checkpoint.ts';

/** Tracks the calls that are under way from row to row. */
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

async function* oldRows(log: AuditLog, before: number): AsyncIterable<AuditRow> {
  for await (const page of log.scan()) {
    for (const row of page) {
      if (row.at >= before) return;
      yield row;
    }
  }
}

/**
 * Finds cuts, oldest first, about `step` rows apart. A cut separates no intent from its outcome and
 * leaves no open call behind. Clocks may go back: the old part ends with the first row that is not
 * old. Rows up to a cut may be pruned before the next one is requested.
 */
export async function* cutsOf(
  log: AuditLog,
  before: number,
  step: number,
): AsyncIterable<AuditHead> {
  const calls = new OpenCalls();
  let cut: AuditHead | undefined;
  let since = 0;
  for await (const row of oldRows(log, before)) {
    calls.take(row);
    since += 1;
    if (calls.none) cut = { seq: row.seq, hash: row.hash };
    if (!cut || since < step) continue;
    yield cut;
    cut = undefined;
    since = 0;
  }
  if (cut) yield cut;
}

/** Lists all cuts before anything is pruned. */
export const findCuts = async (
  log: AuditLog,
  before: number,
  step: number,
): Promise<readonly AuditHead[]> => {
  const cuts: AuditHead[] = [];
  for await (const cut of cutsOf(log, before, step)) cuts.push(cut);
  return cuts;
};
