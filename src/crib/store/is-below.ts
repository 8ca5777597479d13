/** Tells whether a file lies in a folder, by their paths alone. */
import { isAbsolute, relative, sep } from 'node:path';

/** True for absolute paths below the folder; the folder itself is not below it. */
export const isBelow = (folder: string, file: string): boolean => {
  const path = relative(folder, file);
  return path !== '' && !isAbsolute(path) && path.split(sep)[0] !== '..';
};
