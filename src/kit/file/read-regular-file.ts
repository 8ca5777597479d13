/** Reads a file that somebody else may have put there: no device, no pipe, no more than a limit. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { invalidSetting } from '../data/coded-failures.ts';
import { segmentsBelow } from './segments-below.ts';

export interface RegularFileOptions {
  readonly maxBytes: number;
  /** A folder that no link may lead out of. */
  readonly within?: string | undefined;
}

/** Gives the file itself, so that no link is followed when it is opened. */
const realFile = async (path: string, within: string | undefined): Promise<string> => {
  if (within === undefined) return realpath(path);
  const [root, file] = await Promise.all([realpath(within), realpath(path)]);
  if (segmentsBelow(root, file) !== undefined) return file;
  throw invalidSetting('A file leaves its folder by a link.', 'Copy the file into the folder.');
};

/** Rejects with CONFIG_INVALID for what is no file or too large, and as the file system does. */
export const readRegularFile = async (
  path: string,
  { maxBytes, within }: RegularFileOptions,
): Promise<Buffer> => {
  // Without blocking: opening a pipe would wait for somebody to write to it.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(await realFile(path, within), flags);
  try {
    const { size } = await file.stat().then((stats) => {
      if (stats.isFile()) return stats;
      throw invalidSetting('What should be read is no file.', 'Name a regular file.');
    });
    if (size > maxBytes) {
      throw invalidSetting(`The file is larger than ${maxBytes} bytes.`, 'Use a smaller one.');
    }
    return await readUpTo(file, maxBytes);
  } finally {
    await file.close();
  }
};

/** Reads piece by piece, not by size: files below /proc have none, and others grow. */
const readUpTo = async (
  file: Awaited<ReturnType<typeof open>>,
  maxBytes: number,
): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of file.createReadStream({ autoClose: false })) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > maxBytes) {
      throw invalidSetting(`The file is larger than ${maxBytes} bytes.`, 'Use a smaller one.');
    }
  }
  return Buffer.concat(pieces, size);
};
