/** Reads the checkpoints that a trail is compared with, from files and second stores. */
import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { parseCheckpoints, recallCheckpoints } from '../../governance/audit/checkpoint-book.ts';
import type { StoredCheckpoints } from '../../governance/audit/checkpoint-rows.ts';
import { isMissing } from '../../kit/file/is-missing.ts';
import { createRuntime } from '../create-runtime.ts';
import { readCheckpointStore, storePathOf } from './checkpoint-store.ts';

const readFileOf = async (file: string): Promise<readonly AuditCheckpoint[]> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ToolFailure('NOT_FOUND', 'A checkpoint file cannot be read.', {
      suggestions: ['Check the name of the file and that this user may read it.'],
    });
  });
  return parseCheckpoints(text);
};

const readSecondStore = async (
  path: string,
  trustedKeys: readonly string[],
): Promise<StoredCheckpoints> => {
  const stored = await readCheckpointStore(path, createRuntime(), trustedKeys);
  if (stored) return stored;
  throw new ToolFailure('NOT_FOUND', 'A store of checkpoints cannot be read.', {
    suggestions: ['Check its path, and that its disk is mounted.'],
  });
};

/** Reads the file or second store that a person named. */
export const readNamed = async (
  name: string,
  trustedKeys: readonly string[],
): Promise<StoredCheckpoints> => {
  const path = storePathOf(name);
  return path === undefined
    ? { checkpoints: await readFileOf(name) }
    : readSecondStore(path, trustedKeys);
};

/** Tells whether the destination of automatic checkpoints is missing, e.g. on a disk that is not mounted. */
export const isDestinationMissing = async (destination: string): Promise<boolean> => {
  const path = storePathOf(destination) ?? destination;
  return isAbsolute(path) && isMissing(path);
};

/** Reads the checkpoints of one store from the destination of automatic ones; none from an address. */
export const readDestination = async (
  destination: string,
  store: string,
  trustedKeys: readonly string[],
): Promise<StoredCheckpoints> => {
  const path = storePathOf(destination) ?? destination;
  if (!isAbsolute(path)) return { checkpoints: [] };
  if (path === destination) return { checkpoints: await recallCheckpoints(path, store) };
  const { checkpoints, ...rest } = await readSecondStore(path, trustedKeys);
  return { ...rest, checkpoints: checkpoints.filter((checkpoint) => checkpoint.store === store) };
};
