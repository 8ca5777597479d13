/** `toolcrib permissions list` and `revoke`: the grants, newest first. */
import type { Command } from 'commander';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Grant, GrantSubject } from '../../../contract/grant.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { byStart } from '../../input/by-start.ts';
import { hint, type Io, print, printDone, printJson, widthOf } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { localPerson } from '../../session/local-person.ts';
import { withStore } from '../../session/open-crib.ts';

/** Finds a grant by its id or a unique beginning of it. */
const findGrant = async (crib: Crib, id: string): Promise<Grant> => {
  const grant = byStart(await crib.permissions.list(), id, (one) => one.id);
  if (grant) return grant;
  throw new ToolFailure('NOT_FOUND', 'There is no grant of that id.', {
    suggestions: ['See which there are: toolcrib permissions list'],
  });
};

const revoke = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const grant = await findGrant(crib, id);
    if (!(await crib.permissions.revoke(grant.id, localPerson()))) {
      throw new ToolFailure('CONFLICT', 'The grant was revoked already.');
    }
    if (io.json) printJson(io, { id: grant.id, revoked: true });
    else {
      const whom = visibleText(subjectText(grant.subject));
      printDone(io, `Revoked for ${whom}: ${visibleText(grant.resource)}`);
    }
    return 0;
  });

export const permissionsRevokeCommand = (permissions: Command, io: Io): Command =>
  withExamples(
    withJson(
      permissions.command('revoke').argument('<id>', 'its id, or a unique beginning of it'),
    ).action(leaving(io, (id: string) => revoke(io, id))),
    'toolcrib permissions revoke <id>',
  );

const KINDS = ['user', 'role', 'agent', 'session'] as const;

/** Formats a subject: `user ada, agent bot`, or `everyone` when nobody is named. */
export const subjectText = (subject: GrantSubject): string => {
  const named = KINDS.filter((kind) => subject[kind] !== undefined);
  return named.map((kind) => `${kind} ${subject[kind]}`).join(', ') || 'everyone';
};

/** Formats the actions of a grant: `every action`, or their names. */
export const actionsText = ({ actions }: Pick<Grant, 'actions'>): string =>
  actions.includes('*') ? 'every action' : actions.join(', ');

const HEAD = {
  names: ['grant', 'whom', 'what', 'actions', 'expires', 'skips approval', 'by', 'condition'],
  /** What a narrow terminal does without: by whom, actions, when it ends. Never what widens or narrows a grant. */
  spare: [6, 3, 4],
};

/** `grant_` and eight characters: commands take the beginning of an id. */
const SHORT_ID = 14;

const rowOf = (io: Io, grant: Grant): readonly (string | Cell)[] => [
  Number.isFinite(widthOf(io)) ? grant.id.slice(0, SHORT_ID) : grant.id,
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
    else if (grants.length === 0) print(io, 'Nothing is granted besides what the rules allow.');
    else {
      const rows = grants.map((grant) => rowOf(io, grant));
      printTable(io, HEAD, rows);
      hint(io, 'Revoke one: toolcrib permissions revoke <grant>');
    }
    return 0;
  });

export const permissionsListCommand = (permissions: Command, io: Io): Command =>
  withExamples(
    withJson(permissions.command('list', { isDefault: true })).action(leaving(io, () => list(io))),
    'toolcrib permissions',
    'toolcrib permissions list --json',
  );
