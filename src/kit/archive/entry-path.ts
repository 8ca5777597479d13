/**
 * Judges the paths in an archive from outside: they are refused where they could lead out of the folder,
 * stand for another file on some system, or deceive a reader.
 */
import { HIDDEN } from '../text/visible-text.ts';

const MAX_DEPTH = 24;
const MAX_SEGMENT_BYTES = 200;
const MAX_PATH_BYTES = 800;

/** Devices of Windows, whatever ending they have. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;
/** Not allowed in names on Windows; the colon also opens a second stream of a file. */
const ILLEGAL = /[<>:"|?*\\]/;

const bytesOf = (text: string): number => Buffer.byteLength(text);

const segmentFault = (segment: string): string | undefined => {
  if (segment === '' || segment === '.' || segment === '..') return 'leads out of its folder';
  if (segment.search(HIDDEN) >= 0) return 'has characters that cannot be seen';
  if (ILLEGAL.test(segment)) return 'has characters that Windows does not allow';
  if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
  if (DEVICE.test(segment)) return 'has the name of a device';
  return bytesOf(segment) > MAX_SEGMENT_BYTES ? 'has a part that is too long' : undefined;
};

/** Says what is wrong with a path below the folder, with forward slashes; nothing for a good one. */
export const entryPathFault = (path: string): string | undefined => {
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute';
  if (path.includes('\\')) return 'has characters that Windows does not allow';
  const segments = path.split('/');
  if (segments.length > MAX_DEPTH) return 'is nested too deep';
  if (bytesOf(path) > MAX_PATH_BYTES) return 'is too long';
  for (const segment of segments) {
    const fault = segmentFault(segment);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

/**
 * Gives two names the same form if any file system takes them for one: case and composed letters.
 * Capitals first: only they are alike for `σ` and `ς`, `ß` and `ss`, `i` and `ı`.
 */
const folded = (path: string): string =>
  path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Finds paths that some file system would take for one: the same letters, or a file that is also a folder. */
export class PathCollisions {
  /** The spelling of each folder, and `undefined` for each file, by folded path. */
  readonly #seen = new Map<string, string | undefined>();

  /** Notes the path of a file; says why it collides with an earlier one. */
  add(path: string): string | undefined {
    const segments = path.split('/');
    for (let end = 1; end < segments.length; end += 1) {
      const folder = segments.slice(0, end).join('/');
      const key = folded(folder);
      const isSeen = this.#seen.has(key);
      if (isSeen && this.#seen.get(key) !== folder) return 'differs from another only by case';
      this.#seen.set(key, folder);
    }
    const key = folded(path);
    if (this.#seen.has(key)) return 'is there twice, or differs from another only by case';
    this.#seen.set(key, undefined);
    return undefined;
  }
}
