/**
 * Asks the person at the terminal. Only an answer typed after the question was on the screen
 * counts; everything but a clear yes, silence included, is a no. Without a terminal the call is
 * left pending.
 */
import pc from 'picocolors';
import type { ApprovalRequest, Approver, Decision, Remember } from '../../contract/approver.ts';
import { createOneAtATime } from '../../kit/data/bounded-work.ts';
import { visibleItem } from '../../kit/text/visible-text.ts';
import { approvalPage } from './approval-page.ts';
import { askEdit } from './ask-edit.ts';
import { askPattern } from './ask-pattern.ts';
import { flowQuestion } from './flow-question.ts';
import { readLines } from './line-reader.ts';
import { promptPage } from './prompt-page.ts';
import {
  ask,
  type Dialog,
  say,
  settle,
  sizeOf,
  type TerminalApproverOptions,
} from './terminal-dialog.ts';

const MAX_TRIES = 3;
/** The longest a Node timer can run. */
const MAX_DELAY_MS = 2_147_483_647;

type Answer = Omit<Decision, 'by'>;
type Choice = 'approve' | 'deny' | 'later' | 'view' | 'session' | 'pattern' | 'edit';

const CHOICES: ReadonlyMap<string, Choice> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['', 'deny'],
  ['n', 'deny'],
  ['no', 'deny'],
  ['l', 'later'],
  ['later', 'later'],
  ['v', 'view'],
  ['s', 'session'],
  ['p', 'pattern'],
  ['e', 'edit'],
]);

const DENIED: Answer = { answer: 'deny' };

const rememberedText = (remember: Remember, { tool, caller }: ApprovalRequest): string =>
  remember.scope === 'session'
    ? `${tool}, this action, runs unasked in session ${caller.sessionId}, for a day at most`
    : `${tool}, this action, runs unasked where the condition holds`;

const outcomeOf = ({ answer, remember, input }: Answer, request: ApprovalRequest): string => {
  if (answer === 'deny') return 'Denied.';
  if (answer === 'later') return 'Left pending.';
  if (remember) {
    const what = visibleItem(rememberedText(remember, request));
    return `Approved. ${what}: toolcrib permissions list`;
  }
  return input === undefined ? 'Approved, this once.' : 'Approved with the new input, this once.';
};

/** Shows the whole call screen by screen; anything but Enter goes back to the question. */
const viewAll = async (dialog: Dialog): Promise<void> => {
  const { columns, rows } = sizeOf(dialog.options);
  const now = dialog.options.runtime.now();
  const { lines } = approvalPage(dialog.request, { now, width: columns, full: true });
  const size = Math.max(5, rows - 2);
  for (let from = 0; ; from += size) {
    say(dialog, ...lines.slice(from, from + size));
    const left = lines.length - from - size;
    if (left <= 0) return;
    if ((await ask(dialog, `${left} more lines: Enter goes on, q stops`)) !== '') return;
  }
};

/** Lists the answers that this question accepts. */
const offered = ({ request, options }: Dialog): ReadonlyMap<Choice, string> =>
  new Map<Choice, string>([
    ['approve', 'y = yes, once'],
    ['deny', 'n = no'],
    ['later', 'l = later'],
    ['view', 'v = view all'],
    ...(request.rememberable
      ? ([
          ['session', 's = yes, and for this session, 24 hours at most'],
          ['pattern', 'p = yes, and always by pattern'],
        ] as const)
      : []),
    // The words of a flow are not the person's to change.
    ...(options.readInput && !flowQuestion(request)
      ? ([['edit', 'e = edit, then yes']] as const)
      : []),
  ]);

/** Carries out a choice; `undefined` asks the question again. */
const follow = async (dialog: Dialog, choice: Choice): Promise<Answer | undefined> => {
  const { readInput } = dialog.options;
  switch (choice) {
    case 'view':
      await viewAll(dialog);
      return undefined;
    case 'session':
      return { answer: 'approve', remember: { scope: 'session' } };
    case 'pattern':
      return askPattern(dialog);
    case 'edit':
      return readInput && askEdit(dialog, readInput);
    default:
      return { answer: choice };
  }
};

const refuseTyped = (dialog: Dialog, choice: Choice | undefined): void =>
  say(
    dialog,
    choice === 'session' || choice === 'pattern'
      ? '  This is asked every time: the answer cannot be remembered.'
      : '  Please answer with one of the letters.',
  );

const question = async (dialog: Dialog): Promise<Answer> => {
  const choices = offered(dialog);
  const prompt = `Approve this call? ${[...choices.values()].join(' · ')}`;
  for (let tries = 0; tries < MAX_TRIES; ) {
    const line = await ask(dialog, prompt);
    if (line === undefined) return DENIED;
    const choice = CHOICES.get(line.trim().toLowerCase());
    if (choice === undefined || !choices.has(choice)) {
      tries += 1;
      refuseTyped(dialog, choice);
      continue;
    }
    const answer = await follow(dialog, choice);
    if (answer) return answer;
  }
  return DENIED;
};

const askOnPage = async (dialog: Dialog): Promise<Answer> => {
  const { options, request } = dialog;
  const { columns, rows } = sizeOf(options);
  const ink = pc.createColors(options.colour ?? false);
  const now = options.runtime.now();
  const page = promptPage(request, { now, width: columns, rows });
  say(dialog, '', ink.bold(ink.yellow('Approval needed')), ...page.lines, '');
  if (page.hidden > 0) {
    const hidden = page.hidden.toLocaleString('en-US');
    say(dialog, ink.bold(`  ${hidden} characters of this call are not on this page: v shows all.`));
  }
  await settle(dialog);
  return question(dialog);
};

/** Ends the wait for an answer when the call is cancelled or the request expires. */
const stopWhenOver = (
  options: TerminalApproverOptions,
  request: ApprovalRequest,
  stop: { readonly signal: AbortSignal; run(): void },
): (() => void) => {
  const left = request.expiresAt - options.runtime.now();
  const timer = options.runtime.after(Math.min(Math.max(left, 0), MAX_DELAY_MS), () => stop.run());
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
  const { by } = options;
  if (signal.aborted) return { answer: 'deny', by, note: 'cancelled' };
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
    const answer = await askOnPage({ options, request, reader });
    const final = stopped ? DENIED : answer;
    const isExpired = request.expiresAt <= options.runtime.now();
    // The caller reports the cancellation.
    if (signal.aborted && !isExpired) say({ options }, '');
    else
      say({ options }, stopped ? '\n  No answer in time.' : '', `  ${outcomeOf(final, request)}`);
    return { ...final, by };
  } finally {
    release();
    reader.stop();
    options.onQuestion?.(false);
  }
};

/** Creates an approver that asks one question at a time, in the order they came. */
export const createTerminalApprover = (options: TerminalApproverOptions): Approver => {
  const oneAtATime = createOneAtATime();
  return {
    ask: (request, signal) => {
      if (options.input.isTTY !== true || options.output.isTTY !== true) {
        return Promise.resolve({ answer: 'later', by: options.by, note: 'no terminal' });
      }
      return oneAtATime('terminal', () => askOnce(options, request, signal));
    },
  };
};
