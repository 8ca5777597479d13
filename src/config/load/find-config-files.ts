/** Finds configuration files: of the project around a directory, and of the user. */
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** The rules beside a configuration that names none. */
export const DEFAULT_POLICY_FILE = 'policy.yml';

/** The folder of a project that holds its configuration. */
export const FOLDER = '.toolcrib';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The names of configuration files. */
export const NAMES = ['config.yml', 'config.yaml'] as const;

/** Tells whether a file exists; true in doubt, because a file without permission is reported later. */
const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

const existingFiles = async (directory: string): Promise<readonly string[]> => {
  const files = NAMES.map((name) => join(directory, name));
  const isPresent = await Promise.all(files.map(exists));
  return files.filter((_, index) => isPresent[index]);
};

export const homeOf = (env: Environment): string => env.HOME || env.USERPROFILE || homedir();

export interface UserLocation {
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Gives the user's configuration directory: `TOOLCRIB_HOME`, or the one of the platform. */
export const userConfigDir = ({ cwd, env, home, platform }: UserLocation): string => {
  if (env.TOOLCRIB_HOME) return resolve(cwd, env.TOOLCRIB_HOME);
  // XDG specification: a path that is not absolute must be ignored.
  const xdg = env.XDG_CONFIG_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'toolcrib');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'toolcrib');
  if (platform === 'win32') {
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'toolcrib');
  }
  return join(home, '.config', 'toolcrib');
};

/** Lists the configuration files in the user's directory: none, one, or (a mistake) two. */
export const findUserFiles = (userDir: string): Promise<readonly string[]> =>
  existingFiles(userDir);

/** The entries of `.toolcrib` that make a folder a project: they take effect without being named. */
const MARKS = [...NAMES, 'policy.yml', 'tools', 'flows', 'tools.lock', 'packages.lock'] as const;

export const isProject = async (directory: string): Promise<boolean> => {
  const marks = await Promise.all(MARKS.map((name) => exists(join(directory, FOLDER, name))));
  return marks.includes(true);
};

/**
 * Lists the directories from `cwd` upwards that may be a project. They end below the home directory: a
 * project there would contain all files of the user. `cwd` itself always counts.
 */
export const projectCandidates = async (cwd: string, home: string): Promise<readonly string[]> => {
  const top = resolve(home);
  // The working directory has its links resolved; the home directory may be one.
  const stops = [top, await realpath(top).catch(() => top)];
  const directories: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    directories.push(directory);
    const parent = dirname(directory);
    if (parent === directory || stops.includes(directory) || stops.includes(parent))
      return directories;
  }
};

/** Finds the nearest project from `cwd` upwards. */
export const findProject = async (cwd: string, home: string): Promise<string | undefined> => {
  for (const directory of await projectCandidates(cwd, home)) {
    if (await isProject(directory)) return directory;
  }
  return undefined;
};

/** Gives the project of a configuration file, if it lies in the folder of a project. */
export const projectOf = (file: string): string | undefined => {
  const folder = dirname(file);
  return basename(folder) === FOLDER ? dirname(folder) : undefined;
};

export interface Owners {
  readonly self: number;
  readonly directory: number;
}

/**
 * Refuses a file that another user may have planted in a parent directory, e.g. in /tmp. Accepted are
 * files of this user, of root, or of the owner of the working directory.
 */
export const ownerFault = (uid: number, owners: Owners): string | undefined =>
  uid === owners.self || uid === 0 || uid === owners.directory
    ? undefined
    : 'belongs to another user; set TOOLCRIB_CONFIG to this file if you trust it';

/** Returns `undefined` on platforms without numeric owners. */
export const ownersAt = async (cwd: string): Promise<Owners | undefined> => {
  const self = process.getuid?.();
  return self === undefined ? undefined : { self, directory: (await stat(cwd)).uid };
};

/** Variables with our prefix that are no settings. */
export const NOT_SETTINGS: readonly string[] = [
  'TOOLCRIB_HOME',
  'TOOLCRIB_CONFIG',
  'TOOLCRIB_SIGNING_KEY_FILE',
  'TOOLCRIB_TRUST',
  // Marks the processes of an MCP server, which may be another program of ours.
  'TOOLCRIB_SERVER_RUN',
];

/** Lists the variables that set something. An empty one counts as unset, as in compose files and CI systems. */
export const settingsIn = (env: Environment): readonly (readonly [string, string])[] =>
  Object.entries(env)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .filter(([name]) => name.startsWith('TOOLCRIB_') && !NOT_SETTINGS.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

export const hasSettings = (env: Environment): boolean => settingsIn(env).length > 0;
