/** Creates a file that a command writes for the user: private, and never in place of an existing one. */
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import type { Io } from '../io.ts';

/** Creates the file. Throws CONFLICT when it exists, EXECUTION_FAILED when it cannot be created. */
export const newFile = async (io: Io, name: string): Promise<FileHandle> => {
  try {
    return await open(resolve(io.cwd, name), 'wx', 0o600);
  } catch (error) {
    throw errorCodeOf(error) === 'EEXIST'
      ? new ToolFailure('CONFLICT', 'There is a file of that name; it is not overwritten.', {
          suggestions: ['Choose another name.'],
        })
      : new ToolFailure('EXECUTION_FAILED', 'The file cannot be created.', {
          suggestions: ['Check that its folder exists and can be written.'],
        });
  }
};
