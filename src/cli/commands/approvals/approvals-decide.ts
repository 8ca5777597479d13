/** `toolcrib approvals approve` and `deny`: a person's answer to a waiting call. */
import { type Command, Option } from 'commander';
import type { ApprovalAnswer, ApprovalRecord } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { exitCodeOf, printResult } from '../../output/print-result.ts';
import { localPerson } from '../../session/local-person.ts';
import { isUndoable } from '../../session/make-call.ts';
import { withStore } from '../../session/open-crib.ts';
import { type AnswerOptions, approvingAnswer, withAnswer } from './approval-answer.ts';
import {
  assertAwaited,
  CONTINUES,
  type Continuation,
  continuationOf,
  findApproval,
} from './waiting-approval.ts';

interface ApproveOptions extends AnswerOptions {
  readonly run?: boolean;
}

/** Finds the approval. Fails when it does not wait any more. */
const waitingRecord = async (io: Io, crib: Crib, id: string): Promise<ApprovalRecord> => {
  const record = await findApproval(crib, id);
  if (record.state !== 'waiting') {
    throw new ToolFailure('CONFLICT', `The approval is ${record.state} already.`);
  }
  if (record.expiresAt > io.runtime.now()) return record;
  throw new ToolFailure('APPROVAL_EXPIRED', 'The approval has expired.', {
    suggestions: ['Make the call again; it asks for a new approval.'],
  });
};

const decide = async (crib: Crib, record: ApprovalRecord, answer: ApprovalAnswer) => {
  if (await crib.approvals.decide(record.id, answer)) return;
  const { state } = await findApproval(crib, record.id);
  throw new ToolFailure('CONFLICT', `The approval is ${state} already.`);
};

const deny = (io: Io, id: string, options: Pick<AnswerOptions, 'note'>): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const record = await waitingRecord(io, crib, id);
    await decide(crib, record, { approve: false, by: localPerson(), ...options });
    if (io.json) printJson(io, { id: record.id, approved: false });
    else printDone(io, `Denied: ${visibleText(record.request.tool)}. The call will not run.`);
    return 0;
  });

const runNow = async (io: Io, crib: Crib, { id, request }: ApprovalRecord): Promise<number> => {
  const { tool, version, input, caller } = request;
  const result = await crib.execute(tool, input, { ...caller, version, approvalId: id });
  const undoable = !io.json && (await isUndoable(crib, result));
  printResult(io, result, { quiet: false, dryRun: false, undoable });
  return exitCodeOf(result);
};

const REMEMBERED = {
  session: 'allowed for the rest of the session, 24 hours at most',
  pattern: 'allowed from now on where the condition holds',
} as const;

const report = (
  io: Io,
  { request, within }: ApprovalRecord,
  { answer, resume }: { readonly answer: ApprovalAnswer; readonly resume: Continuation },
): void => {
  const { remember, input } = answer;
  const scope = remember ? `and ${REMEMBERED[remember.scope]}` : 'for this one call';
  const arrow = io.noteInk.cyan('→');
  const tick = io.ink.green('✓');
  print(
    io,
    `${tick} Approved: ${visibleText(request.tool)}, ${scope}${input === undefined ? '' : ', edited'}.`,
  );
  note(io, `  ${arrow} ${CONTINUES[resume.by]}`);
  note(io, `    ${visibleJson(resume.command)}`);
  if (within !== undefined) {
    note(io, `  ${arrow} Or when ${visibleText(within)}, which made it, makes it again.`);
  }
  if (input !== undefined) note(io, `  ${arrow} It will run with the new input, not with that.`);
  if (remember) note(io, `  ${arrow} See and revoke it: toolcrib permissions list`);
};

const approve = (io: Io, id: string, options: ApproveOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const record = await waitingRecord(io, crib, id);
    await assertAwaited(record, crib);
    const resume = await continuationOf(record, crib);
    const answer = await approvingAnswer(io, { crib, record }, options);
    await decide(crib, record, answer);
    const { remember } = answer;
    // Made here, a call of a run or a job would happen beside it; the answer counts for its own call alone.
    if (options.run === true && resume.by === 'call') {
      if (remember && !io.json)
        note(io, `Also ${REMEMBERED[remember.scope]}: toolcrib permissions list`);
      return runNow(io, crib, record);
    }
    if (io.json) {
      const edited = answer.input !== undefined;
      printJson(io, {
        id: record.id,
        approved: true,
        edited,
        remember: remember ?? null,
        resume: resume.command,
      });
    } else report(io, record, { answer, resume });
    return 0;
  });

export const approvalsApproveCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withAnswer(withJson(approvals.command('approve <id>')))
      .option('--run', 'run the approved call now, as its caller')
      .action(leaving(io, (id: string, options: ApproveOptions) => approve(io, id, options))),
    'toolcrib approvals approve <id>',
    'toolcrib approvals approve <id> --run',
    'toolcrib approvals approve <id> --session',
    `toolcrib approvals approve <id> --pattern 'input.path.startsWith("tmp/")' --expires 7d`,
    `toolcrib approvals approve <id> --input '{"path":"b.txt"}' --note "not that file"`,
  );

export const approvalsDenyCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('deny <id>'))
      .option('--note <text>', 'a note for the record')
      .addOption(new Option('--reason <text>', 'the same as --note').conflicts('note'))
      .action(
        leaving(io, (id: string, options: AnswerOptions & { reason?: string }) => {
          const text = options.note ?? options.reason;
          return deny(io, id, text === undefined ? {} : { note: text });
        }),
      ),
    'toolcrib approvals deny <id>',
    'toolcrib approvals deny <id> --note "ask the owner first"',
  );
