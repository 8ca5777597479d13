/**
 * Decides whether the project around a directory is trusted, with exactly the content that it has
 * now.
 */
import { realpath } from 'node:fs/promises';
import { ConfigError, type ConfigProblem } from '../config/config-error.ts';
import {
  type Environment,
  homeOf,
  isProject,
  ownerFault,
  ownersAt,
  projectCandidates,
  userConfigDir,
} from '../config/load/find-config-files.ts';
import { ownValue } from '../kit/data/own-value.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { hashOfFiles, type ProjectFolder, readProjectFolder } from './project-folder.ts';
import {
  changeTrust,
  readTrustFile,
  type TrustEntries,
  type TrustEntry,
  type TrustReading,
  trustFileIn,
} from './trust-file.ts';
import { folderInForce, keepCopies } from './trusted-copies.ts';

export interface ConfigLocation {
  readonly cwd: string;
  readonly env: Environment;
  readonly home?: string;
}

export interface ProjectTrust {
  /**
   * `none`: there is nothing to trust. `changed`: it was trusted with other content, and of that
   * `inForce` still counts.
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
  /** What was read, for the user to look at; absent with `none`. */
  readonly folder?: ProjectFolder;
  /** What is to be obeyed: of a changed project what was trusted. Absent where nothing was. */
  readonly inForce?: ProjectFolder;
  /** Settings or rules that were trusted and are gone without a copy: nothing may run without them. */
  readonly lost?: readonly string[];
  /** A nearer project that nobody trusted; it does not hide the trusted one around it. */
  readonly hidden?: string;
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

export const userDirOf = ({ cwd, env, home }: ConfigLocation): string =>
  userConfigDir({ cwd, env, home: home ?? homeOf(env), platform: process.platform });

type Hashes = Readonly<Record<string, string>>;

const differences = (before: Hashes, after: Hashes): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => ownValue(before, path) !== ownValue(after, path))
    .toSorted();

const stateOf = async (
  folder: ProjectFolder,
  { trusted }: TrustEntry,
  userDir: string,
): Promise<Pick<ProjectTrust, 'state' | 'changed' | 'inForce' | 'lost'>> => {
  if (!trusted) return { state: 'untrusted' };
  if (trusted.hash === folder.hash && folder.problems.length === 0) {
    return { state: 'trusted', inForce: folder };
  }
  const { folder: inForce, lost } = await folderInForce(folder, trusted, userDir);
  return { state: 'changed', changed: differences(trusted.files, folder.files), inForce, lost };
};

interface FoundProject {
  readonly projectDir: string;
  readonly hidden?: string;
}

/**
 * Finds the nearest project. One that was trusted counts also when its folder is gone, and when a nearer
 * one that nobody trusted would hide it.
 */
const findTrustable = async (
  { cwd, env, home }: ConfigLocation,
  entries: TrustEntries,
): Promise<FoundProject | undefined> => {
  let nearest: string | undefined;
  for (const directory of await projectCandidates(cwd, home ?? homeOf(env))) {
    const isTrusted =
      entries.size > 0 &&
      entries.get(await realpath(directory).catch(() => directory))?.trusted !== undefined;
    if (isTrusted) {
      return { projectDir: directory, ...(nearest !== undefined && { hidden: nearest }) };
    }
    if (nearest === undefined && (await isProject(directory))) nearest = directory;
    if (nearest !== undefined && entries.size === 0) break;
  }
  return nearest === undefined ? undefined : { projectDir: nearest };
};

const readFolder = async (cwd: string, projectDir: string): Promise<ProjectFolder> => {
  const owners = await ownersAt(cwd);
  return readProjectFolder({
    projectDir,
    realDir: await realpath(projectDir),
    check: owners && (({ uid }) => ownerFault(uid, owners)),
  });
};

const INSISTENCE = 'TOOLCRIB_TRUST';

/** Reads the variable that insists on trust: `1` trusts the project around the directory. */
const insistenceOf = (env: Environment): boolean | ConfigProblem => {
  const said = env[INSISTENCE] ?? '';
  if (said === '' || said === '0') return false;
  return said === '1' || { file: INSISTENCE, path: '', message: 'expected 1, or 0, or nothing' };
};

/** Finds the project to judge; insisting on trust means the nearest one. */
const whichProject = (
  location: ConfigLocation,
  { entries }: TrustReading,
  nearest: boolean,
): Promise<FoundProject | undefined> =>
  findTrustable(location, nearest || insistenceOf(location.env) === true ? new Map() : entries);

export interface ReadTrustOptions {
  /** Looks at the nearest project, also when one around it is trusted and this one is not. */
  readonly nearest?: boolean;
}

/** Reads the trust of a project. Never throws for what it finds, and parses nothing of it. */
export const readProjectTrust = async (
  location: ConfigLocation,
  { nearest = false }: ReadTrustOptions = {},
): Promise<ProjectTrust> => {
  const userDir = userDirOf(location);
  const reading = await readTrustFile(userDir);
  const which = await whichProject(location, reading, nearest);
  if (!which) return NO_PROJECT;
  const folder = await readFolder(location.cwd, which.projectDir);
  const insistence = insistenceOf(location.env);
  const insisted = insistence !== false;
  const { projectDir, hash } = folder;
  const { hidden } = which;
  const more = hidden === undefined ? {} : { hidden };
  const common = { projectDir, hash, insisted, refused: false, folder, ...more };
  if (insistence === true && folder.problems.length === 0) {
    return { ...common, state: 'trusted', problems: [], inForce: folder };
  }
  const { file, entries, fault } = reading;
  const entry = entries.get(folder.realDir) ?? {};
  const problems = [
    ...folder.problems,
    ...(fault === undefined ? [] : [{ file, path: '', message: fault }]),
    ...(typeof insistence === 'boolean' ? [] : [insistence]),
  ];
  const refused = entry.refused?.hash === folder.hash;
  return { ...common, refused, problems, ...(await stateOf(folder, entry, userDir)) };
};

export interface Answer {
  readonly userDir: string;
  readonly now: number;
}

const copy = async (
  userDir: string,
  folder: Pick<ProjectFolder, 'files' | 'contents'>,
): Promise<void> => {
  try {
    await keepCopies(userDir, folder);
  } catch (error) {
    const code = errorCodeOf(error);
    throw new ConfigError([
      { file: trustFileIn(userDir), path: '', message: `cannot be written (${code})` },
    ]);
  }
};

/** Records a yes to what was read. Throws `ConfigError` for a folder that cannot be trusted. */
export const trustProject = async (
  folder: ProjectFolder,
  { userDir, now }: Answer,
): Promise<void> => {
  if (folder.problems.length > 0) throw new ConfigError(folder.problems);
  const { hash, files } = folder;
  const trusted = { hash, files, at: new Date(now).toISOString() };
  await copy(userDir, folder);
  await changeTrust(userDir, folder.realDir, () => ({ trusted }));
};

/**
 * Records a yes to these files alone, as they were read; other trusted files stay trusted. False
 * for a project that was not trusted before.
 */
export const trustFiles = async (
  folder: ProjectFolder,
  names: readonly string[],
  { userDir, now }: Answer,
): Promise<boolean> => {
  const present = names.filter((name) => ownValue(folder.files, name) !== undefined);
  const added = Object.fromEntries(present.map((name) => [name, folder.files[name] ?? '']));
  await copy(userDir, { files: added, contents: folder.contents });
  let isKept = false;
  await changeTrust(userDir, folder.realDir, (entry) => {
    const { trusted } = entry;
    isKept = trusted !== undefined;
    if (!trusted) return Object.keys(entry).length === 0 ? undefined : entry;
    const others = Object.entries(trusted.files).filter(([path]) => !names.includes(path));
    const files = { ...Object.fromEntries(others), ...added };
    return { trusted: { hash: hashOfFiles(files), files, at: new Date(now).toISOString() } };
  });
  return isKept;
};

/** Records a no to what was read; an earlier yes to other content stays. */
export const refuseProject = (
  { realDir, hash }: ProjectFolder,
  { userDir, now }: Answer,
): Promise<void> =>
  changeTrust(userDir, realDir, ({ trusted }) => ({
    ...(trusted && trusted.hash !== hash && { trusted }),
    refused: { hash, at: new Date(now).toISOString() },
  }));

/** Removes all answers for the folder. */
export const revokeTrust = (realDir: string, userDir: string): Promise<void> =>
  changeTrust(userDir, realDir, () => undefined);
