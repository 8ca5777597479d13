/** `toolcrib tokens revoke`: from now on the token is good for nothing. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { findToken, withTokens } from './open-tokens.ts';

const revoke = (io: Io, wanted: string): Promise<number> =>
  withTokens(io, async (tokens) => {
    const { id, name } = findToken(await tokens.list(), wanted, io.runtime.now());
    if (!(await tokens.revoke(id))) throw new ToolFailure('CONFLICT', 'It was revoked already.');
    if (io.json) printJson(io, { id, revoked: true });
    else print(io, `${io.ink.green('✓')} The token of ${visibleText(name)} is revoked.`);
    return 0;
  });

export const tokensRevokeCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(
      tokens
        .command('revoke')
        .description('make a token useless, at once')
        .argument('<token>', 'its name or its id'),
    ).action(leaving(io, (wanted: string) => revoke(io, wanted))),
    'toolcrib tokens revoke ci',
  );
