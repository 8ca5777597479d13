/** `toolcrib permissions list`: the standing grants, newest first. */
import type { Command } from 'commander';
import type { Grant } from '../../../contract/grant.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { actionsText, subjectText } from './grant-text.ts';

const HEAD = ['grant', 'whom', 'what', 'actions', 'expires', 'skips approval', 'by', 'condition'];

const rowOf = (io: Io, grant: Grant): readonly (string | Cell)[] => [
  grant.id,
  subjectText(grant.subject),
  { text: grant.resource, paint: io.ink.bold },
  actionsText(grant),
  grant.expiresAt === undefined ? 'never' : formatTime(grant.expiresAt),
  grant.skipsApproval ? { text: 'yes', paint: io.ink.yellow } : 'no',
  grant.by,
  grant.condition ?? 'none',
];

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const grants = await crib.permissions.list();
    if (io.json) printJson(io, grants);
    else if (grants.length === 0) print(io, 'Nothing is granted beside what the rules allow.');
    else {
      const head = HEAD.map((text) => ({ text, paint: io.ink.dim }));
      print(io, ...table([head, ...grants.map((grant) => rowOf(io, grant))]));
      note(io, io.noteInk.dim('Take one back: toolcrib permissions revoke <grant>'));
    }
    return 0;
  });

export const permissionsListCommand = (permissions: Command, io: Io): Command =>
  withExamples(
    withJson(
      permissions
        .command('list', { isDefault: true })
        .description('list the standing grants; what `permissions` does by itself'),
    ).action(leaving(io, () => list(io))),
    'toolcrib permissions',
    'toolcrib permissions list --json',
  );
