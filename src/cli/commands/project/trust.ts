/** `toolcrib trust`: shows what a project's configuration would do, and asks whether to trust it. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../../config/config-error.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { pathInProject } from '../../../crib/store/path-in-project.ts';
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
import { canAsk, noTerminal } from '../../input/confirm.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { trustPage } from '../../output/trust-page.ts';
import { askForTrust, askLine } from '../../session/settle-trust.ts';

const WARNING = [
  'Budgets, memory, stored results, idempotency keys and undo snapshots in it will count.',
  'Do this for a database of your own that you moved or restored, never for one that came with the folder.',
];

const confirmStore = async (io: Io, path: string): Promise<boolean> => {
  if (!canAsk(io) || io.json) {
    throw noTerminal('Add --yes if you made this database yourself.');
  }
  note(io, visibleText(path), ...WARNING);
  return (await askLine(io, 'Use this database? y = yes · n = no')) === true;
};

/** Runs `toolcrib trust --store`: takes over a database in the project that the user made. */
const trustStore = async (io: Io, yes: boolean): Promise<number> => {
  const { config, projectDir = io.cwd, userDir } = await loadConfig({ cwd: io.cwd, env: io.env });
  const path = resolve(projectDir, config.store.path);
  // By the path that a crib opens it by, also where links lead into the project.
  const file = (await pathInProject(projectDir, path)) ?? path;
  if (!yes && !(await confirmStore(io, file))) {
    throw new ToolFailure('USER_CANCELLED', 'The database stays unused.');
  }
  const store = await adoptProjectStore(file, { userDir, projectDir });
  if (io.json) printJson(io, { store, adopted: true });
  else printDone(io, `${visibleText(store)} is used from now on.`);
  return 0;
};

interface TrustOptions {
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly list?: boolean;
  readonly store?: boolean;
  readonly watch?: boolean;
}

/** Leaves out the variables that decide about trust for this process only. */
const locationOf = ({ cwd, env }: Io) => {
  const { TOOLCRIB_TRUST: _insisted, TOOLCRIB_CONFIG: _named, ...rest } = env;
  return { cwd, env: rest };
};

/** Picks the nearest project; a trusted one further up only when there is no nearer one. */
const trustOptions = async (io: Io): Promise<ReadTrustOptions> => {
  const { hidden } = await readProjectTrust(locationOf(io));
  return { nearest: hidden !== undefined };
};

const readTrust = async (io: Io): Promise<TrustReading> => {
  const reading = await readTrustFile(userDirOf(io));
  const { file, fault } = reading;
  if (fault !== undefined) throw new ConfigError([{ file, path: '', message: fault }]);
  return reading;
};

const list = async (io: Io): Promise<number> => {
  const { entries } = await readTrust(io);
  const rows = [...entries].map(([project, { trusted, refused }]) => ({
    project,
    trusted: trusted?.at ?? null,
    refused: refused?.at ?? null,
  }));
  if (io.json) printJson(io, { projects: rows });
  else if (rows.length === 0) print(io, 'No project is trusted.');
  for (const { project, trusted, refused } of io.json ? [] : rows) {
    const answers = [
      trusted === null ? '' : `trusted ${trusted}`,
      refused === null ? '' : `refused ${refused}`,
    ];
    print(io, `${visibleText(project)}  ${visibleText(answers.filter(Boolean).join(', '))}`);
  }
  return 0;
};

const revoke = async (io: Io): Promise<number> => {
  const { folder } = await readProjectTrust(locationOf(io), await trustOptions(io));
  const project = folder?.realDir ?? (await realpath(io.cwd));
  const wasTrusted = (await readTrust(io)).entries.has(project);
  if (wasTrusted) await revokeTrust(project, userDirOf(io));
  if (io.json) printJson(io, { project, revoked: wasTrusted });
  else {
    const change = wasTrusted ? 'is not trusted any more' : 'was not trusted';
    print(io, `${visibleText(project)} ${change}.`);
  }
  return 0;
};

/** Reads the project and what it would do. Throws when there is none. */
const readProject = async (io: Io): Promise<{ trust: ProjectTrust; preview: LoadedConfig }> => {
  const location = locationOf(io);
  const trust = await readProjectTrust(location, await trustOptions(io));
  if (!trust.folder) {
    throw new ToolFailure('NOT_FOUND', 'There is no project here that could be trusted.', {
      suggestions: ['To make one: toolcrib init'],
    });
  }
  if (trust.problems.length > 0) throw new ConfigError(trust.problems);
  return { trust, preview: await previewProject(location, trust) };
};

const askOnTerminal = async (io: Io): Promise<boolean | undefined> => {
  if (canAsk(io) && !io.json) return askForTrust(io);
  throw noTerminal('Read the files in .toolcrib, then add --yes to trust them.');
};

const decide = async (io: Io, { yes = false }: TrustOptions): Promise<number> => {
  const { trust, preview } = await readProject(io);
  const { folder, state, hash, projectDir: project } = trust;
  if (!folder) return 1;
  const { changes, narrowed, userDir } = preview;
  const report = { project, hash, files: Object.keys(folder.files), changes, narrowed };
  if (state === 'trusted') {
    if (io.json) printJson(io, { ...report, state, before: state });
    else print(io, `${visibleText(project ?? '')} is trusted already, as it is now.`);
    return 0;
  }
  if (!io.json) note(io, ...trustPage(trust, preview), '');
  const answer = yes || (await askOnTerminal(io));
  const decision = { userDir, now: io.runtime.now() };
  if (!answer) {
    if (answer === false) await refuseProject(folder, decision);
    throw new ToolFailure('USER_CANCELLED', 'The project stays untrusted.');
  }
  await trustProject(folder, decision);
  if (io.json) printJson(io, { ...report, state: 'trusted', before: state });
  else printDone(io, `${visibleText(project ?? '')} is trusted, as it is now.`);
  return 0;
};

const act = async (io: Io, options: TrustOptions): Promise<number> => {
  if (options.list === true) return list(io);
  if (options.store === true) return trustStore(io, options.yes === true);
  if (options.watch === true) {
    const { watchTrust } = await import('./watch-trust.ts');
    return watchTrust(io, locationOf(io));
  }
  return options.revoke === true ? revoke(io) : decide(io, options);
};

export const trustCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('trust'))
      .option('-y, --yes', 'trust it without being asked')
      .option('--revoke', 'stop trusting it')
      .option('--list', 'list what was trusted and refused')
      .option('--watch', 'trust your edits of its tool files while this runs')
      .option('--store', 'take over a database in the project that you made elsewhere')
      .action(leaving(io, (options: TrustOptions) => act(io, options))),
    'toolcrib trust',
    'toolcrib trust --watch',
    'toolcrib trust --revoke',
    'toolcrib trust --list --json',
  );
