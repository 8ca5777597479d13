/** `toolcrib permissions revoke`: takes a standing grant back. */
import type { Command } from 'commander';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Grant } from '../../../contract/grant.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { byStart } from '../../input/by-start.ts';
import { type Io, print, printJson } from '../../io.ts';
import { localPerson } from '../../session/local-person.ts';
import { withStore } from '../../session/open-crib.ts';
import { subjectText } from './grant-text.ts';

/** By its id, or by a beginning that no other has. */
const findGrant = async (crib: Crib, id: string): Promise<Grant> => {
  const found = byStart(await crib.permissions.list(), id, (grant) => grant.id);
  if (found) return found;
  throw new ToolFailure('NOT_FOUND', 'There is no grant of that id.', {
    suggestions: ['See which there are: toolcrib permissions list'],
  });
};

const revoke = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const grant = await findGrant(crib, id);
    if (!(await crib.permissions.revoke(grant.id, localPerson()))) {
      throw new ToolFailure('CONFLICT', 'It was taken back already.');
    }
    if (io.json) printJson(io, { id: grant.id, revoked: true });
    else {
      const whom = visibleText(subjectText(grant.subject));
      print(io, `${io.ink.green('✓')} Taken back from ${whom}: ${visibleText(grant.resource)}`);
    }
    return 0;
  });

export const permissionsRevokeCommand = (permissions: Command, io: Io): Command =>
  withExamples(
    withJson(
      permissions
        .command('revoke')
        .description('take a grant back')
        .argument('<id>', 'its id, or a beginning that no other has'),
    ).action(leaving(io, (id: string) => revoke(io, id))),
    'toolcrib permissions revoke <id>',
  );
