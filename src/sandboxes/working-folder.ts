/** Chooses the folder in which a sandboxed program starts: one that it can see. */
import { isAbsolute, normalize } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';
import { isAtOrBelow, type SandboxGrant } from './sandbox-grants.ts';

const OWN = '/tmp';

/** Gives the folder asked for. Without one: the first that may be written, then read, then /tmp. */
export const workingFolder = (
  folder: string | undefined,
  grants: readonly SandboxGrant[],
): string => {
  if (folder === undefined) return grants.find(({ isFolder }) => isFolder)?.path ?? OWN;
  const path = normalize(folder);
  const seen = [OWN, ...grants.map((grant) => grant.path)];
  if (isAbsolute(path) && seen.some((root) => isAtOrBelow(path, root))) return path;
  throw new ToolFailure('SANDBOX_ERROR', 'The working folder is not visible in the sandbox.', {
    suggestions: ['Grant the folder in fileSystemAccess, or start in one that is granted.'],
  });
};
