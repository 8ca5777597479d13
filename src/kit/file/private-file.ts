/** Reads a file whose owner and mode matter. One handle is checked and read, so both are the same file. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const ROOT = 0;

export interface OwnerRules {
  /** Bits of the mode that must not be set. */
  readonly forbidden: number;
  /** A file of root is allowed, too. */
  readonly orRoot?: boolean;
}

/** For a file with a secret in it. */
export const UNREADABLE_BY_OTHERS = 0o077;
export const UNWRITABLE_BY_OTHERS = 0o022;

/** Gives the user id of this process; none on Windows. */
export const ownUid = (): number | undefined => process.getuid?.();

/**
 * Says why others could reach a file: it has another owner, or its mode lets them. `self` is absent
 * where owners are no numbers, as on Windows; there only the system's own rules protect the file.
 */
export const othersReach = (
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  { forbidden, orRoot }: OwnerRules,
  self: number | undefined,
): 'owner' | 'mode' | undefined => {
  if (self === undefined) return undefined;
  if (uid !== self && !(orRoot && uid === ROOT)) return 'owner';
  return (mode & forbidden) === 0 ? undefined : 'mode';
};

/** Reads at most `size` bytes, because a file can grow or have no end; gives nothing for a longer one. */
const readAtMost = async (handle: FileHandle, size: number): Promise<Uint8Array | undefined> => {
  const buffer = new Uint8Array(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return undefined;
};

export type FileFault = 'not-regular' | 'too-large' | 'changed';

export interface ReadFileRules {
  readonly maxBytes: number;
  /** A link fails with ELOOP. */
  readonly noLink?: boolean | undefined;
  /** Judges the opened file before it is read; what it throws is thrown on. */
  readonly check?: ((stats: Stats) => void) | undefined;
}

/** Reads a regular file of limited size. Throws the system's error when it cannot be opened. */
export const readCheckedFile = async (
  path: string,
  { maxBytes, noLink, check }: ReadFileRules,
): Promise<Uint8Array | FileFault> => {
  // Not blocking, or a named pipe in the place of the file would hang the reader.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, noLink ? flags | (constants.O_NOFOLLOW ?? 0) : flags);
  try {
    const stats = await handle.stat();
    check?.(stats);
    if (!stats.isFile()) return 'not-regular';
    if (stats.size > maxBytes) return 'too-large';
    return (await readAtMost(handle, stats.size)) ?? 'changed';
  } finally {
    await handle.close();
  }
};
