/** Appends the lines of the log to a file that only its user may read; can be reopened when it is rotated. */
import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf, reasonOf } from '../../kit/data/reason-of.ts';
import type { LineTarget } from './json-sink.ts';

/** Without O_NONBLOCK, opening a pipe that nobody reads would never return. */
const FLAGS =
  constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

const open = (path: string): number => {
  const fd = openSync(path, FLAGS, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error('It is no regular file.');
};

const unusable = (path: string, error: unknown): ToolFailure =>
  new ToolFailure(
    'CONFIG_INVALID',
    `observation.logFile: ${path} cannot be written: ${errorCodeOf(error) || reasonOf(error)}`,
    { suggestions: ['Name a file in a folder that you may write to.'] },
  );

/** Writes all bytes. After each write, tells `onPart` whether only a part of them is in the file. */
const writeWhole = (fd: number, bytes: Buffer, onPart: (isPart: boolean) => void): void => {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written);
    onPart(written < bytes.length);
  }
};

/** Opens the file, and makes its folder. Throws CONFIG_INVALID when that fails. */
export const openFileTarget = (path: string): LineTarget => {
  let fd: number | undefined;
  // A full disk may have taken only the beginning of a line: the next line must not continue it.
  let isTorn = false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fd = open(path);
  } catch (error) {
    throw unusable(path, error);
  }
  const close = (): void => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  return {
    write: (text) => {
      // After a failed reopening, the next line tries again.
      fd ??= open(path);
      writeWhole(fd, Buffer.from(isTorn ? `\n${text}` : text), (isPart) => {
        isTorn = isPart;
      });
    },
    reopen: () => {
      const next = open(path);
      close();
      fd = next;
      isTorn &&= fstatSync(next).size > 0;
    },
    close,
  };
};
