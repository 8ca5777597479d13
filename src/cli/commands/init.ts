/** `toolcrib init`: a commented configuration for the directory one stands in. */
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { ignoreState } from '../../config/ignore-state.ts';
import { configTemplate } from '../../config/template.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { type Io, print, printJson } from '../io.ts';

interface InitOptions {
  readonly force?: boolean;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const assertNone = async (file: string, suggestion: string): Promise<void> => {
  if (!(await exists(file))) return;
  throw new ToolFailure('CONFLICT', 'There is a configuration here already.', {
    suggestions: [suggestion],
  });
};

const writeConfig = async (folder: string, force: boolean): Promise<string | undefined> => {
  const file = join(folder, 'config.yml');
  const other = 'Remove .toolcrib/config.yaml first: a project has one configuration.';
  await assertNone(join(folder, 'config.yaml'), other);
  if (!force) await assertNone(file, 'To replace it: toolcrib init --force (the old one is kept).');
  await mkdir(folder, { recursive: true });
  const kept = (await exists(file)) ? `${file}.bak` : undefined;
  if (kept !== undefined) await rename(file, kept);
  await writeFile(file, configTemplate(), { flag: 'wx' });
  await ignoreState(file);
  return kept;
};

const init = async (io: Io, { force = false }: InitOptions): Promise<number> => {
  const folder = join(io.cwd, '.toolcrib');
  const kept = await writeConfig(folder, force);
  const created = [join(folder, 'config.yml'), join(folder, '.gitignore')];
  if (io.json) {
    printJson(io, { created, ...(kept !== undefined && { kept }) });
    return 0;
  }
  for (const file of created) print(io, `${io.ink.green('✓')} ${relative(io.cwd, file)}`);
  if (kept !== undefined) print(io, `  the old one is kept as ${relative(io.cwd, kept)}`);
  print(
    io,
    '',
    'Next:',
    '  toolcrib doctor                                      check this machine',
    '  toolcrib tools                                       see what there is',
    `  toolcrib run calculator expression='sqrt(16)+2^3'    make the first call`,
    '  toolcrib audit list                                  see it on record',
  );
  return 0;
};

export const initCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('init').description('set up a project: .toolcrib/config.yml'))
      .option('--force', 'replace a configuration that is there; the old one is kept as .bak')
      .action(leaving(io, (options: InitOptions) => init(io, options))),
    'toolcrib init',
  );
