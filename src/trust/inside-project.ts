/** Whether a place that a project names lies inside one of its folders, with no link on the way. */
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { segmentsBelow } from '../kit/file/segments-below.ts';

/** What does not exist yet is no link; what cannot be looked at counts as one. */
const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

export interface Place {
  readonly projectDir: string;
  /** The folders to stay in, each relative to the project. */
  readonly inside: readonly string[];
}

/** `text` is relative to the project, as all paths of its configuration are. */
export const isInsideProject = async (
  text: string,
  { projectDir, inside }: Place,
): Promise<boolean> => {
  const place = resolve(projectDir, text);
  const way = segmentsBelow(projectDir, place);
  const folders = inside.map((folder) => resolve(projectDir, folder));
  if (!way || folders.some((folder) => !segmentsBelow(folder, place))) return false;
  let path = projectDir;
  for (const segment of way) {
    path = join(path, segment);
    if (await isLink(path)) return false;
  }
  return true;
};
