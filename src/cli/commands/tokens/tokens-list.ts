/** `toolcrib tokens list`: who may use the HTTP API, newest first. Secrets are kept nowhere. */
import type { Command } from 'commander';
import type { TokenRecord } from '../../../contract/tokens.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, table } from '../../output/table.ts';
import { shownToken, tokenState, withTokens } from './open-tokens.ts';

const HEAD = ['id', 'name', 'role', 'state', 'tools', 'a day', 'last used', 'expires'];

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
      note(io, `  ${io.noteInk.cyan('→')} Make one: toolcrib tokens create <name>`);
    } else {
      const head = HEAD.map((text) => ({ text, paint: io.ink.dim }));
      print(io, ...table([head, ...records.map((record) => rowOf(io, record))]));
    }
    return 0;
  });

export const tokensListCommand = (tokens: Command, io: Io): Command =>
  withExamples(
    withJson(
      tokens
        .command('list', { isDefault: true })
        .description('list the tokens; what `tokens` does by itself'),
    ).action(leaving(io, () => list(io))),
    'toolcrib tokens',
    'toolcrib tokens list --json',
  );
