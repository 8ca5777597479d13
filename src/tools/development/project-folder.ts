/** Finds the folder to start a program in: a real one, below the workspace root. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';

/** Returns the absolute path. Fails with VALIDATION_ERROR at `field` when there is no such folder. */
export const projectFolder = async (
  { fs }: ToolContext,
  path: string,
  field: string,
): Promise<string> => {
  const info = await fs.stat(path);
  if (info?.kind === 'directory') return fs.resolve(path, 'read');
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such folder in the workspace.', {
    issues: [{ path: [field], message: 'It must be a folder of the workspace.' }],
    suggestions: ['List the workspace first.'],
  });
};
