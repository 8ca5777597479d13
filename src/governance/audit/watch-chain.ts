/**
 * Keeps an eye on the chain of the trail without walking all of it each time: every look verifies the rows
 * that are new, and the next few thousand older ones, over and over.
 */
import type {
  AuditCheckpoint,
  AuditLog,
  AuditRow,
  AuditVerification,
} from '../../contract/audit.ts';
import { type AuditHead, checkCheckpoint, EMPTY_HEAD } from './checkpoint.ts';
import { verifyAudit } from './verify-audit.ts';

/** They take less than a tenth of a second. */
const MAX_ROWS = 5000;

export interface WatchChainDeps {
  readonly audit: Pick<AuditLog, 'scan' | 'query' | 'head' | 'anchor'>;
  /** Reads the public keys whose anchors count. */
  trustedKeys(): Promise<readonly string[]>;
  readonly maxRows?: number;
}

type Problem = NonNullable<AuditVerification['problem']>;

async function* firstRows(
  pages: AsyncIterable<readonly AuditRow[]>,
  max: number,
): AsyncIterable<readonly AuditRow[]> {
  let left = max;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

export class ChainWatch {
  readonly #deps: WatchChainDeps;
  /** How far the round over all rows has come; nothing at its start. */
  #round: AuditHead | undefined = undefined;
  /** The newest row that was seen: it must stay as it was. */
  #newest: AuditHead | undefined = undefined;
  /** What the round over all rows found, until a later one has passed it. */
  #lastProblem: Problem | undefined = undefined;

  constructor(deps: WatchChainDeps) {
    this.#deps = deps;
  }

  /** Verifies what is new and some of what is old; gives the problem that there is. */
  async look(): Promise<Problem | undefined> {
    const anchor = await this.#deps.audit.anchor();
    const problem = (await this.#anchorProblem(anchor)) ?? (await this.#newestProblem(anchor));
    await this.#walk(anchor);
    return problem ?? this.#lastProblem;
  }

  async #anchorProblem(anchor: AuditCheckpoint | undefined): Promise<Problem | undefined> {
    if (!anchor) return undefined;
    const wrong = checkCheckpoint(anchor, await this.#deps.trustedKeys(), 'anchor');
    if (wrong === undefined) return undefined;
    const message = `The anchor at row ${anchor.seq} ${wrong}.`;
    return { kind: 'bad-checkpoint', seq: anchor.seq, message };
  }

  /** Checks that the newest row of the last look is as it was, and that the rows after it are bound to it. */
  async #newestProblem(anchor: AuditCheckpoint | undefined): Promise<Problem | undefined> {
    const { audit, maxRows = MAX_ROWS } = this.#deps;
    const newest = this.#newest;
    if (!newest || newest.seq <= (anchor?.seq ?? 0)) {
      this.#newest = await audit.head();
      return undefined;
    }
    const { seq } = newest;
    const [row] = await audit.query({ seq, limit: 1 });
    if (!row) {
      const message = `Row ${seq} was there earlier: the end of the log was cut off.`;
      return { kind: 'truncated', seq, message };
    }
    if (row.hash !== newest.hash) {
      const message = `Row ${seq} is not the row that it was: the log was rewritten.`;
      return { kind: 'edited', seq, message };
    }
    const rows = firstRows(audit.scan(seq + 1), maxRows);
    const { head, problem } = await verifyAudit(rows, { start: newest });
    this.#newest = head;
    return problem;
  }

  /** Goes on with the round over all rows, and begins the next one at its end. */
  async #walk(anchor: AuditCheckpoint | undefined): Promise<void> {
    const { audit, maxRows = MAX_ROWS } = this.#deps;
    const first = anchor ?? EMPTY_HEAD;
    const start = this.#round && this.#round.seq >= first.seq ? this.#round : first;
    const rows = firstRows(audit.scan(start.seq + 1), maxRows);
    const { head = start, problem, rows: count } = await verifyAudit(rows, { start });
    if (problem) {
      // Rows that were pruned meanwhile are not missing.
      if ((await audit.anchor())?.seq === anchor?.seq) this.#lastProblem = problem;
      this.#round = undefined;
      return;
    }
    const isEnd = count < maxRows;
    if (isEnd || head.seq >= (this.#lastProblem?.seq ?? 0)) this.#lastProblem = undefined;
    this.#round = isEnd ? undefined : head;
  }
}
