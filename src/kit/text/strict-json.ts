/**
 * Parses JSON of a caller. What two readers may understand differently is refused: names given
 * twice, whole numbers that a double rounds, `__proto__`, halves of surrogate pairs, deep nesting.
 * Otherwise an approver, a proxy or a log could see another call than the one that runs.
 */
import { type JsonFlaw, scanJson } from './json-scan.ts';

const MAX_JSON_DEPTH = 512;

export type StrictJson = { readonly value: unknown } | { readonly flaw: JsonFlaw };

/** Finds the first flaw of a text; gives `undefined` for exact JSON. */
export const findJsonFlaw = (text: string): JsonFlaw | undefined => {
  const { error, warnings } = scanJson(text, { maxDepth: MAX_JSON_DEPTH, stopAtFirst: true });
  return warnings[0] ?? error;
};

export const parseStrictJson = (text: string): StrictJson => {
  const flaw = findJsonFlaw(text);
  return flaw ? { flaw } : { value: JSON.parse(text) as unknown };
};
