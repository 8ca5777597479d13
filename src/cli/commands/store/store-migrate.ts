/** `toolcrib store migrate`: copies the SQLite store of a project to PostgreSQL, and verifies both. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { CopiedStore } from '../../../crib/store/copy-store.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type LoadedConfig, loadConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { counted, formatCount } from '../../output/format-units.ts';
import { progressOn } from '../../output/progress-line.ts';

interface MigrateOptions {
  readonly schema?: string;
}

const targetOf = async (to: string | undefined, loaded: LoadedConfig): Promise<string> => {
  const { config, userDir } = loaded;
  const url = to ?? config.store.url;
  if (url === undefined) {
    throw new ToolFailure('VALIDATION_ERROR', 'Nothing says where the store is to go.', {
      suggestions: ['Name it: toolcrib store migrate .toolcrib/state.db postgres://user@host/db'],
    });
  }
  const { resolveAddress } = await import('../../../crib/resolve-address.ts');
  return resolveAddress(url, 'store', { config, userDir });
};

const report = (io: Io, from: string, copied: CopiedStore): void => {
  const { rows, auditRows, head, target } = copied;
  if (io.json) {
    printJson(io, { from, target, rows, auditRows, head: head ?? null, verified: true });
    return;
  }
  print(
    io,
    `${io.ink.green('✓')} ${counted(rows, 'row')} copied to ${visibleText(target)}.`,
    `  The record has ${counted(auditRows, 'row')} and verifies on both sides, with the same last row.`,
    '  Next: set store.url in your own configuration, e.g. by TOOLCRIB_STORE_URL.',
  );
};

const migrateStore = async (
  io: Io,
  [from, to]: readonly (string | undefined)[],
  { schema }: MigrateOptions,
): Promise<number> => {
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const { config, projectDir = io.cwd } = loaded;
  const file = from === undefined ? resolve(projectDir, config.store.path) : resolve(io.cwd, from);
  const url = await targetOf(to, loaded);
  const { copyStore } = await import('../../../crib/store/copy-store.ts');
  const line = progressOn(io, 'copying');
  try {
    const copied = await copyStore({
      from: file,
      to: url,
      schema: schema ?? config.store.schema,
      runtime: io.runtime,
      onRows: (rows, total) =>
        line?.update(rows / Math.max(rows, total), `${formatCount(rows)} rows`),
    });
    line?.stop();
    report(io, file, copied);
    return 0;
  } finally {
    line?.stop();
  }
};

export const storeMigrateCommand = (store: Command, io: Io): Command =>
  withExamples(
    withJson(store.command('migrate'))
      .argument('[from]', 'the database file of SQLite (default: store.path)')
      .argument('[to]', 'the address of the PostgreSQL database (default: store.url)')
      .option('--schema <name>', 'the schema of the target (default: store.schema)')
      .action(
        leaving(io, (from: string | undefined, to: string | undefined, options: MigrateOptions) =>
          migrateStore(io, [from, to], options),
        ),
      ),
    'toolcrib store migrate .toolcrib/state.db postgres://crib@db.example.com/toolcrib',
    'toolcrib store migrate --json',
  );
