/** Tells by what the links of two paths lead to whether a database lies in a project. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { FOLDER, isProject } from '../../config/load/find-config-files.ts';
import { isBelow } from '../../kit/file/segments-below.ts';

/** Follows the links of a path, as far as it exists. */
const realPathOf = async (path: string): Promise<string> => {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  const folder = dirname(path);
  return folder === path ? path : join(await realPathOf(folder), basename(path));
};

/**
 * Returns the path of a file as one below the project; `undefined` for a file elsewhere. A path that is below
 * the project by its text stays as it is, also where a link leads out: that is judged where it is opened.
 */
export const pathInProject = async (project: string, path: string): Promise<string | undefined> => {
  if (isBelow(project, path)) return path;
  const [folder, file] = await Promise.all([realPathOf(project), realPathOf(path)]);
  return isBelow(folder, file) ? join(project, relative(folder, file)) : undefined;
};

export interface FileInProject {
  /** The project, with no link on the way. */
  readonly project: string;
  /** The file below it. */
  readonly file: string;
}

/** Some file systems take `.Toolcrib` for `.toolcrib`. */
const isFolder = (path: string): boolean => basename(path).toLowerCase() === FOLDER;

/**
 * Finds the project that a file lies in, whichever that is; `undefined` for a file in none, or in the user's
 * own folder. A folder that holds the user's own is no project: all files of the user would be in it.
 */
export const projectAround = async (
  path: string,
  userDir: string,
): Promise<FileInProject | undefined> => {
  const [own, file] = await Promise.all([realPathOf(userDir), realPathOf(path)]);
  if (isBelow(own, file)) return undefined;
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    if (isFolder(at)) return { project: dirname(at), file };
    if (!isBelow(at, own) && (await isProject(at))) return { project: at, file };
  }
  return undefined;
};
