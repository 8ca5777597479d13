/** Where a sandboxed program starts: where it was told, as long as it can see that place. */
import { isAbsolute, normalize } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';
import { isAtOrBelow, type SandboxGrant } from './sandbox-grants.ts';

const OWN = '/tmp';

/** By default the first folder that may be written, then read, then its own scratch folder. */
export const workingFolder = (
  wanted: string | undefined,
  grants: readonly SandboxGrant[],
): string => {
  if (wanted === undefined) return grants.find(({ isFolder }) => isFolder)?.path ?? OWN;
  const path = normalize(wanted);
  const seen = [OWN, ...grants.map((grant) => grant.path)];
  if (isAbsolute(path) && seen.some((root) => isAtOrBelow(path, root))) return path;
  throw new ToolFailure('SANDBOX_ERROR', 'The working folder is not visible in the sandbox.', {
    suggestions: ['Grant the folder in fileSystemAccess, or start in one that is granted.'],
  });
};
