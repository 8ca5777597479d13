/** `toolcrib init`: writes a commented configuration into the current directory. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { configTemplate, shortTemplate } from '../../../config/document/template.ts';
import { ignoreState } from '../../../config/edit/ignore-state.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { findProgram, pathFolders } from '../../../kit/file/find-program.ts';
import { isMissing } from '../../../kit/file/is-missing.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { isInsideProject } from '../../../trust/inside-project.ts';
import { NO_PROJECT, userDirOf } from '../../../trust/project-trust.ts';
import { trustOwnEdit } from '../../../trust/trust-own-edit.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printDone, printJson, warn } from '../../io.ts';
import { offerTasks } from './offer-tasks.ts';

interface InitOptions {
  readonly force?: boolean;
  readonly full?: boolean;
  readonly tasks?: boolean;
}

const assertNone = async (file: string, suggestion: string): Promise<void> => {
  if (await isMissing(file)) return;
  throw new ToolFailure('CONFLICT', 'There is a configuration here already.', {
    suggestions: [suggestion],
  });
};

interface WrittenConfig {
  readonly backup: string | undefined;
  readonly text: string;
}

/** Refuses links: a cloned one could lead into the user's own configuration. */
const assertNoLink = async (folder: string): Promise<void> => {
  const project = { projectDir: dirname(folder), inside: [basename(folder)] };
  if (await isInsideProject(join(folder, 'config.yml'), project)) return;
  throw new ToolFailure('CONFLICT', '.toolcrib or its config.yml is a link.', {
    suggestions: ['See where it leads, remove it, and try again.'],
  });
};

const writeConfig = async (
  folder: string,
  { force = false, full = false }: InitOptions,
): Promise<WrittenConfig> => {
  await assertNoLink(folder);
  const file = join(folder, 'config.yml');
  const other = 'Remove .toolcrib/config.yaml first: a project has one configuration.';
  await assertNone(join(folder, 'config.yaml'), other);
  if (!force) await assertNone(file, 'To replace it: toolcrib init --force (the old one is kept).');
  await mkdir(folder, { recursive: true });
  const backup = (await isMissing(file)) ? undefined : `${file}.bak`;
  if (backup !== undefined) await rename(file, backup);
  const text = full ? configTemplate() : shortTemplate();
  await writeFile(file, text, { flag: 'wx' });
  await ignoreState(file);
  return { backup, text };
};

/** Trusts the file that the user has just created; other files of the folder stay untrusted. */
const trustWritten = (io: Io, text: string): Promise<boolean> =>
  trustOwnEdit(
    { cwd: io.cwd, env: io.env, userDir: userDirOf(io) },
    {
      trust: NO_PROJECT,
      edit: { name: 'config.yml', before: undefined, after: text },
      now: io.runtime.now(),
    },
  );

/** Warns when bubblewrap is missing. Only Linux needs it: Seatbelt is part of macOS. */
const warnOfBubblewrap = async (io: Io): Promise<void> => {
  if (process.platform !== 'linux') return;
  if (await findProgram({ names: ['bwrap'], folders: pathFolders(io.env) })) return;
  const why =
    'bubblewrap is not installed: tools that run programs (bash_execution, git, git_commit, npm_install and others) answer SANDBOX_ERROR without it.';
  note(io, '', `${io.noteInk.yellow('!')} ${why} Install it: apt install bubblewrap`);
};

/** Tells whether to add only tasks: `--tasks` in a project that already has its configuration. */
const onlyTasks = async (io: Io, { force, full, tasks }: InitOptions): Promise<boolean> =>
  tasks === true &&
  force !== true &&
  full !== true &&
  !(await isMissing(join(io.cwd, '.toolcrib', 'config.yml')));

const init = async (io: Io, options: InitOptions): Promise<number> => {
  if (await onlyTasks(io, options)) {
    const offered = await offerTasks(io, { yes: true });
    if (io.json) printJson(io, { created: [], ...offered });
    else if (offered.file === undefined) print(io, 'There is nothing new to allow.');
    return 0;
  }
  const folder = join(io.cwd, '.toolcrib');
  const { backup, text } = await writeConfig(folder, options);
  const trusted = await trustWritten(io, text).catch((error: Error) => {
    warn(io, visibleText(error.message));
    return false;
  });
  const created = [join(folder, 'config.yml'), join(folder, '.gitignore')];
  if (io.json) {
    const offered = options.tasks === true ? await offerTasks(io, { yes: true }) : {};
    printJson(io, { created, trusted, ...(backup !== undefined && { kept: backup }), ...offered });
    return 0;
  }
  for (const file of created) printDone(io, relative(io.cwd, file));
  if (backup !== undefined) print(io, `  the old one is kept as ${relative(io.cwd, backup)}`);
  if (!trusted) {
    const why = 'The project is not trusted yet; its folder may hold other files.';
    warn(io, `${why} Look at it: toolcrib trust`);
  }
  await offerTasks(io, { yes: options.tasks === true });
  print(
    io,
    '',
    'Next:',
    '  toolcrib doctor                                      check this machine',
    '  toolcrib tools                                       see what there is',
    `  toolcrib run calculator expression='sqrt(16)+2^3'    make the first call`,
    '  toolcrib audit list                                  see it on record',
  );
  await warnOfBubblewrap(io);
  return 0;
};

export const initCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('init'))
      .option('--force', 'replace an existing configuration; the old one is kept as .bak')
      .option('--full', 'write every setting that has an effect, with its default')
      .option('--tasks', 'allow the tests, builds and git commands of this folder, without asking')
      .action(leaving(io, (options: InitOptions) => init(io, options))),
    'toolcrib init',
    'toolcrib init --tasks',
  );
