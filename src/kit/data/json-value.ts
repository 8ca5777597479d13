/** Copies a value as JSON gives it back, without writing its text where the value is plain already. */

const NOT_PLAIN = Symbol('not plain');

/** What is nested deeper is left to JSON.stringify, which also finds circles. */
const MAX_DEPTH = 100;

const plainList = (list: readonly unknown[], depth: number): unknown => {
  const copy: unknown[] = [];
  for (const item of list) {
    const plain = plainCopy(item, depth);
    if (plain === NOT_PLAIN) return NOT_PLAIN;
    copy.push(plain);
  }
  return copy;
};

const plainFields = (source: Readonly<Record<string, unknown>>, depth: number): unknown => {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const plain = key === '__proto__' ? NOT_PLAIN : plainCopy(source[key], depth);
    if (plain === NOT_PLAIN) return NOT_PLAIN;
    copy[key] = plain;
  }
  return copy;
};

/** Returns NOT_PLAIN for whatever JSON would leave out, write differently or refuse. */
const plainCopy = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0) ? value : NOT_PLAIN;
  }
  if (typeof value !== 'object' || depth === MAX_DEPTH || 'toJSON' in value) return NOT_PLAIN;
  if (Array.isArray(value)) return plainList(value, depth + 1);
  return Object.getPrototypeOf(value) === Object.prototype
    ? plainFields(value as Record<string, unknown>, depth + 1)
    : NOT_PLAIN;
};

/**
 * Copies a value as JSON gives it back; `undefined` where JSON has no text for it. Small plain values
 * are copied several times as fast as their text is written and read. Throws a TypeError for what JSON
 * cannot hold.
 */
export const jsonValue = (value: unknown): unknown => {
  const copy = plainCopy(value, 0);
  if (copy !== NOT_PLAIN) return copy;
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
};
