/**
 * Verifies the audit chain: finds the first row that was edited, removed, moved or cut off, and
 * with checkpoints also a trail that was rewritten or restored. It shares no code with the stores
 * that write the chain; both follow docs/audit-format.md.
 */
import { hash } from 'node:crypto';
import type {
  AuditCheckpoint,
  AuditLog,
  AuditRow,
  AuditVerification,
} from '../../contract/audit.ts';
import { type AuditHead, checkCheckpoint, EMPTY_HEAD } from './checkpoint.ts';

/** An entry that is no row, described in words: `Line 7 is cut off`. */
export interface UnreadableRow {
  readonly unreadable: string;
}

export interface VerifyOptions {
  /** A head noted earlier. */
  readonly expected?: AuditHead | undefined;
  /** Signed ones; each has to fit. Those of rows that were pruned have nothing left to fit. */
  readonly checkpoints?: readonly AuditCheckpoint[];
  /** Public keys whose checkpoints and anchors count. None when absent. */
  readonly trustedKeys?: readonly string[];
  /** A row that the caller has verified itself: those after it are read. */
  readonly start?: AuditHead | undefined;
  /** Where a pruned trail begins. */
  readonly anchor?: AuditCheckpoint | undefined;
  /** Anchors on the way, where archives follow each other: each has to fit, too. */
  readonly anchors?: readonly AuditCheckpoint[];
}

type Problem = NonNullable<AuditVerification['problem']>;

/** Computes the hash of a row after the one before it; `undefined` when that is impossible. */
const hashAfter = (previous: string, row: AuditRow): string | undefined => {
  try {
    const fields = [
      row.seq,
      row.at,
      row.kind,
      row.executionId,
      row.tool,
      row.version,
      row.tier,
      row.userId,
      row.agentId,
      row.sessionId,
      row.status,
      row.code,
      row.durationMs,
      row.costMicros,
      JSON.stringify(row.detail),
    ];
    return hash('sha256', `${previous}\n${JSON.stringify(fields)}`, 'hex');
  } catch {
    return undefined;
  }
};

const edited = (seq: number, message: string): Problem => ({ kind: 'edited', seq, message });

const orderProblem = (last: AuditHead, row: AuditRow, start: AuditHead): Problem | undefined => {
  const expectedSeq = last.seq + 1;
  if (row.seq === expectedSeq) return undefined;
  if (last !== start) {
    const message = `Row ${expectedSeq} is not where it belongs: row ${last.seq} is followed by row ${row.seq}. A row was removed, added or moved.`;
    return { kind: 'gap', seq: expectedSeq, message };
  }
  const message = `The log starts with row ${row.seq} instead of row ${expectedSeq}: its beginning is missing.`;
  return { kind: 'bad-start', seq: row.seq, message };
};

const noteProblem = ({
  anchor,
  anchors = [],
  checkpoints = [],
  trustedKeys = [],
}: VerifyOptions): Problem | undefined => {
  for (const note of anchor ? [anchor, ...anchors] : anchors) {
    const wrong = checkCheckpoint(note, trustedKeys, 'anchor');
    if (wrong === undefined) continue;
    const message = `The anchor at row ${note.seq} ${wrong}. Rows before it may have been removed without leave.`;
    return { kind: 'bad-checkpoint', seq: note.seq, message };
  }
  for (const note of checkpoints) {
    const wrong = checkCheckpoint(note, trustedKeys);
    if (wrong === undefined) continue;
    const message = `The checkpoint of row ${note.seq} ${wrong}. It proves nothing.`;
    return { kind: 'bad-checkpoint', seq: note.seq, message };
  }
  return undefined;
};

/** Walks along one trail: how far it is sound, and what the rows must agree with. */
class Walk {
  readonly #start: AuditHead;
  /** Noted heads, by their row. */
  readonly #noted = new Map<number, string[]>();
  #farthest = 0;
  #last: AuditHead;
  #rows = 0;

  constructor({ start, anchor, anchors = [], expected, checkpoints = [] }: VerifyOptions) {
    this.#start = start ?? anchor ?? EMPTY_HEAD;
    this.#last = this.#start;
    for (const head of [...anchors, ...checkpoints, ...(expected ? [expected] : [])]) {
      this.#noted.set(head.seq, [...(this.#noted.get(head.seq) ?? []), head.hash]);
      this.#farthest = Math.max(this.#farthest, head.seq);
    }
  }

  /** Takes the row, or says why it cannot be the next one. */
  step(row: AuditRow | UnreadableRow): Problem | undefined {
    const expectedSeq = this.#last.seq + 1;
    if ('unreadable' in row) {
      return edited(expectedSeq, `Row ${expectedSeq} cannot be read. ${row.unreadable}.`);
    }
    const disorder = orderProblem(this.#last, row, this.#start);
    if (disorder) return disorder;
    if (hashAfter(this.#last.hash, row) !== row.hash) {
      return edited(
        row.seq,
        `Row ${row.seq} does not match its hash: it, or the row before it, was changed.`,
      );
    }
    const rewritten = this.#rewritten(row);
    if (rewritten) return rewritten;
    this.#last = { seq: row.seq, hash: row.hash };
    this.#rows += 1;
    return undefined;
  }

  #rewritten({ seq, hash }: AuditHead): Problem | undefined {
    const noted = this.#noted.get(seq);
    if (!noted || noted.every((one) => one === hash)) return undefined;
    const message = `Row ${seq} is not the row that was noted earlier: the log was rewritten up to it.`;
    return edited(seq, message);
  }

  /** Checks the start of the trail. */
  begin(): Problem | undefined {
    return this.#rewritten(this.#start);
  }

  end(): Problem | undefined {
    const { seq } = this.#last;
    if (this.#farthest <= seq) return undefined;
    const message = `The log ends with row ${seq}; row ${this.#farthest} was there earlier. Its end was cut off, or an older file was put in its place.`;
    return { kind: 'truncated', seq: seq + 1, message };
  }

  report(problem: Problem | undefined): AuditVerification {
    return {
      ok: problem === undefined,
      rows: this.#rows,
      head: this.#last.seq === 0 ? undefined : { seq: this.#last.seq, hash: this.#last.hash },
      ...(problem && { problem }),
    };
  }
}

/**
 * Reads the rows from the first on, or from the one after the anchor, oldest first. `rows` and `head`
 * tell how far the log is sound. A removed end, a restored older file and a whole rewrite show only
 * beside a head or a checkpoint that was noted earlier. Rejects when the rows cannot be read.
 */
export const verifyAudit = async (
  rows: AsyncIterable<readonly (AuditRow | UnreadableRow)[]>,
  options: VerifyOptions = {},
): Promise<AuditVerification> => {
  const forged = noteProblem(options);
  if (forged) return { ok: false, rows: 0, head: undefined, problem: forged };
  const walk = new Walk(options);
  const badStart = walk.begin();
  if (badStart) return walk.report(badStart);
  for await (const page of rows) {
    for (const row of page) {
      const problem = walk.step(row);
      if (problem) return walk.report(problem);
    }
  }
  return walk.report(walk.end());
};

export interface VerifyLogOptions extends Omit<VerifyOptions, 'anchor'> {
  /** Called with the number of rows read so far. */
  readonly onRows?: ((count: number) => void) | undefined;
}

const TRIES = 5;

async function* watched(log: AuditLog, onRows: VerifyLogOptions['onRows']) {
  let count = 0;
  for await (const page of log.scan()) {
    count += page.length;
    onRows?.(count);
    yield page;
  }
}

const isSame = (one: AuditCheckpoint | undefined, other: AuditCheckpoint | undefined): boolean =>
  one?.seq === other?.seq && one?.signature === other?.signature;

/**
 * Verifies the trail of a store, pruned or not, while others append to it and prune it. Pruning
 * meanwhile looks like a gap; then the reading starts again.
 */
export const verifyAuditLog = async (
  log: AuditLog,
  { onRows, ...options }: VerifyLogOptions = {},
): Promise<AuditVerification> => {
  for (let tries = 1; ; tries++) {
    const anchor = await log.anchor();
    const report = await verifyAudit(watched(log, onRows), { ...options, anchor });
    if (report.ok || tries === TRIES || isSame(anchor, await log.anchor())) return report;
  }
};
