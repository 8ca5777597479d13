/** Reads a file of rules or of cases that was named on the command line. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import type { Io } from '../../io.ts';

export interface NamedText {
  /** As it was typed: it is what the reader knows the file by. */
  readonly path: string;
  readonly text: string;
}

/** Fails with VALIDATION_ERROR when it cannot be read. */
export const readPolicyFile = async (io: Io, path: string): Promise<NamedText> => {
  try {
    return { path, text: await readFile(resolve(io.cwd, path), 'utf8') };
  } catch (error) {
    const code = errorCodeOf(error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code || 'unknown'})`;
    throw new ToolFailure('VALIDATION_ERROR', `The file ${why}.`, {
      suggestions: ['Check the path; it is taken from where you are now.'],
    });
  }
};
