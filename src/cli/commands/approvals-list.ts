/** `toolcrib approvals list`: the calls that wait for a person, newest first. */
import type { Command } from 'commander';
import type { ApprovalRecord } from '../../contract/approver.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { formatCost, formatTime } from '../format-units.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { withCrib } from '../open-crib.ts';
import { type Cell, table } from '../table.ts';

const HEAD = ['asked', 'approval', 'tool', 'action', 'tier', 'user', 'cost', 'until'];

const rowOf = (io: Io, { request, createdAt }: ApprovalRecord): readonly (string | Cell)[] => [
  { text: formatTime(createdAt), paint: io.ink.dim },
  request.id,
  { text: request.tool, paint: io.ink.bold },
  request.action,
  request.tier,
  request.caller.userId,
  formatCost(request.estimatedCost),
  { text: formatTime(request.expiresAt), paint: io.ink.dim },
];

const list = (io: Io): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const now = io.runtime.now();
    const waiting = (await crib.approvals()).filter(({ expiresAt }) => expiresAt > now);
    if (io.json) printJson(io, waiting);
    else if (waiting.length === 0) print(io, 'Nothing waits for approval.');
    else {
      print(
        io,
        ...table([
          HEAD.map((text) => ({ text, paint: io.ink.dim })),
          ...waiting.map((record) => rowOf(io, record)),
        ]),
      );
      note(io, io.noteInk.dim('Look at one before you decide: toolcrib approvals show <id>'));
    }
    return 0;
  });

export const approvalsListCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(
      approvals
        .command('list', { isDefault: true })
        .description('list the calls that wait for a person; what `approvals` does by itself'),
    ).action(leaving(io, () => list(io))),
    'toolcrib approvals',
    'toolcrib approvals list --json',
  );
