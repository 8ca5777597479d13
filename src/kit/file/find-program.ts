/** Finds a program in a list of folders: a file that may be run. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { segmentsBelow } from './segments-below.ts';

export interface ProgramSearch {
  /** The names it may have, such as `rg` and `rg.exe`. An absolute path is used as it is. */
  readonly names: readonly string[];
  readonly folders: readonly string[];
  /** Programs below this folder are not used, because a workspace is not trusted. */
  readonly outside?: string;
}

/** Lists the folders of the PATH. */
export const pathFolders = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');

const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
};

/** Gives the first of the names that is there, as a path; `undefined` when none is. */
export const findProgram = async (search: ProgramSearch): Promise<string | undefined> => {
  const { names, folders, outside } = search;
  for (const name of names) if (isAbsolute(name) && (await isProgram(name))) return name;
  for (const folder of folders) {
    // A relative folder depends on where the process runs, which may be the workspace.
    if (outside !== undefined && (!isAbsolute(folder) || segmentsBelow(outside, folder))) continue;
    for (const name of names) {
      const file = join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
};
