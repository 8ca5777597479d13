/** `toolcrib tokens list`, `create` and `revoke`: who may use the HTTP API. Only hashes of tokens are stored. */
import { type Command, Option } from 'commander';
import type { Isolation } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { ROLES, type Role, type TokenPolicy, type TokenRecord } from '../../../contract/tokens.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { readDeadline } from '../../input/moment.ts';
import { hint, type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { localPerson } from '../../session/local-person.ts';
import { findToken, shownToken, tokenState, withTokens } from '../../session/open-tokens.ts';

interface CreateOptions {
  readonly role: Role;
  readonly tools?: readonly string[];
  readonly dailyUsd?: number;
  readonly isolation?: Isolation;
  readonly expires?: string;
}

const ISOLATIONS: readonly Isolation[] = ['none', 'basic', 'strict', 'paranoid'];
/** The name becomes part of a user's name in rules, budgets and records. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const dollars = (text: string): number => {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(value)) return value;
  throw new ToolFailure('VALIDATION_ERROR', '--daily-usd takes a number of dollars.');
};

const policyFrom = ({ tools, dailyUsd, isolation }: CreateOptions): TokenPolicy | undefined => {
  const policy: TokenPolicy = compact({ tools, dailyUsd, isolation });
  return Object.keys(policy).length > 0 ? policy : undefined;
};

const assertName = (name: string): void => {
  if (NAME.test(name)) return;
  throw misuse(
    'A token cannot have that name.',
    'Use 1 to 64 letters, digits, "_", "." or "-", a letter or digit first.',
  );
};

const create = (io: Io, name: string, options: CreateOptions): Promise<number> => {
  assertName(name);
  const policy = policyFrom(options);
  const { expires, role } = options;
  const expiresAt =
    expires === undefined ? undefined : readDeadline('--expires', expires, io.runtime.now());
  const newToken = {
    name,
    role,
    ...compact({ expiresAt, policy }),
  };
  return withTokens(io, async (tokens) => {
    const { token, record } = await tokens.create(newToken, localPerson());
    if (io.json) printJson(io, { token, ...shownToken(record) });
    else {
      print(io, token);
      const until = expiresAt === undefined ? '' : `, until ${formatTime(expiresAt)}`;
      note(io, `${io.noteInk.green('✓')} A token for ${name}, as ${role}${until}.`);
      hint(io, '  It is shown only once: store it as a secret.');
    }
    return 0;
  });
};

export const tokensCreateCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(
      tokens
        .command('create')
        .argument('<name>', 'the holder; rules and the record call it token:<name>'),
    )
      .addOption(new Option('--role <role>', 'what it may do').choices([...ROLES]).default('agent'))
      .option('--tools <list>', 'only these tools, between commas; by default all', collect)
      .option('--daily-usd <amount>', 'the US dollars it may spend a day', dollars)
      .addOption(
        new Option('--isolation <level>', 'how strictly its calls are isolated').choices([
          ...ISOLATIONS,
        ]),
      )
      .option('--expires <when>', 'when it expires: 8h, 30d, or a date')
      .action(leaving(io, (name: string, options: CreateOptions) => create(io, name, options))),
    'toolcrib tokens create ci --role agent --tools calculator,web_search --expires 30d',
    'toolcrib tokens create dashboard --role viewer',
  );

const revoke = (io: Io, typed: string): Promise<number> =>
  withTokens(io, async (tokens) => {
    const { id, name } = findToken(await tokens.list(), typed, io.runtime.now());
    if (!(await tokens.revoke(id)))
      throw new ToolFailure('CONFLICT', 'The token was revoked already.');
    if (io.json) printJson(io, { id, revoked: true });
    else printDone(io, `The token of ${visibleText(name)} is revoked.`);
    return 0;
  });

export const tokensRevokeCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(tokens.command('revoke').argument('<token>', 'its name or its id')).action(
      leaving(io, (typed: string) => revoke(io, typed)),
    ),
    'toolcrib tokens revoke ci',
  );

const HEAD = {
  names: ['id', 'name', 'role', 'state', 'tools', 'a day', 'last used', 'expires'],
  /** What a narrow terminal does without: when it was used, tools, dollars, when it ends. */
  spare: [6, 4, 5, 7],
};

const rowOf = (io: Io, record: TokenRecord): readonly (string | Cell)[] => {
  const { id, name, role, policy, lastUsedAt, expiresAt } = record;
  const state = tokenState(record, io.runtime.now());
  return [
    id,
    { text: name, paint: io.ink.bold },
    role,
    { text: state, paint: state === 'good' ? io.ink.green : io.ink.red },
    policy?.tools?.join(', ') ?? 'all',
    policy?.dailyUsd === undefined ? 'no limit' : `$${policy.dailyUsd}`,
    lastUsedAt === undefined ? 'never' : formatTime(lastUsedAt),
    expiresAt === undefined ? 'never' : formatTime(expiresAt),
  ];
};

const list = (io: Io): Promise<number> =>
  withTokens(io, async (tokens) => {
    const records = await tokens.list();
    if (io.json) printJson(io, records.map(shownToken));
    else if (records.length === 0) {
      print(io, 'There are no tokens: nobody can use the HTTP API.');
      note(io, `  ${io.noteInk.cyan('→')} Create one: toolcrib tokens create <name>`);
    } else {
      const rows = records.map((record) => rowOf(io, record));
      printTable(io, HEAD, rows);
    }
    return 0;
  });

export const tokensListCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(tokens.command('list', { isDefault: true })).action(leaving(io, () => list(io))),
    'toolcrib tokens',
    'toolcrib tokens list --json',
  );
