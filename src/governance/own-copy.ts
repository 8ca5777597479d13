/**
 * Copies data that foreign code has held or will hold, so that a change made there changes nothing
 * here. Types that JSON lacks (a `Date`, a `Map`) are cloned where the platform can; an instance of
 * a class is passed on as it is, because a clone would lose its class.
 */

const OWN = { enumerable: true, writable: true, configurable: true };

/** Tells whether a value is an object of no class. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const copyExotic = (value: object): unknown => {
  try {
    const copy: unknown = structuredClone(value);
    return Object.getPrototypeOf(copy) === Object.getPrototypeOf(value) ? copy : value;
  } catch {
    return value;
  }
};

/** Copies plain data deeply. Depth is bounded by validation. */
export const ownCopy = <T>(value: T): T => copyOf(value) as T;

const copyOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlain(value)) return copyExotic(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = copyOf((value as Record<string, unknown>)[key]);
    // Assigning would run the setter of `__proto__`.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN, value: item });
    else copy[key] = item;
  }
  return copy;
};
