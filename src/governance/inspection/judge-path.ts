/**
 * Tells whether the text of a path leads out of the workspace in any reading: as it stands, decoded
 * once or more, with the separators of another platform. The path guard decides what is really opened.
 */
import { judgeControls, judgeHidden, type Report } from './judge-text.ts';
import type { Finding } from './violation.ts';

/**
 * Undoes percent-encoding the way the most careless decoder would: `%u002e`, overlong UTF-8 and
 * broken sequences included. Only ASCII characters matter, because separators and dots are ASCII.
 */
const ESCAPES = /%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)/gi;
const OTHER = '\ufffd';

/** How many bits of a lead byte count, and how many bytes follow it; too few bytes count as none. */
const LEADS = [
  { from: 0xf0, bits: 0x07, more: 3 },
  { from: 0xe0, bits: 0x0f, more: 2 },
  { from: 0xc0, bits: 0x1f, more: 1 },
] as const;

const decodeBytes = (bytes: readonly number[]): string => {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const lead = LEADS.find(({ from }) => byte >= from);
    const tail = bytes.slice(at + 1, at + 1 + (lead?.more ?? 0));
    let code = lead ? byte & lead.bits : byte;
    for (const next of tail) code = (code << 6) | (next & 0x3f);
    text += code < 0x80 ? String.fromCharCode(code) : OTHER;
    at += 1 + tail.length;
  }
  return text;
};

const lenientDecode = (text: string): string =>
  text.includes('%')
    ? text.replaceAll(ESCAPES, (_all, unicode: string | undefined, bytes: string) =>
        unicode === undefined
          ? decodeBytes([...Buffer.from(bytes.replaceAll('%', ''), 'hex')])
          : String.fromCharCode(Number.parseInt(unicode, 16)),
      )
    : text;

const CLIMBS: Finding = {
  type: 'path_traversal',
  severity: 'high',
  description: 'A path climbs out of the workspace.',
  remedy: 'Give a path relative to the workspace root, without leading "..".',
};

const ABSOLUTE: Finding = {
  type: 'path_traversal',
  severity: 'high',
  description: 'An absolute path lies outside the workspace.',
  remedy: 'Give a path relative to the workspace root.',
};

const DECODED: Finding = {
  type: 'path_traversal',
  severity: 'medium',
  // The path guard decodes nothing, so that a file may well be called %2e%2e.
  description: 'A name would mean the folder above if somebody decoded it; it is taken as it is.',
  remedy: 'Nothing was altered. Give names without percent signs where you can.',
};

const TILDE: Finding = {
  type: 'path_traversal',
  severity: 'medium',
  description: 'A path starts with "~", which stands for nothing here.',
  remedy: 'Give a path relative to the workspace root.',
};

/** What no path needs to be looked at for; most paths have none of it. */
const WORTH_A_LOOK = /\.\.|^[/\\~]|[%\\:]|[^\p{ASCII}]|\p{Cc}/u;
const OTHER_SLASHES = /[\\\u2044\u2215\u29f8]/g;
const DRIVE_OR_SHARE = /^(?:[a-z]:[\\/]|\\\\)/i;
const FILE_URL = /^file:(?:\/\/[^/]*)?/i;
const SEPARATOR = /[\\/\u2044\u2215\u29f8]/;
const MAX_DECODINGS = 3;

/** Strips what some servers ignore: to them `..;x`, `.. ` and `..` are the same segment. */
const plainSegment = (segment: string): string => segment.replace(/;.*$/s, '').trim();

const climbsOut = (path: string): boolean => {
  let depth = 0;
  for (const segment of path.normalize('NFKC').replaceAll(OTHER_SLASHES, '/').split('/')) {
    const plain = plainSegment(segment);
    if (plain === '..') depth--;
    else if (plain !== '' && plain !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
};

/** Lexically inside a root of the workspace; `undefined` where files are not brokered. */
export type IsInside = ((path: string) => boolean) | undefined;

const isOutside = (path: string, isInside: IsInside): boolean => {
  if (!isInside) return false;
  const plain = path.replace(FILE_URL, '');
  if (plain !== path) return !isInside(plain);
  return (plain.startsWith('/') || DRIVE_OR_SHARE.test(plain)) && !isInside(plain);
};

const readings = (path: string): readonly string[] => {
  const all = [path];
  for (let last = path; all.length <= MAX_DECODINGS; ) {
    const decoded = lenientDecode(last);
    if (decoded === last) break;
    all.push(decoded);
    last = decoded;
  }
  return all;
};

export const judgePath = (text: string, isInside: IsInside, report: Report): void => {
  if (!WORTH_A_LOOK.test(text)) return;
  judgeControls(text, report);
  judgeHidden(text, report);
  const all = readings(text);
  const isName = isInside !== undefined && !all.some((reading) => SEPARATOR.test(reading));
  if (climbsOut(text)) report(CLIMBS);
  else if (all.some(climbsOut)) report(isName ? DECODED : CLIMBS);
  else if (all.some((reading) => isOutside(reading, isInside))) report(ABSOLUTE);
  if (text === '~' || /^~[\\/]/.test(text)) report(TILDE);
};
