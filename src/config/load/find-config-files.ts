/** Where configuration files are looked for: the project around a directory, and the user's own. */
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** The folder of a project that holds its configuration. */
export const FOLDER = '.toolcrib';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration has one of these names. */
export const NAMES = ['config.yml', 'config.yaml'] as const;

/** Only "not there" counts as absent; a file that may not be looked at is found, and then reported. */
const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

const present = async (directory: string): Promise<readonly string[]> => {
  const files = NAMES.map((name) => join(directory, name));
  const found = await Promise.all(files.map(exists));
  return files.filter((_, index) => found[index]);
};

export const homeOf = (env: Environment): string => env.HOME || env.USERPROFILE || homedir();

export interface UserLocation {
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** The user's configuration directory: `TOOLCRIB_HOME`, or where the platform keeps such things. */
export const userConfigDir = ({ cwd, env, home, platform }: UserLocation): string => {
  if (env.TOOLCRIB_HOME) return resolve(cwd, env.TOOLCRIB_HOME);
  // The XDG specification: a path that is not absolute is to be ignored.
  const xdg = env.XDG_CONFIG_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'toolcrib');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'toolcrib');
  if (platform === 'win32') {
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'toolcrib');
  }
  return join(home, '.config', 'toolcrib');
};

/** The configuration files in the user's directory: none, one, or (a mistake) two. */
export const findUserFiles = (userDir: string): Promise<readonly string[]> => present(userDir);

/** What makes a folder a project: anything in `.toolcrib` that would be obeyed by itself. */
const MARKS = [...NAMES, 'policy.yml', 'tools', 'flows', 'tools.lock'] as const;

export const isProject = async (directory: string): Promise<boolean> => {
  const found = await Promise.all(MARKS.map((name) => exists(join(directory, FOLDER, name))));
  return found.includes(true);
};

/**
 * The directories from `cwd` upwards in which a project may lie. They end below the home directory:
 * one there would make all of a user's files one project. `cwd` itself always counts.
 */
export const placesOfProject = async (cwd: string, home: string): Promise<readonly string[]> => {
  const top = resolve(home);
  // The working directory has its links resolved; the home directory may be one.
  const stops = [top, await realpath(top).catch(() => top)];
  const places: string[] = [];
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    places.push(directory);
    const parent = dirname(directory);
    if (parent === directory || stops.includes(directory) || stops.includes(parent)) return places;
  }
};

/** Climbs from `cwd` to the first directory that is a project. */
export const findProject = async (cwd: string, home: string): Promise<string | undefined> => {
  for (const directory of await placesOfProject(cwd, home)) {
    if (await isProject(directory)) return directory;
  }
  return undefined;
};

/** The project that a file named by hand belongs to, if it lies where a project keeps its own. */
export const projectOf = (file: string): string | undefined => {
  const folder = dirname(file);
  return basename(folder) === FOLDER ? dirname(folder) : undefined;
};

export interface Owners {
  readonly self: number;
  readonly directory: number;
}

/**
 * A file found by climbing may have been planted by someone else, e.g. in /tmp. It is trusted when
 * it belongs to us, to root, or to whoever owns the directory we are in.
 */
export const ownerFault = (uid: number, owners: Owners): string | undefined =>
  uid === owners.self || uid === 0 || uid === owners.directory
    ? undefined
    : 'belongs to another user; set TOOLCRIB_CONFIG to this file if you trust it';

/** `undefined` on platforms without numeric owners. */
export const ownersAt = async (cwd: string): Promise<Owners | undefined> => {
  const self = process.getuid?.();
  return self === undefined ? undefined : { self, directory: (await stat(cwd)).uid };
};
