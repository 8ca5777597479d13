/** Extracts a value from text that is JSON, contains JSON, or is nearly JSON. */
import { ToolFailure } from '../../contract/errors.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';
import { scanJson } from '../../kit/text/json-scan.ts';
import { findJson } from './find-json.ts';

export interface ReadJson {
  readonly data: unknown;
  readonly method: 'direct_parse' | 'extracted' | 'repaired';
  readonly warnings: readonly string[];
}

const MAX_DEPTH = 500;
/** A text with more pieces than this is not tried. */
const MAX_PIECES = 200;

interface Parsed {
  readonly data: unknown;
  readonly warnings: readonly string[];
}

const hostile = (message: string, detail: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: ['text'], message: detail }] });

/** Checks the parsed value instead of the text, where escapes may hide a key. */
const refuseHostile = (value: unknown): void => {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw hostile('A number in the text is too large.', 'holds a number that JSON cannot keep');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (isPrototypeKey(key)) {
      throw hostile(
        'The text uses a key that may not be used.',
        '"__proto__", "constructor" and "prototype" are refused',
      );
    }
    refuseHostile(item);
  }
};

const asSentence = (clause: string): string =>
  `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;

/** Parses exact JSON; `undefined` for other text. Warns of information that the data has lost. */
const parseStrictly = (text: string): Parsed | undefined => {
  const { error, warnings } = scanJson(text, { maxDepth: MAX_DEPTH });
  if (error) return undefined;
  const data: unknown = JSON.parse(text);
  refuseHostile(data);
  const messages = new Set(warnings.map(({ message }) => asSentence(message)));
  return { data, warnings: [...messages] };
};

const repairWith = (jsonrepair: Repair, text: string): Parsed | undefined => {
  try {
    return parseStrictly(jsonrepair(text));
  } catch (error) {
    if (error instanceof ToolFailure || (error as Error).name === 'RangeError') throw error;
    return undefined;
  }
};

const CUT_OFF = 'The text ends before its JSON does: what would follow is missing.';

/** Lists texts to repair: balanced pieces, or one that was cut off. */
const repairable = (text: string, pieces: readonly string[]): readonly string[] => {
  const start = text.search(/[{[]/);
  return start < 0 ? [] : [...pieces.slice(0, 3), text.slice(start)];
};

export type Repair = (text: string) => string;

/** Reads a value; `undefined` when nothing in the text could be meant as JSON. */
export const readJson = (text: string, jsonrepair: Repair): ReadJson | undefined => {
  const repair = (piece: string) => repairWith(jsonrepair, piece);
  const trimmed = withoutByteOrderMark(text.trim());
  const whole = parseStrictly(trimmed);
  if (whole) return { ...whole, method: 'direct_parse' };
  const { spans, cut } = findJson(trimmed);
  const pieces = spans.slice(0, MAX_PIECES).map(({ start, end }) => trimmed.slice(start, end));
  const outer = cut === undefined ? undefined : repair(trimmed.slice(cut));
  // A part of a value that was cut off is not the value.
  if (outer && typeof outer.data === 'object' && spans.every(({ start }) => start > (cut ?? 0))) {
    return { data: outer.data, warnings: [CUT_OFF, ...outer.warnings], method: 'repaired' };
  }
  for (const piece of pieces) {
    const parsed = parseStrictly(piece);
    if (parsed) return { ...parsed, method: 'extracted' };
  }
  for (const candidate of repairable(trimmed, pieces)) {
    const mended = repair(candidate);
    if (!mended || typeof mended.data !== 'object') continue;
    const isWhole = findJson(candidate).spans.some(({ start }) => start === 0);
    const warnings = isWhole ? mended.warnings : [CUT_OFF, ...mended.warnings];
    return { data: mended.data, warnings, method: 'repaired' };
  }
  return undefined;
};
