/** Creates a missing workspace, where its path is certainly inside the project. */
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { ownUid } from '../../../kit/file/private-file.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Repair } from './own-files.ts';

const isInside = (path: string, folder: string): boolean => {
  const below = relative(folder, path);
  return (
    below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && resolve(below) !== below)
  );
};

/** Finds the nearest existing folder above a path. */
const existingAbove = async (path: string): Promise<string> => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const isThere = await lstat(folder).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(folder) === folder) return folder;
  }
};

/**
 * Tells whether the folder is below the project, reached without a link that leads out, in a folder of
 * this user.
 */
const mayMake = async (folder: string, root: string): Promise<boolean> => {
  const [above, project] = await Promise.all([
    existingAbove(folder).then((path) => realpath(path)),
    realpath(root),
  ]);
  const { uid } = await lstat(above);
  const isOurs = ownUid() === undefined || uid === ownUid();
  return isOurs && isInside(folder, root) && isInside(above, project);
};

export const workspaceRepair = async (
  { config }: Pick<LoadedConfig, 'config'>,
  root: string,
): Promise<readonly Repair[]> => {
  const folder = resolve(root, config.workspace.root);
  const isMissing = await lstat(folder).then(
    () => false,
    () => true,
  );
  if (!isMissing || !(await mayMake(folder, root).catch(() => false))) return [];
  return [
    {
      fault: `The workspace ${folder} is missing`,
      repair: `make the folder ${folder}`,
      apply: async () => {
        if (!(await mayMake(folder, root))) throw new Error('a link leads out of the project');
        await mkdir(folder, { recursive: true });
      },
    },
  ];
};
