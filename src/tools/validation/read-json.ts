/** Gets a value out of text that is JSON, holds JSON, or nearly is JSON. */
import { ToolFailure } from '../../contract/errors.ts';
import { boundedRun } from './bounded-run.ts';
import { findJson } from './find-json.ts';
import { scanJson } from './scan-json.ts';

export interface ReadJson {
  readonly data: unknown;
  readonly method: 'direct_parse' | 'extracted' | 'repaired';
  readonly warnings: readonly string[];
}

const MAX_DEPTH = 500;
/** More pieces than this in one text are no answer but a heap. */
const MAX_PIECES = 200;
const PROTOTYPE_KEYS = /"(?:__proto__|constructor|prototype)"\s*:/;

interface Parsed {
  readonly data: unknown;
  readonly warnings: readonly string[];
}

/** Exact JSON, or nothing. Warns of what a reader of the data would not see any more. */
const parseStrictly = (text: string): Parsed | undefined => {
  const { error, warnings } = boundedRun('data', () => scanJson(text, { maxDepth: MAX_DEPTH }));
  if (error) return undefined;
  const told = new Set(warnings.map(({ message }) => `${message}.`));
  return { data: JSON.parse(text), warnings: [...told] };
};

const refuseHostile = (text: string): void => {
  if (!PROTOTYPE_KEYS.test(text)) return;
  throw new ToolFailure('VALIDATION_ERROR', 'The text uses a key that may not be used.', {
    issues: [{ path: ['text'], message: '"__proto__", "constructor" and "prototype" are refused' }],
  });
};

const repair = async (text: string): Promise<Parsed | undefined> => {
  const { jsonrepair } = await import('jsonrepair');
  try {
    return parseStrictly(boundedRun('data', () => jsonrepair(text)));
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    return undefined;
  }
};

/** Where mending may make sense: balanced pieces, or one that was cut off before its end. */
const repairable = (text: string, pieces: readonly string[]): readonly string[] => {
  const start = text.search(/[{[]/);
  return start < 0 ? [] : [...pieces.slice(0, 3), text.slice(start)];
};

/** `undefined` when there is nothing in the text that could be meant as JSON. */
export const readJson = async (text: string): Promise<ReadJson | undefined> => {
  refuseHostile(text);
  const trimmed = text.trim().replace(/^\ufeff/, '');
  const whole = parseStrictly(trimmed);
  if (whole) return { ...whole, method: 'direct_parse' };
  const spans = boundedRun('data', () => findJson(trimmed)).slice(0, MAX_PIECES);
  const pieces = spans.map(({ start, end }) => trimmed.slice(start, end));
  for (const piece of pieces) {
    const found = parseStrictly(piece);
    if (found) return { ...found, method: 'extracted' };
  }
  for (const candidate of repairable(trimmed, pieces)) {
    const mended = await repair(candidate);
    if (!mended || typeof mended.data !== 'object') continue;
    refuseHostile(JSON.stringify(mended.data));
    return { ...mended, method: 'repaired' };
  }
  return undefined;
};
