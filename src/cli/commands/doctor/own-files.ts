/**
 * What can be repaired in the user's own folder: modes that let others in, and leftovers of processes that
 * have ended. Nothing outside that folder is looked at, links are not followed, and what another user owns
 * is left alone, so that no project can steer a repair.
 */
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { ownUid } from '../../../kit/file/private-file.ts';
import { removeStale, staleEntries } from '../../../kit/file/remove-stale.ts';
import { counted } from '../../output/format-units.ts';
import { staleServeFiles } from '../../session/running-server.ts';

/** Something that is wrong, and what puts it right. */
export interface Repair {
  readonly fault: string;
  readonly repair: string;
  /** Rejects when the repair fails. */
  apply(): Promise<void>;
}

const FOLDERS = ['keys', 'stores', 'trusted', 'run', 'cache', 'teams', 'packages'];
/** Files that hold secrets: nobody else may read them. */
const SECRET_FILES = ['secrets.json', 'shell-history'];
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
/** After this time compiled tools are removed; they are compiled again when needed. */
const MAX_CACHE_AGE_MS = 90 * DAY_MS;

const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined);

const isOurs = ({ uid }: Stats): boolean => uid === ownUid();

/** Tells whether a folder below the user's own is a real folder: what lies behind a link is elsewhere. */
const isOwnFolder = async (userDir: string, ...names: readonly string[]): Promise<boolean> => {
  let path = userDir;
  for (const name of names) {
    path = join(path, name);
    const stats = await statsOf(path);
    if (!stats?.isDirectory() || !isOurs(stats)) return false;
  }
  return true;
};

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0');

/** Takes bits off the mode of a file or folder, on one handle, so that a link cannot come in between. */
const narrow = async (path: string, forbidden: number): Promise<void> => {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    if (!isOurs(stats)) throw new Error('it belongs to another user');
    await handle.chmod(stats.mode & 0o7777 & ~forbidden);
  } finally {
    await handle.close();
  }
};

const modeRepair = async (path: string, forbidden: number): Promise<readonly Repair[]> => {
  const stats = await statsOf(path);
  if (!stats || !isOurs(stats) || !(stats.isFile() || stats.isDirectory())) return [];
  if ((stats.mode & forbidden) === 0) return [];
  const access = forbidden === OTHERS ? 'read or change' : 'change';
  return [
    {
      fault: `Other users can ${access} ${path}`,
      repair: `set the mode of ${path} from ${octal(stats.mode)} to ${octal(stats.mode & ~forbidden)}`,
      apply: () => narrow(path, forbidden),
    },
  ];
};

const modeRepairs = async (userDir: string): Promise<readonly Repair[]> => {
  const names = await readdir(userDir).catch(() => []);
  const hasKeys = await isOwnFolder(userDir, 'keys');
  const keys = hasKeys ? await readdir(join(userDir, 'keys')).catch(() => []) : [];
  const secret = (name: string): boolean => SECRET_FILES.includes(name) || FOLDERS.includes(name);
  const all = await Promise.all([
    modeRepair(userDir, OTHERS),
    ...names.map((name) => modeRepair(join(userDir, name), secret(name) ? OTHERS : OTHERS_WRITE)),
    ...keys.map((name) => modeRepair(join(userDir, 'keys', name), OTHERS)),
  ]);
  return all.flat();
};

const folderRepair = async (userDir: string): Promise<readonly Repair[]> =>
  (await statsOf(userDir))
    ? []
    : [
        {
          fault: `The user's folder ${userDir} is missing`,
          repair: `make the folder ${userDir}, for this user alone`,
          apply: async () => void (await mkdir(userDir, { recursive: true, mode: 0o700 })),
        },
      ];

const serveRepair = async (userDir: string): Promise<readonly Repair[]> => {
  if (!(await isOwnFolder(userDir, 'run'))) return [];
  const files = await staleServeFiles(userDir);
  if (files.length === 0) return [];
  return [
    {
      fault: `${counted(files.length, 'file')} of servers that have ended in ${join(userDir, 'run')}`,
      repair: `remove ${files.join(', ')}`,
      apply: async () => {
        // Looks again: a server may have been started meanwhile with the same process id.
        for (const file of await staleServeFiles(userDir)) await rm(file, { force: true });
      },
    },
  ];
};

/** Offers to remove entries by the prefixes of their names and their age; younger ones are never removed. */
const staleRepair = async (
  [userDir, ...names]: readonly [string, ...string[]],
  rules: Parameters<typeof removeStale>[1],
  what: string,
): Promise<readonly Repair[]> => {
  const folder = join(userDir, ...names);
  if (!(await isOwnFolder(userDir, ...names))) return [];
  const entries = await staleEntries(folder, rules);
  if (entries.length === 0) return [];
  return [
    {
      fault: `${counted(entries.length, what)} in ${folder}`,
      repair: `remove ${counted(entries.length, what)} from ${folder}`,
      apply: async () => {
        if (await isOwnFolder(userDir, ...names)) await removeStale(folder, rules);
      },
    },
  ];
};

/** Lists what can be repaired in the user's folder. Changes nothing. */
export const findRepairs = async (userDir: string, now: number): Promise<readonly Repair[]> => {
  if (ownUid() === undefined) return folderRepair(userDir);
  const folder = await realpath(userDir).catch(() => userDir);
  const temporary = { prefixes: ['.toolcrib-'], minAgeMs: DAY_MS, now };
  const repairs = await Promise.all([
    folderRepair(userDir),
    modeRepairs(folder),
    serveRepair(folder),
    staleRepair([folder], temporary, 'temporary file'),
    staleRepair([folder, 'keys'], temporary, 'temporary file'),
    staleRepair(
      [folder, 'cache', 'tools'],
      { prefixes: [''], minAgeMs: MAX_CACHE_AGE_MS, now },
      'old compiled tool',
    ),
  ]);
  return repairs.flat();
};
