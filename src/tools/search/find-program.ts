/** Finds a program in fixed folders, never in the workspace: what lies there is not to be trusted. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';

/** Where package managers put programs for everybody, and for the user who installed them. */
export const programFolders = (): readonly string[] => [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
  '/snap/bin',
  '/run/current-system/sw/bin',
  join(homedir(), '.cargo', 'bin'),
  join(homedir(), '.local', 'bin'),
  'C:\\ProgramData\\chocolatey\\bin',
  join(homedir(), 'scoop', 'shims'),
  dirname(process.execPath),
];

const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || !(isAbsolute(way) || way.split(/[\\/]/)[0] === '..');
};

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

export interface ProgramSearch {
  readonly name: string;
  readonly folders: readonly string[];
  /** A program below this folder is not used. */
  readonly workspace: string;
}

/** The absolute path of the program, or `undefined`. */
export const findProgram = async (search: ProgramSearch): Promise<string | undefined> => {
  const file = process.platform === 'win32' ? `${search.name}.exe` : search.name;
  for (const folder of search.folders) {
    if (!isAbsolute(folder) || isInside(search.workspace, folder)) continue;
    const path = join(folder, file);
    if (await isProgram(path)) return path;
  }
  return undefined;
};
