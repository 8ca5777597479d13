/** Tells by what the links of two paths lead to whether a database lies in a project. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
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
