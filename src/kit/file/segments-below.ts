/** Tells by the text of two paths where one lies below the other. */
import { isAbsolute, relative, sep } from 'node:path';

/** Gives the segments of a path below a root: `[]` for the root itself, `undefined` outside of it. */
export const segmentsBelow = (root: string, path: string): readonly string[] | undefined => {
  const way = relative(root, path);
  if (way === '') return [];
  const segments = way.split(sep);
  return isAbsolute(way) || segments[0] === '..' ? undefined : segments;
};

/** Tells whether a file lies below a folder. The folder itself does not. */
export const isBelow = (folder: string, file: string): boolean =>
  (segmentsBelow(folder, file)?.length ?? 0) > 0;
