/** Gets a value out of text that is JSON, holds JSON, or nearly is JSON. */
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
/** More pieces than this in one text are no answer but a heap. */
const MAX_PIECES = 200;

interface Parsed {
  readonly data: unknown;
  readonly warnings: readonly string[];
}

const hostile = (message: string, detail: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: ['text'], message: detail }] });

/** Looks at what was parsed, not at the text: there a key may hide behind escapes. */
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

/** Exact JSON, or nothing. Warns of what a reader of the data would not see any more. */
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

/** Where mending may make sense: balanced pieces, or one that was cut off before its end. */
const repairable = (text: string, pieces: readonly string[]): readonly string[] => {
  const start = text.search(/[{[]/);
  return start < 0 ? [] : [...pieces.slice(0, 3), text.slice(start)];
};

export type Repair = (text: string) => string;

/** `undefined` when there is nothing in the text that could be meant as JSON. */
export const readJson = (text: string, jsonrepair: Repair): ReadJson | undefined => {
  const repair = (piece: string) => repairWith(jsonrepair, piece);
  const trimmed = withoutByteOrderMark(text.trim());
  const whole = parseStrictly(trimmed);
  if (whole) return { ...whole, method: 'direct_parse' };
  const { spans, cut } = findJson(trimmed);
  const pieces = spans.slice(0, MAX_PIECES).map(({ start, end }) => trimmed.slice(start, end));
  const outer = cut === undefined ? undefined : repair(trimmed.slice(cut));
  // A part of what was cut off is not what was meant.
  if (outer && typeof outer.data === 'object' && spans.every(({ start }) => start > (cut ?? 0))) {
    return { data: outer.data, warnings: [CUT_OFF, ...outer.warnings], method: 'repaired' };
  }
  for (const piece of pieces) {
    const found = parseStrictly(piece);
    if (found) return { ...found, method: 'extracted' };
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
