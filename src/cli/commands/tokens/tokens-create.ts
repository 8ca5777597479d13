/** `toolcrib tokens create`: a new token for the HTTP API. It is shown here and kept nowhere. */
import { type Command, Option } from 'commander';
import type { Isolation } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { ROLES, type Role, type TokenPolicy } from '../../../contract/tokens.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { readDeadline } from '../../input/deadline.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { localPerson } from '../../session/local-person.ts';
import { shownToken, withTokens } from './open-tokens.ts';

interface CreateOptions {
  readonly role: Role;
  readonly tools?: readonly string[];
  readonly dailyUsd?: number;
  readonly isolation?: Isolation;
  readonly expires?: string;
}

const ISOLATIONS: readonly Isolation[] = ['none', 'basic', 'strict', 'paranoid'];
/** It becomes part of a user's name in rules, budgets and the record. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const dollars = (text: string): number => {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(value)) return value;
  throw new ToolFailure('VALIDATION_ERROR', '--daily-usd takes a number of dollars.');
};

const policyFrom = ({ tools, dailyUsd, isolation }: CreateOptions): TokenPolicy | undefined => {
  const policy: TokenPolicy = {
    ...(tools !== undefined && { tools }),
    ...(dailyUsd !== undefined && { dailyUsd }),
    ...(isolation !== undefined && { isolation }),
  };
  return Object.keys(policy).length > 0 ? policy : undefined;
};

const assertName = (name: string): void => {
  if (NAME.test(name)) return;
  throw new ToolFailure('VALIDATION_ERROR', 'That is no name for a token.', {
    suggestions: ['Take 1 to 64 letters, digits, "_", "." or "-", a letter or digit first.'],
  });
};

const create = (io: Io, name: string, options: CreateOptions): Promise<number> => {
  assertName(name);
  const policy = policyFrom(options);
  const { expires, role } = options;
  const expiresAt =
    expires === undefined ? undefined : readDeadline('--expires', expires, io.runtime.now());
  const wanted = {
    name,
    role,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(policy && { policy }),
  };
  return withTokens(io, async (tokens) => {
    const { token, record } = await tokens.create(wanted, localPerson());
    if (io.json) printJson(io, { token, ...shownToken(record) });
    else {
      print(io, token);
      const until = expiresAt === undefined ? '' : `, until ${formatTime(expiresAt)}`;
      note(io, `${io.noteInk.green('✓')} A token for ${name}, as ${role}${until}.`);
      note(io, io.noteInk.dim('  It is shown this once: keep it where secrets are kept.'));
    }
    return 0;
  });
};

export const tokensCreateCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(
      tokens
        .command('create')
        .description('make a token for the HTTP API, which is shown once')
        .argument('<name>', 'who holds it; rules and the record know it as token:<name>'),
    )
      .addOption(new Option('--role <role>', 'what it may do').choices([...ROLES]).default('agent'))
      .option('--tools <list>', 'only these tools, between commas; all otherwise', collect)
      .option('--daily-usd <amount>', 'what it may spend a day', dollars)
      .addOption(
        new Option('--isolation <level>', 'how strictly its calls are kept apart').choices([
          ...ISOLATIONS,
        ]),
      )
      .option('--expires <when>', 'useless from then on: 8h, 30d, or a date')
      .action(leaving(io, (name: string, options: CreateOptions) => create(io, name, options))),
    'toolcrib tokens create ci --role agent --tools calculator,web_search --expires 30d',
    'toolcrib tokens create dashboard --role viewer',
  );
