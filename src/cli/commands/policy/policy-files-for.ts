/** The files of rules that a command goes by: those in force, or one in the place of the user's. */

import type { PolicyFile } from '../../../config/load/policy-files.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { readPolicyFile } from './read-policy-file.ts';

/** The rules of a project stay: they hold whatever the user writes. */
export const policyFilesFor = async (
  io: Io,
  { policyFiles }: Pick<LoadedConfig, 'policyFiles'>,
  instead: string | undefined,
): Promise<readonly PolicyFile[]> => {
  if (instead === undefined) return policyFiles;
  const named = await readPolicyFile(io, instead);
  return [{ ...named, kind: 'user' }, ...policyFiles.filter(({ kind }) => kind === 'project')];
};
