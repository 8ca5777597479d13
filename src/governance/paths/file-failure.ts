/**
 * Turns errors of the file system into codes of the error table. The path never reaches the
 * message.
 */
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';

type Row = readonly [code: ErrorCode, message: string, suggestion: string];

const ROWS: Readonly<Record<string, Row>> = {
  ENOENT: ['NOT_FOUND', 'There is no such file or directory.', 'List the directory first.'],
  ENOTDIR: [
    'NOT_FOUND',
    'A part of the path is a file, not a directory.',
    'List the directory first.',
  ],
  EISDIR: ['CONFLICT', 'The path is a directory, not a file.', 'Name a file in it.'],
  EEXIST: ['CONFLICT', 'Something of that name exists already.', 'Choose another name.'],
  ENOTEMPTY: ['CONFLICT', 'The directory is not empty.', 'Remove what it holds first.'],
  EACCES: [
    'PERMISSION_DENIED',
    'The operating system does not allow it.',
    'Ask the owner of the file for access.',
  ],
  EPERM: [
    'PERMISSION_DENIED',
    'The operating system does not allow it.',
    'Ask the owner of the file for access.',
  ],
  EROFS: [
    'PERMISSION_DENIED',
    'The file system is read-only.',
    'Write to another place of the workspace.',
  ],
  ELOOP: [
    'SECURITY_VIOLATION',
    'The path leads through a link that may not be followed.',
    'Name the file itself.',
  ],
  ENXIO: [
    'SECURITY_VIOLATION',
    'The path is a pipe, socket or device.',
    'Only regular files can be used.',
  ],
  ENAMETOOLONG: ['VALIDATION_ERROR', 'A name in the path is too long.', 'Use shorter names.'],
  ENOSPC: ['EXECUTION_FAILED', 'The disk is full.', 'Free some space and call again.'],
  EDQUOT: ['EXECUTION_FAILED', 'The disk quota is used up.', 'Free some space and call again.'],
  EMFILE: ['LOCK', 'Too many files are open.', 'Call again a little later.'],
  ENFILE: ['LOCK', 'Too many files are open.', 'Call again a little later.'],
  EBUSY: ['LOCK', 'The file is in use.', 'Call again a little later.'],
};

/** Gives the code of the operating system, such as `ENOENT`; '' for any other error. */
export const systemCode = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^E(?!RR_)[A-Z0-9]+$/.test(code) ? code : '';
};

/** Makes a failure of the table from an error of the system; returns any other error as it is. */
export const fileFailure = (error: unknown): unknown => {
  const code = systemCode(error);
  if (code === '') return error;
  const row = Object.hasOwn(ROWS, code) ? ROWS[code] : undefined;
  if (row) return new ToolFailure(row[0], row[1], { suggestions: [row[2]] });
  return new ToolFailure('EXECUTION_FAILED', `The file system failed with ${code}.`);
};

/** Runs work on files and throws errors of the system as failures of the table. */
export const onFiles = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(error);
  }
};
