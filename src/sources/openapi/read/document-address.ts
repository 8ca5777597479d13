/**
 * Addresses of documents: of files, relative to the project, or of the web. Resolves a reference of one
 * document to the address of another.
 */
import { posix } from 'node:path';
import { isAddress } from '../openapi-settings.ts';

/** Resolves a reference to an address without its fragment; `undefined` for an invalid one. */
export const resolveAddress = (reference: string, base: string): string | undefined => {
  const file = reference.split('#', 1)[0] ?? '';
  if (file === '') return base;
  if (isAddress(base)) return webAddress(file, base);
  // A file may refer to the web, but only by a whole address.
  if (isAddress(file)) return webAddress(file, file);
  return fileAddress(file, base);
};

const webAddress = (file: string, base: string): string | undefined => {
  if (!URL.canParse(file, base)) return undefined;
  const url = new URL(file, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url.href;
};

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Resolves a file beside or below the referring one, or above it but inside the folder of the first. */
const fileAddress = (file: string, base: string): string | undefined => {
  if (SCHEME.test(file) || file.startsWith('/') || file.includes('\0') || file.includes('\\')) {
    return undefined;
  }
  return posix.normalize(posix.join(posix.dirname(base), decoded(file)));
};

const decoded = (file: string): string => {
  try {
    return decodeURIComponent(file);
  } catch {
    return file;
  }
};

/**
 * Returns the address of a document relative to the first one; empty for that one itself. It stays the
 * same when both are moved, and when the first gets another name.
 */
export const addressFrom = (root: string, address: string): string => {
  if (address === root) return '';
  if (isAddress(root) !== isAddress(address)) return address;
  if (!isAddress(root)) return posix.relative(posix.dirname(root), address);
  const from = new URL(root);
  const to = new URL(address);
  return from.origin === to.origin
    ? posix.relative(posix.dirname(from.pathname), to.pathname) + to.search
    : address;
};

/** Tells whether a document may refer to another one. */
export const mayRefer = (root: string, from: string, target: string): boolean => {
  // A document of the web never leads to a file of this machine.
  if (isAddress(from) && !isAddress(target)) return false;
  if (isAddress(target)) {
    // A document of the web stays at its origin; a file may name any document of the web.
    return isAddress(from)
      ? new URL(from).origin === new URL(target).origin
      : target.startsWith('https:');
  }
  // Files stay in the folder of the first one, and below.
  const folder = posix.dirname(posix.normalize(root));
  const way = posix.relative(folder, target);
  return way !== '..' && !way.startsWith('../') && !posix.isAbsolute(way);
};
