/** `toolcrib approvals approve` and `deny`: a person's word on a call that waits. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { exitCodeOf } from '../exit-code.ts';
import { findApproval } from '../find-approval.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { withCrib } from '../open-crib.ts';
import { printResult } from '../print-result.ts';

interface ApproveOptions {
  readonly run?: boolean;
}

const decide = async (io: Io, crib: Crib, choice: { id: string; approve: boolean }) => {
  const record = await findApproval(crib, choice.id);
  if (record.expiresAt <= io.runtime.now()) {
    throw new ToolFailure('APPROVAL_EXPIRED', 'Its time is over.', {
      suggestions: ['Make the call again to ask anew.'],
    });
  }
  if (!(await crib.decide(choice.id, choice.approve, userInfo().username))) {
    throw new ToolFailure('CONFLICT', `It is ${record.state} already.`);
  }
  return record;
};

const deny = (io: Io, id: string): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const { request } = await decide(io, crib, { id, approve: false });
    if (io.json) printJson(io, { id, approved: false });
    else print(io, `${io.ink.red('✗')} Denied: ${request.tool}. The call will not run.`);
    return 0;
  });

const runNow = async (io: Io, crib: Crib, { id, request }: ApprovalRecord): Promise<number> => {
  const { tool, version, input, caller } = request;
  const result = await crib.execute(tool, input, { ...caller, version, approvalId: id });
  printResult(io, result, { quiet: false, dryRun: false, undoable: request.tier === 'write' });
  return exitCodeOf(result);
};

const approve = (io: Io, id: string, { run = false }: ApproveOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const record = await decide(io, crib, { id, approve: true });
    if (run) return runNow(io, crib, record);
    if (io.json) printJson(io, { id, approved: true });
    else {
      print(io, `${io.ink.green('✓')} Approved: ${record.request.tool}, for this one call.`);
      note(
        io,
        `  ${io.noteInk.cyan('→')} It runs when its caller sends it again with --approval ${id}`,
      );
    }
    return 0;
  });

export const approvalsApproveCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('approve <id>').description('say yes to a call that waits'))
      .option('--run', 'run the approved call now, as its caller')
      .action(leaving(io, (id: string, options: ApproveOptions) => approve(io, id, options))),
    'toolcrib approvals approve <id>',
    'toolcrib approvals approve <id> --run',
  );

export const approvalsDenyCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('deny <id>').description('say no to a call that waits')).action(
      leaving(io, (id: string) => deny(io, id)),
    ),
    'toolcrib approvals deny <id>',
  );
