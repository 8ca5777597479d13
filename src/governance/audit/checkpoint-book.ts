/**
 * The checkpoints of this user, one a line in a file: `audit verify` compares each trail with them
 * by itself.
 */
import { constants } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { parseCheckpoint } from './checkpoint.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** Parses checkpoints, one a line. Throws VALIDATION_ERROR that names the line. */
export const parseCheckpoints = (text: string): readonly AuditCheckpoint[] =>
  text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parseCheckpoint(line)];
    } catch (error) {
      const { code, message, extras } = error as ToolFailure;
      throw new ToolFailure(code, `Line ${index + 1}: ${message}`, extras);
    }
  });

/** Appends one line and syncs it. Throws when the file cannot be written or is a link. */
export const rememberCheckpoint = async (file: string, note: AuditCheckpoint): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Opened to append: lines of two processes do not overwrite each other.
  const handle = await open(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    await handle.appendFile(`${JSON.stringify(note)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Reads the checkpoints of the store, none without a file. Throws for a line that is none. */
export const recallCheckpoints = async (
  file: string,
  store: string,
): Promise<readonly AuditCheckpoint[]> => {
  let text = '';
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  }
  return parseCheckpoints(text).filter((note) => note.store === store);
};
