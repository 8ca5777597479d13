/**
 * Tells whether a path that a project names lies inside one of its folders, with no link on the
 * way.
 */
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { segmentsBelow } from '../kit/file/segments-below.ts';

/** Tells whether a path is a link. A missing one is none; one that cannot be read counts as one. */
const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

export interface ProjectFolders {
  readonly projectDir: string;
  /** The folders to stay in, each relative to the project. */
  readonly inside: readonly string[];
}

/** Tells whether `text`, relative to the project, lies inside the folders. */
export const isInsideProject = async (
  text: string,
  { projectDir, inside }: ProjectFolders,
): Promise<boolean> => {
  const target = resolve(projectDir, text);
  const segments = segmentsBelow(projectDir, target);
  const folders = inside.map((folder) => resolve(projectDir, folder));
  if (!segments || folders.some((folder) => !segmentsBelow(folder, target))) return false;
  let path = projectDir;
  for (const segment of segments) {
    path = join(path, segment);
    if (await isLink(path)) return false;
  }
  return true;
};
