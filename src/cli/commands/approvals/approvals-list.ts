/** `toolcrib approvals list`: the calls that wait for a person, newest first. */
import type { Command } from 'commander';
import type { ApprovalRecord } from '../../../contract/approver.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, widthOf } from '../../io.ts';
import { formatCost, formatSpan } from '../../output/format-units.ts';
import { type Cell, headRow, table, withoutSpare } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const HEAD = ['approval', 'tool', 'what', 'tier', 'cost', 'asked', 'expires', 'who asks'];

/** What a narrow terminal does without, first what matters least: cost, tier, who asks, when. */
const SPARE = [4, 3, 7, 5];
/** Kept for what the call does, before anything else. */
const ROOM = 16;
/** `approval_` and eight characters: commands take the beginning of an id. */
const SHORT_ID = 17;

const rowOf = (
  io: Io,
  { request, createdAt, summary }: ApprovalRecord,
): readonly (string | Cell)[] => {
  const { caller, expiresAt } = request;
  const now = io.runtime.now();
  return [
    Number.isFinite(widthOf(io)) ? request.id.slice(0, SHORT_ID) : request.id,
    { text: request.tool, paint: io.ink.bold },
    visibleText(summary ?? request.action),
    request.tier,
    formatCost(request.estimatedCost),
    { text: `${formatSpan(now - createdAt)} ago`, paint: io.ink.dim },
    { text: `in ${formatSpan(expiresAt - now)}`, paint: io.ink.dim },
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
      const width = widthOf(io);
      const rows = [headRow(HEAD, io.ink), ...waiting.map((record) => rowOf(io, record))];
      print(io, ...table(withoutSpare(rows, width - ROOM, SPARE), width));
      note(io, io.noteInk.dim('Look at one before you decide: toolcrib approvals show <id>'));
    }
    return 0;
  });

export const approvalsListCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('list', { isDefault: true })).action(leaving(io, () => list(io))),
    'toolcrib approvals',
    'toolcrib approvals list --json',
  );
