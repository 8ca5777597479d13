/** `toolcrib approvals show`: the exact call that waits, as an approver in the terminal would see it. */
import type { Command } from 'commander';
import { approvalPage } from '../../approvers/terminal/approval-page.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { findApproval } from '../find-approval.ts';
import { formatTime } from '../format-units.ts';
import { type Io, print, printJson } from '../io.ts';
import { withCrib } from '../open-crib.ts';

const WIDTH = 100;

const show = (io: Io, id: string): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const record = await findApproval(crib, id);
    if (io.json) {
      printJson(io, record);
      return 0;
    }
    const now = io.runtime.now();
    print(io, ...approvalPage(record.request, { now, width: WIDTH, full: true }).lines);
    const by = record.decidedBy === undefined ? '' : ` by ${record.decidedBy}`;
    const at = record.decidedAt === undefined ? '' : ` at ${formatTime(record.decidedAt)}`;
    print(io, '', `State: ${record.state}${by}${at}`);
    return 0;
  });

export const approvalsShowCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('show <id>').description('the exact call that waits')).action(
      leaving(io, (id: string) => show(io, id)),
    ),
    'toolcrib approvals show <id>',
  );
