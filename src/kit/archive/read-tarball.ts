/**
 * Reads a gzipped tar archive from outside into memory, within limits. Only plain files come through:
 * an archive with a link, a device, a path that leads out or a bomb in it is refused as a whole.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../data/reason-of.ts';
import { visibleItem } from '../text/visible-text.ts';
import { entryPathFault, PathCollisions } from './entry-path.ts';

export interface ArchiveLimits {
  readonly maxPackedBytes: number;
  readonly maxUnpackedBytes: number;
  /** How many times larger than packed it may be. */
  readonly maxRatio: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

export const PACKAGE_LIMITS: ArchiveLimits = {
  maxPackedBytes: 20_000_000,
  maxUnpackedBytes: 64_000_000,
  maxRatio: 200,
  maxFiles: 4000,
  maxFileBytes: 16_000_000,
};

/** Small archives may be larger by more than the ratio: tar pads every file. */
const FREE_BYTES = 1_000_000;
const BLOCK = 512;
const MAX_PAX_BYTES = 64 * 1024;

const refused = (what: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The archive was refused: ${what}.`, {
    suggestions: ['Nothing was unpacked. Ask the author for an archive as `npm pack` makes it.'],
  });

const LINKS_AND_DEVICES: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a named pipe',
};

/** The kinds of entry that are read; others are refused by name. */
const FILE_KINDS = ['0', '\0'];
const FOLDER = '5';
const PAX = 'x';
const PAX_GLOBAL = 'g';

const decoder = new TextDecoder('utf-8', { fatal: true });

const decoded = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw refused('it has a name that is not UTF-8');
  }
};

const textField = (block: Uint8Array, at: number, length: number): string => {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoded(end < 0 ? field : field.subarray(0, end));
};

const numberField = (block: Uint8Array, at: number, length: number): number => {
  const text = textField(block, at, length).trim();
  if (!/^[0-7]{1,12}$/.test(text)) throw refused('its headers cannot be read');
  return Number.parseInt(text, 8);
};

/** Compares the sum of a header: what is no header must not be read as one. */
const assertHeader = (block: Uint8Array): void => {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 32 : Number(block[at]);
  if (sum !== numberField(block, 148, 8)) throw refused('its headers cannot be read');
};

/** Reads `length key=value` records; only the path counts, and what would change the size is refused. */
const paxPath = (bytes: Uint8Array): string | undefined => {
  let path: string | undefined;
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(32, at);
    const length = Number(decoded(bytes.subarray(at, Math.max(space, at))));
    const isSound = space > at && Number.isSafeInteger(length) && length > space - at + 2;
    if (!isSound || at + length > bytes.length) throw refused('its headers cannot be read');
    const record = decoded(bytes.subarray(space + 1, at + length - 1));
    const [key = '', ...rest] = record.split('=');
    if (key === 'path') path = rest.join('=');
    if (key === 'size' || key === 'linkpath') throw refused(`it sets ${key} in a second header`);
    at += length;
  }
  return path;
};

const headerPath = (block: Uint8Array): string => {
  const name = textField(block, 0, 100);
  const isUstar = textField(block, 257, 6).startsWith('ustar');
  const prefix = isUstar ? textField(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
};

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly bytes: Uint8Array;
}

const isEmptyBlock = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

/** Yields the entries as they are named in the archive. */
function* entriesOf(tar: Uint8Array, { maxFileBytes }: ArchiveLimits): Generator<Entry> {
  let at = 0;
  let longPath: string | undefined;
  while (at + BLOCK <= tar.length) {
    const block = tar.subarray(at, at + BLOCK);
    if (isEmptyBlock(block)) return;
    assertHeader(block);
    const size = numberField(block, 124, 12);
    const kind = String.fromCharCode(Number(block[156]));
    const start = at + BLOCK;
    if (start + size > tar.length) throw refused('it is cut off');
    const bytes = tar.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (kind === PAX || kind === PAX_GLOBAL) {
      if (size > MAX_PAX_BYTES) throw refused('it has a header that is too large');
      const path = paxPath(bytes);
      if (kind === PAX) longPath = path;
      else if (path !== undefined) throw refused('it names all files alike');
      continue;
    }
    const path = longPath ?? headerPath(block);
    longPath = undefined;
    if (kind !== FOLDER && !FILE_KINDS.includes(kind)) {
      const what = LINKS_AND_DEVICES[kind] ?? `an entry of the kind ${visibleItem(kind)}`;
      throw refused(`${visibleItem(path)} is ${what}`);
    }
    if (size > maxFileBytes) throw refused(`${visibleItem(path)} is too large`);
    yield { path, isFolder: kind === FOLDER, bytes };
  }
}

const unzip = promisify(gunzip);

const unpackedBytes = async (packed: Uint8Array, limits: ArchiveLimits): Promise<Uint8Array> => {
  if (packed.length > limits.maxPackedBytes) throw refused('it is too large');
  const byRatio = packed.length * limits.maxRatio + FREE_BYTES;
  const maxOutputLength = Math.min(limits.maxUnpackedBytes, byRatio);
  try {
    return await unzip(packed, { maxOutputLength });
  } catch (error) {
    const isBomb = errorCodeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    throw refused(isBomb ? 'it becomes too large when it is unpacked' : 'it is no gzip archive');
  }
};

/** Removes the folder that all files of a package lie in, as npm does. */
const belowRoot = (path: string): string => path.slice(path.indexOf('/') + 1 || path.length);

/**
 * Gives the files by their path below the one folder of the archive. Modes, owners and times are
 * dropped. Rejects with PERMISSION_DENIED and the first thing that is wrong.
 */
export const readTarball = async (
  packed: Uint8Array,
  limits: ArchiveLimits = PACKAGE_LIMITS,
): Promise<ReadonlyMap<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>();
  const collisions = new PathCollisions();
  let entries = 0;
  for (const { path, isFolder, bytes } of entriesOf(await unpackedBytes(packed, limits), limits)) {
    entries += 1;
    if (entries > limits.maxFiles) throw refused(`it holds more than ${limits.maxFiles} entries`);
    const whole = path.startsWith('./') ? path.slice(2) : path;
    const name = isFolder ? whole.replace(/\/$/, '') : whole;
    const fault = entryPathFault(name);
    if (fault !== undefined) throw refused(`${visibleItem(path)} ${fault}`);
    if (isFolder) continue;
    const below = belowRoot(name);
    if (below === '') throw refused(`${visibleItem(path)} lies in no folder`);
    const collision = collisions.add(below);
    if (collision !== undefined) throw refused(`${visibleItem(path)} ${collision}`);
    files.set(below, bytes);
  }
  return files;
};
