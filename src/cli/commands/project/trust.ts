/** `toolcrib trust`: look at what a project's configuration would do, and let it, or not. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../../config/config-error.ts';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type LoadedConfig, loadConfig, previewProject } from '../../../trust/load-config.ts';
import { adoptProjectStore } from '../../../trust/locate-store.ts';
import {
  type ProjectTrust,
  type ReadTrustOptions,
  readProjectTrust,
  refuseProject,
  revokeTrust,
  trustProject,
  userDirOf,
} from '../../../trust/project-trust.ts';
import { readTrustFile, type TrustReading } from '../../../trust/trust-file.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { canAsk } from '../../input/confirm.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { askForTrust, askLine } from '../../session/settle-trust.ts';
import { trustPage } from './trust-page.ts';

const WARNING = [
  'Budgets, memory, stored results, idempotency keys and undo snapshots in it will count.',
  'Do this for a database of your own that you moved or restored, never for one that came with the folder.',
];

const isWanted = async (io: Io, path: string): Promise<boolean> => {
  if (!canAsk(io) || io.json) {
    throw new ToolFailure('VALIDATION_ERROR', 'There is no terminal to ask on.', {
      suggestions: ['Add --yes if you made this database yourself.'],
    });
  }
  note(io, visibleText(path), ...WARNING);
  return (await askLine(io, 'Use this database? y = yes · n = no')) === true;
};

/** `toolcrib trust --store`: the user says that the database in the project is theirs. */
const trustStore = async (io: Io, yes: boolean): Promise<number> => {
  const { config, projectDir = io.cwd, userDir } = await loadConfig({ cwd: io.cwd, env: io.env });
  const file = resolve(projectDir, config.store.path);
  if (!yes && !(await isWanted(io, file))) {
    note(io, ...errorLines(toolError('USER_CANCELLED', 'It stays unused.'), io.noteInk));
    return 3;
  }
  const store = await adoptProjectStore(file, { userDir, projectDir });
  if (io.json) printJson(io, { store, adopted: true });
  else print(io, `${io.ink.green('✓')} ${visibleText(store)} is used from now on.`);
  return 0;
};

interface TrustOptions {
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly list?: boolean;
  readonly store?: boolean;
  readonly watch?: boolean;
}

/** Without the variables that would settle the question for this process only. */
const placeOf = ({ cwd, env }: Io) => {
  const { TOOLCRIB_TRUST: _insisted, TOOLCRIB_CONFIG: _named, ...rest } = env;
  return { cwd, env: rest };
};

/** The nearest project; the trusted one around it only where there is no nearer one. */
const whichOf = async (io: Io): Promise<ReadTrustOptions> => {
  const { hidden } = await readProjectTrust(placeOf(io));
  return { nearest: hidden !== undefined };
};

const believed = async (io: Io): Promise<TrustReading> => {
  const reading = await readTrustFile(userDirOf(io));
  const { file, fault } = reading;
  if (fault !== undefined) throw new ConfigError([{ file, path: '', message: fault }]);
  return reading;
};

const list = async (io: Io): Promise<number> => {
  const { entries } = await believed(io);
  const rows = [...entries].map(([project, { trusted, refused }]) => ({
    project,
    trusted: trusted?.at ?? null,
    refused: refused?.at ?? null,
  }));
  if (io.json) printJson(io, { projects: rows });
  else if (rows.length === 0) print(io, 'No project is trusted.');
  for (const { project, trusted, refused } of io.json ? [] : rows) {
    const said = [
      trusted === null ? '' : `trusted ${trusted}`,
      refused === null ? '' : `refused ${refused}`,
    ];
    print(io, `${visibleText(project)}  ${visibleText(said.filter(Boolean).join(', '))}`);
  }
  return 0;
};

const revoke = async (io: Io): Promise<number> => {
  const { folder } = await readProjectTrust(placeOf(io), await whichOf(io));
  const project = folder?.realDir ?? (await realpath(io.cwd));
  const known = (await believed(io)).entries.has(project);
  if (known) await revokeTrust(project, userDirOf(io));
  if (io.json) printJson(io, { project, revoked: known });
  else {
    const said = known ? 'is not trusted any more' : 'was not trusted';
    print(io, `${visibleText(project)} ${said}.`);
  }
  return 0;
};

/** Throws when there is nothing that could be trusted. */
const lookAt = async (io: Io): Promise<{ trust: ProjectTrust; preview: LoadedConfig }> => {
  const place = placeOf(io);
  const trust = await readProjectTrust(place, await whichOf(io));
  if (!trust.folder) {
    throw new ToolFailure('NOT_FOUND', 'There is no project here that could be trusted.', {
      suggestions: ['To make one: toolcrib init'],
    });
  }
  if (trust.problems.length > 0) throw new ConfigError(trust.problems);
  return { trust, preview: await previewProject(place, trust) };
};

const answered = async (io: Io): Promise<boolean | undefined> => {
  if (canAsk(io) && !io.json) return askForTrust(io);
  throw new ToolFailure('VALIDATION_ERROR', 'There is no terminal to ask on.', {
    suggestions: ['Read the files in .toolcrib, then add --yes to trust them.'],
  });
};

const decide = async (io: Io, { yes = false }: TrustOptions): Promise<number> => {
  const { trust, preview } = await lookAt(io);
  const { folder, state, hash, projectDir: project } = trust;
  if (!folder) return 1;
  const { changes, narrowed, userDir } = preview;
  const told = { project, hash, files: Object.keys(folder.files), changes, narrowed };
  if (state === 'trusted') {
    if (io.json) printJson(io, { ...told, state, before: state });
    else print(io, `${visibleText(project ?? '')} is trusted already, as it is now.`);
    return 0;
  }
  if (!io.json) note(io, ...trustPage(trust, preview), '');
  const answer = yes || (await answered(io));
  const said = { userDir, now: io.runtime.now() };
  if (!answer) {
    if (answer === false) await refuseProject(folder, said);
    note(io, ...errorLines(toolError('USER_CANCELLED', 'It stays untrusted.'), io.noteInk));
    return 3;
  }
  await trustProject(folder, said);
  if (io.json) printJson(io, { ...told, state: 'trusted', before: state });
  else print(io, `${io.ink.green('✓')} ${visibleText(project ?? '')} is trusted, as it is now.`);
  return 0;
};

const act = async (io: Io, options: TrustOptions): Promise<number> => {
  if (options.list === true) return list(io);
  if (options.store === true) return trustStore(io, options.yes === true);
  if (options.watch === true) {
    const { watchTrust } = await import('./watch-trust.ts');
    return watchTrust(io, placeOf(io));
  }
  return options.revoke === true ? revoke(io) : decide(io, options);
};

export const trustCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(
      program.command('trust').description('see what a project’s configuration does, and allow it'),
    )
      .option('-y, --yes', 'trust it without being asked')
      .option('--revoke', 'trust it no longer')
      .option('--list', 'list what was trusted and refused')
      .option('--watch', 'trust your edits of its tool files for as long as this runs')
      .option('--store', 'take over a database in the project that you made elsewhere')
      .action(leaving(io, (options: TrustOptions) => act(io, options))),
    'toolcrib trust',
    'toolcrib trust --watch',
    'toolcrib trust --revoke',
    'toolcrib trust --list --json',
  );
