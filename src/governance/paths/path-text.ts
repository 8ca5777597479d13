/** Checks a path by its text alone, before anything on disk is touched. */
import { ToolFailure } from '../../contract/errors.ts';

const MAX_LENGTH = 4096;

/** Controls, line separators, marks that turn the reading direction, and half characters. */
const ODD = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Device names, device and verbatim prefixes, drive-relative paths and streams. */
const WINDOWS_ODD =
  /^[\\/]{2}|^[a-z]:(?![\\/])|^.{2,}:|(^|[\\/])(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)\s*(\.|[\\/]|$)/i;

/** Tells whether a path holds text that no ordinary path has. */
export const isOddPath = (path: string, platform: NodeJS.Platform): boolean =>
  ODD.test(path) || (platform === 'win32' && WINDOWS_ODD.test(path));

/** Throws for text that cannot be a path, or should not be one. */
export const assertPlainPath = (path: string, platform: NodeJS.Platform): void => {
  if (path === '' || path.length > MAX_LENGTH) {
    throw new ToolFailure('VALIDATION_ERROR', 'The path is empty or too long.', {
      suggestions: [`Give a path of 1 to ${MAX_LENGTH} characters.`],
    });
  }
  if (isOddPath(path, platform)) {
    throw new ToolFailure('SECURITY_VIOLATION', 'The path holds characters that are not allowed.', {
      suggestions: ['Use printable characters and plain file names only.'],
    });
  }
};

/** Splits an absolute path into its segments. */
export const segmentsOf = (path: string): readonly string[] =>
  path.split(/[\\/]/).filter((segment) => segment !== '');
