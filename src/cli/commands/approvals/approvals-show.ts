/** `toolcrib approvals show`: the exact waiting call, as an approver in the terminal sees it. */
import type { Command } from 'commander';
import { approvalPage } from '../../../approvers/terminal/approval-page.ts';
import { inputDifference } from '../../../approvers/terminal/shown-value.ts';
import type { ApprovalRecord } from '../../../contract/approver.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatJson } from '../../output/format-json.ts';
import { formatTime } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { findApproval } from './waiting-approval.ts';

const WIDTH = 100;

const stateOf = (record: ApprovalRecord, now: number): string => {
  const { state, decidedBy, decidedAt, expiresAt, note } = record;
  const isExpired = expiresAt <= now && (state === 'waiting' || state === 'approved');
  const by = decidedBy === undefined ? '' : ` by ${decidedBy}`;
  const at = decidedAt === undefined ? '' : ` at ${formatTime(decidedAt)}`;
  const remark = note === undefined ? '' : `, who noted: ${note}`;
  return visibleText(`${isExpired ? `expired, ${state}` : state}${by}${at}${remark}`);
};

/** Shows the new input and its difference, where the approver changed it. */
const editLines = (io: Io, { request, edited }: ApprovalRecord): readonly string[] =>
  edited
    ? [
        '',
        'Approved with another input than the one above:',
        ...formatJson(edited.input, io.ink)
          .split('\n')
          .map((line) => `  ${line}`),
        'What is different:',
        ...inputDifference(request.input, edited.input).map((line) => `  ${line}`),
      ]
    : [];

const show = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const record = await findApproval(crib, id);
    if (io.json) {
      printJson(io, record);
      return 0;
    }
    const now = io.runtime.now();
    print(io, ...approvalPage(record.request, { now, width: WIDTH, full: true }).lines);
    print(io, ...editLines(io, record));
    print(io, '', `State: ${stateOf(record, now)}`);
    if (record.within !== undefined) print(io, `Made by: ${visibleText(record.within)}`);
    print(io, io.ink.dim(`Judged under policy ${visibleText(record.policyVersion)}`));
    return 0;
  });

export const approvalsShowCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('show <id>')).action(leaving(io, (id: string) => show(io, id))),
    'toolcrib approvals show <id>',
  );
