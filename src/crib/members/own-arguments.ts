/**
 * Copies the arguments of a method while it is called. What is checked, asked about and approved must be
 * what is used, although the program goes on and may change its objects before the store has opened.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { isPlain, ownCopy } from '../../governance/own-copy.ts';

type Copies = Map<object, unknown>;

const copyOf = (value: unknown, copies: Copies): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (Array.isArray(value)) return copyList(value, copies);
  if (isPlain(value)) return copyFields(value as Record<string, unknown>, copies);
  const copy = ownCopy(value);
  copies.set(value, copy);
  return copy;
};

const copyList = (list: readonly unknown[], copies: Copies): unknown => {
  const copy: unknown[] = [];
  copies.set(list, copy);
  for (const item of list) copy.push(copyOf(item, copies));
  return copy;
};

const copyFields = (source: Readonly<Record<string, unknown>>, copies: Copies): unknown => {
  const copy: Record<string, unknown> = {};
  copies.set(source, copy);
  for (const key of Object.keys(source)) {
    const value = copyOf(source[key], copies);
    // Assigning would run the setter of `__proto__`.
    Object.defineProperty(copy, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
};

/**
 * Copies plain data deeply; an object that is named twice is copied once, so that a few objects that name each
 * other many times over stay few. Throws VALIDATION_ERROR for data that cannot be read to its end.
 */
export const ownArguments = (values: readonly unknown[]): readonly unknown[] => {
  try {
    return values.map((value) => copyOf(value, new Map()));
  } catch {
    throw new ToolFailure('VALIDATION_ERROR', 'The arguments cannot be read.', {
      suggestions: ['Give plain data that is not nested without end.'],
    });
  }
};
