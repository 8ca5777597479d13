/**
 * Prunes in the background, in small steps that read only the rows that go, so that a large trail
 * costs no more than a small one. Each step verifies its rows, signs an anchor in their place and
 * records it in the trail.
 */
import type { AuditCheckpoint, AuditLog, AuditRow } from '../../contract/audit.ts';
import type { Store } from '../../contract/store.ts';
import { type AuditHead, makeAnchor } from './checkpoint.ts';
import { cutsOf } from './find-cuts.ts';
import { notSound, type Pruned, type PruneOptions, pruneEvent } from './prune-audit.ts';
import { verifyAudit } from './verify-audit.ts';

export interface OldRowsOptions extends Pick<PruneOptions, 'before' | 'key' | 'at' | 'step'> {
  readonly checkpoints: readonly AuditCheckpoint[];
  /** For the event: the setting that asked for it. */
  readonly setting: string;
  /** Resolves when the next step may begin; false stops. */
  shouldContinue(): Promise<boolean>;
}

export interface OldRowsPruned extends Pruned {
  /** False when it was stopped: there is more. */
  readonly isDone: boolean;
}

/** One page of the trail: a few milliseconds of work between two turns of the event loop. */
const STEP = 1000;

type Trail = Pick<Store, 'audit' | 'label'>;

async function* rowsThrough(log: AuditLog, last: number): AsyncIterable<readonly AuditRow[]> {
  for await (const page of log.scan()) {
    yield page.filter(({ seq }) => seq <= last);
    if (page.some(({ seq }) => seq >= last)) return;
  }
}

/** Throws for a trail that was cut off, restored or rewritten; the newest checkpoint shows it. */
const assertAsNoted = async (
  { audit }: Trail,
  { checkpoints }: OldRowsOptions,
  start: number,
): Promise<void> => {
  const newest = checkpoints.reduce<AuditCheckpoint | undefined>(
    (last, note) => (note.seq > (last?.seq ?? start) ? note : last),
    undefined,
  );
  if (!newest) return;
  const [row] = await audit.query({ seq: newest.seq, limit: 1 });
  if (row?.hash !== newest.hash) throw notSound(`Row ${newest.seq} is not as it was noted.`);
};

/** Verifies the rows of a step: the current anchor vouches for what came before. */
const assertPart = async (
  { audit }: Trail,
  { anchor, cut }: { readonly anchor: AuditCheckpoint | undefined; readonly cut: AuditHead },
  { checkpoints, key }: OldRowsOptions,
): Promise<void> => {
  const start = anchor?.seq ?? 0;
  const { problem } = await verifyAudit(rowsThrough(audit, cut.seq), {
    anchor,
    expected: cut,
    checkpoints: checkpoints.filter(({ seq }) => seq >= start && seq <= cut.seq),
    trustedKeys: [key.publicKey],
  });
  if (problem) throw notSound(problem.message);
};

/**
 * Prunes and gives what was pruned. Throws CONFLICT when the rows are not sound or another process
 * prunes meanwhile; what was pruned until then is in the trail as an event.
 */
export const pruneOldRows = async (
  store: Trail,
  options: OldRowsOptions,
): Promise<OldRowsPruned> => {
  const { audit, label } = store;
  const { before, key, at, step = STEP, shouldContinue } = options;
  let anchor = await audit.anchor();
  let pruned: Pruned = { rows: 0, throughSeq: 0 };
  await assertAsNoted(store, options, anchor?.seq ?? 0);
  for await (const cut of cutsOf(audit, before, step)) {
    if (pruned.rows > 0 && !(await shouldContinue())) return { ...pruned, isDone: false };
    await assertPart(store, { anchor, cut }, options);
    anchor = makeAnchor(cut, { at, store: label, key });
    const rows = await audit.prune(anchor);
    await audit.append(pruneEvent({ rows, throughSeq: cut.seq }, options));
    pruned = { rows: pruned.rows + rows, throughSeq: cut.seq };
  }
  return { ...pruned, isDone: true };
};
