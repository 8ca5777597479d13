/** Turns what SQLite throws into STORE_UNAVAILABLE with the remedy. */
import { ToolFailure } from '../../contract/errors.ts';

interface Trouble {
  readonly message: string;
  readonly remedy: string;
  readonly passes: boolean;
}

/** By primary result code, https://sqlite.org/rescode.html. */
const TROUBLES: Readonly<Record<number, Trouble>> = {
  5: {
    message: 'The store is locked by another process.',
    remedy: 'Wait for the other process, or end it; then call again.',
    passes: true,
  },
  8: {
    message: 'The store cannot be written: it is read-only.',
    remedy: 'Make the database file and its folder writable for this user.',
    passes: true,
  },
  10: {
    message: 'The disk failed while the store was used.',
    remedy: 'Check the disk and the file system that hold the database.',
    passes: true,
  },
  11: {
    message: 'The database file is damaged.',
    remedy: 'Stop all processes that use it and restore it from a backup.',
    passes: false,
  },
  13: {
    message: 'The store cannot be written: the disk is full.',
    remedy: 'Free space on the disk that holds the database, then call again.',
    passes: true,
  },
  14: {
    message: 'The database file cannot be opened.',
    remedy: 'Check that its folder exists and that this user may write to it.',
    passes: true,
  },
  26: {
    message: 'The file is not a database.',
    remedy: 'Choose another path for the store, or restore the file from a backup.',
    passes: false,
  },
};

const UNKNOWN: Trouble = {
  message: 'The store failed.',
  remedy: 'The log holds the cause.',
  passes: true,
};

const LOCKED = 6;
const BUSY = 5;

/** Reads the primary result code, 0 when there is none; `undefined` for an error that is not of SQLite. */
const codeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code !== 'ERR_SQLITE_ERROR') return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
};

/** Tells whether another connection holds a lock: trying again may help. */
export const isLocked = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === BUSY || code === LOCKED;
};

/** Explains an error of SQLite; returns any other unchanged. */
export const storeFailure = (error: unknown): unknown => {
  const code = codeOf(error);
  if (code === undefined) return error;
  const trouble = TROUBLES[code === LOCKED ? BUSY : code] ?? UNKNOWN;
  const failure = new ToolFailure('STORE_UNAVAILABLE', trouble.message, {
    retryable: trouble.passes,
    suggestions: [trouble.remedy],
  });
  failure.cause = error;
  return failure;
};
