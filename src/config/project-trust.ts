/** Whether the project around a directory is trusted, with exactly the content that it has now. */
import { realpath } from 'node:fs/promises';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import {
  type Environment,
  findProject,
  homeOf,
  ownerFault,
  ownersAt,
  userConfigDir,
} from './find-config-files.ts';
import { type ProjectFolder, readProjectFolder } from './project-folder.ts';
import { changeTrust, readTrustFile, type TrustEntry } from './trust-file.ts';

export interface ConfigPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly home?: string;
}

export interface ProjectTrust {
  /**
   * `none`: there is nothing to trust. `changed`: it was trusted with other content. Whatever is
   * not `trusted` is inert.
   */
  readonly state: 'none' | 'trusted' | 'untrusted' | 'changed';
  readonly projectDir: string | undefined;
  readonly hash: string | undefined;
  /** The files that are new, gone or different since; only with `changed`. */
  readonly changed?: readonly string[];
  /** The user was asked about this very content and said no. */
  readonly refused: boolean;
  /** The environment asks for trust, whatever is remembered. */
  readonly insisted: boolean;
  /** What keeps it from being trusted: a link among its files, a trust file others can write. */
  readonly problems: readonly ConfigProblem[];
  /** What was read; absent with `none`. A file is only to be obeyed if it hashes to what is here. */
  readonly folder?: ProjectFolder;
}

/** There is no project, or its configuration was named by hand. */
export const NO_PROJECT: ProjectTrust = {
  state: 'none',
  projectDir: undefined,
  hash: undefined,
  refused: false,
  insisted: false,
  problems: [],
};

export const userDirOf = ({ cwd, env, home }: ConfigPlace): string =>
  userConfigDir({ cwd, env, home: home ?? homeOf(env), platform: process.platform });

type Hashes = Readonly<Record<string, string>>;

const hashIn = (files: Hashes, path: string): string | undefined =>
  Object.hasOwn(files, path) ? files[path] : undefined;

const differences = (before: Hashes, after: Hashes): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => hashIn(before, path) !== hashIn(after, path))
    .toSorted();

const stateOf = (
  folder: ProjectFolder,
  { trusted }: TrustEntry,
): Pick<ProjectTrust, 'state' | 'changed'> => {
  if (!trusted) return { state: 'untrusted' };
  if (trusted.hash === folder.hash && folder.problems.length === 0) return { state: 'trusted' };
  return { state: 'changed', changed: differences(trusted.files, folder.files) };
};

const readFolder = async ({ cwd, env, home }: ConfigPlace): Promise<ProjectFolder | undefined> => {
  const projectDir = await findProject(cwd, home ?? homeOf(env));
  if (projectDir === undefined) return undefined;
  const owners = await ownersAt(cwd);
  return readProjectFolder({
    projectDir,
    realDir: await realpath(projectDir),
    check: owners && (({ uid }) => ownerFault(uid, owners)),
  });
};

const INSISTENCE = 'TOOLCRIB_TRUST';

/** The environment is the user's: `1` trusts whatever project one stands in. */
const insistenceOf = (env: Environment): boolean | ConfigProblem => {
  const said = env[INSISTENCE] ?? '';
  if (said === '' || said === '0') return false;
  return said === '1' || { file: INSISTENCE, path: '', message: 'expected 1, or 0, or nothing' };
};

/** Never throws for what it finds. Nothing of the project is parsed here. */
export const readProjectTrust = async (place: ConfigPlace): Promise<ProjectTrust> => {
  const folder = await readFolder(place);
  if (!folder) return NO_PROJECT;
  const insistence = insistenceOf(place.env);
  const insisted = insistence !== false;
  const { projectDir, hash } = folder;
  const found = { projectDir, hash, insisted, refused: false, folder };
  if (insistence === true && folder.problems.length === 0) {
    return { ...found, state: 'trusted', problems: [] };
  }
  const { file, entries, fault } = await readTrustFile(userDirOf(place));
  const entry = entries.get(folder.realDir) ?? {};
  const problems = [
    ...folder.problems,
    ...(fault === undefined ? [] : [{ file, path: '', message: fault }]),
    ...(typeof insistence === 'boolean' ? [] : [insistence]),
  ];
  const refused = entry.refused?.hash === folder.hash;
  return { ...found, refused, problems, ...stateOf(folder, entry) };
};

export interface Answer {
  readonly userDir: string;
  readonly now: number;
}

/** Remembers a yes to what was read. Throws `ConfigError` for a folder that cannot be trusted. */
export const trustProject = async (
  folder: ProjectFolder,
  { userDir, now }: Answer,
): Promise<void> => {
  if (folder.problems.length > 0) throw new ConfigError(folder.problems);
  const { hash, files } = folder;
  const trusted = { hash, files, at: new Date(now).toISOString() };
  await changeTrust(userDir, folder.realDir, () => ({ trusted }));
};

/** Remembers a no to what was read; an earlier yes to other content stays what it was. */
export const refuseProject = (
  { realDir, hash }: ProjectFolder,
  { userDir, now }: Answer,
): Promise<void> =>
  changeTrust(userDir, realDir, ({ trusted }) => ({
    ...(trusted && trusted.hash !== hash && { trusted }),
    refused: { hash, at: new Date(now).toISOString() },
  }));

/** Forgets whatever was answered for the folder. */
export const revokeTrust = (realDir: string, userDir: string): Promise<void> =>
  changeTrust(userDir, realDir, () => undefined);
