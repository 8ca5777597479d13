/** Tells paths that lead nowhere from those that lead to something. */
import { access } from 'node:fs/promises';

/** Tells whether there is nothing at a path, or nothing that this user may see. */
export const isMissing = (path: string): Promise<boolean> =>
  access(path).then(
    () => false,
    () => true,
  );
