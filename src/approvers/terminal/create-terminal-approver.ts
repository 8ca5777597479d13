/**
 * Asks the person at the terminal. Only a `y` typed after the question was on the screen approves;
 * everything else, silence included, is a no. Without a terminal the call is left pending.
 */
import pc from 'picocolors';
import type { ApprovalRequest, Approver, Decision } from '../../contract/approver.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { approvalPage } from './approval-page.ts';
import { type LineReader, readLines } from './line-reader.ts';

export interface TerminalApproverOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  /** Who answers, for the audit trail. */
  readonly by: string;
  readonly colour?: boolean;
  /** What is typed sooner than this after the page appears was not meant for it. */
  readonly settleMs?: number;
  /** Whatever else draws on the terminal is stopped while a question is open. */
  onQuestion?(open: boolean): void;
}

const SETTLE_MS = 250;
const TRIES = 3;
/** The longest a Node timer can run. */
const MAX_DELAY = 2_147_483_647;

type Answer = Decision['answer'];

const ANSWERS: ReadonlyMap<string, Answer | 'view'> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['', 'deny'],
  ['n', 'deny'],
  ['no', 'deny'],
  ['l', 'later'],
  ['later', 'later'],
  ['v', 'view'],
]);

const SAID: Readonly<Record<Answer, string>> = {
  approve: 'Approved, this once.',
  deny: 'Denied.',
  later: 'Left pending.',
};

const sleep = (options: TerminalApproverOptions, ms: number): Promise<void> =>
  new Promise((resolve) => {
    options.runtime.after(ms, resolve);
  });

const show = (options: TerminalApproverOptions, lines: readonly string[]): void => {
  options.output.write(`${lines.join('\n')}\n`);
};

/** A terminal that does not know its size says 0. */
const sizeOf = ({ output }: TerminalApproverOptions): { columns: number; rows: number } => ({
  columns: output.columns || 80,
  rows: output.rows || 24,
});

/** Screen by screen; anything but Enter goes back to the question. */
const viewAll = async (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  reader: LineReader,
): Promise<void> => {
  const { columns, rows } = sizeOf(options);
  const { lines } = approvalPage(request, {
    now: options.runtime.now(),
    width: columns,
    full: true,
  });
  const size = Math.max(5, rows - 2);
  for (let from = 0; from < lines.length; from += size) {
    show(options, lines.slice(from, from + size));
    if (from + size >= lines.length) return;
    options.output.write(`  ${lines.length - from - size} more lines: Enter goes on, q stops > `);
    if ((await reader.next()) !== '') return;
  }
};

const question = async (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  reader: LineReader,
): Promise<Answer> => {
  for (let tries = 0; tries < TRIES; ) {
    options.output.write(
      '  Approve this call? y = yes, once · n = no · l = later · v = view all > ',
    );
    const line = await reader.next();
    if (line === undefined) return 'deny';
    const answer = ANSWERS.get(line.trim().toLowerCase());
    if (answer === 'view') await viewAll(options, request, reader);
    else if (answer !== undefined) return answer;
    else {
      tries += 1;
      show(options, ['  Please answer with y, n, l or v.']);
    }
  }
  return 'deny';
};

const converse = async (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  reader: LineReader,
): Promise<Answer> => {
  const { columns } = sizeOf(options);
  const ink = pc.createColors(options.colour ?? false);
  const now = options.runtime.now();
  const page = approvalPage(request, { now, width: columns, full: false });
  show(options, ['', ink.bold(ink.yellow('Approval needed')), ...page.lines, '']);
  if (page.hidden > 0) {
    const hidden = page.hidden.toLocaleString('en-US');
    show(options, [ink.bold(`  ${hidden} characters of this call are not on this page.`)]);
  }
  await sleep(options, options.settleMs ?? SETTLE_MS);
  reader.forget();
  return question(options, request, reader);
};

/** Ends the wait for an answer when the call is cancelled or the request expires. */
const stopWhenOver = (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  stop: { readonly signal: AbortSignal; run(): void },
): (() => void) => {
  const left = request.expiresAt - options.runtime.now();
  const timer = options.runtime.after(Math.min(Math.max(left, 0), MAX_DELAY), () => stop.run());
  const onAbort = () => stop.run();
  stop.signal.addEventListener('abort', onAbort);
  return () => {
    timer.cancel();
    stop.signal.removeEventListener('abort', onAbort);
  };
};

const askOnce = async (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<Decision> => {
  if (signal.aborted) return { answer: 'deny', by: options.by, note: 'cancelled' };
  const reader = readLines(options.input);
  let stopped = false;
  const release = stopWhenOver(options, request, {
    signal,
    run: () => {
      stopped = true;
      reader.stop();
    },
  });
  options.onQuestion?.(true);
  try {
    const answer = await converse(options, request, reader);
    const final = stopped ? 'deny' : answer;
    show(options, [stopped ? '\n  No answer in time.' : '', `  ${SAID[final]}`]);
    return { answer: final, by: options.by };
  } finally {
    release();
    reader.stop();
    options.onQuestion?.(false);
  }
};

/** One question at a time, in the order they came. */
export const createTerminalApprover = (options: TerminalApproverOptions): Approver => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask: (request, signal) => {
      if (options.input.isTTY !== true || options.output.isTTY !== true) {
        return Promise.resolve({ answer: 'later', by: options.by, note: 'no terminal' });
      }
      const turn = last.then(() => askOnce(options, request, signal));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
};
