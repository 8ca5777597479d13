/** `toolcrib approvals list`: the calls that wait for a person, newest first. */
import type { Command } from 'commander';
import type { ApprovalRecord } from '../../../contract/approver.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson, widthOf } from '../../io.ts';
import { formatCost, formatSpan } from '../../output/format-units.ts';
import { agoCell, type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const HEAD = {
  names: ['approval', 'tool', 'what', 'tier', 'cost', 'asked', 'expires', 'who asks'],
  /** What a narrow terminal does without, first what matters least: cost, tier, who asks, when. */
  spare: [4, 3, 7, 5],
  // For what the call does.
  room: 16,
};

/** `approval_` and eight characters: commands take the beginning of an id. */
const SHORT_ID = 17;

/** Shortens the id of an approval where a terminal has little room. */
export const shortApproval = (io: Io, approvalId: string): string =>
  Number.isFinite(widthOf(io)) ? approvalId.slice(0, SHORT_ID) : approvalId;

const rowOf = (
  io: Io,
  { request, createdAt, summary }: ApprovalRecord,
): readonly (string | Cell)[] => {
  const { caller, expiresAt } = request;
  return [
    shortApproval(io, request.id),
    { text: request.tool, paint: io.ink.bold },
    visibleText(summary ?? request.action),
    request.tier,
    formatCost(request.estimatedCost),
    agoCell(createdAt, io),
    { text: `in ${formatSpan(expiresAt - io.runtime.now())}`, paint: io.ink.dim },
    `user ${caller.userId}, agent ${caller.agentId}, session ${caller.sessionId}`,
  ];
};

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const now = io.runtime.now();
    const waiting = (await crib.approvals.list()).filter(({ expiresAt }) => expiresAt > now);
    if (io.json) printJson(io, waiting);
    else if (waiting.length === 0) print(io, 'Nothing waits for approval.');
    else {
      printTable(
        io,
        HEAD,
        waiting.map((record) => rowOf(io, record)),
      );
      hint(io, 'Look at one before you decide: toolcrib approvals show <id>');
    }
    return 0;
  });

export const approvalsListCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('list', { isDefault: true })).action(leaving(io, () => list(io))),
    'toolcrib approvals',
    'toolcrib approvals list --json',
  );
