/** `uniqueItems` by hashing: the validator's own compares every pair, which a long array turns into minutes. */
import type { Ajv } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';

export const linearUniqueItems = (ajv: Ajv | Ajv2020): void => {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must not have duplicate items' },
    validate: (wanted: boolean, items: readonly unknown[]) => !wanted || allDistinct(items),
  });
};

const allDistinct = (items: readonly unknown[]): boolean => {
  const seen = new Set<string>();
  for (const item of items) {
    const key = canonical(item);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
};

/** Equal for values that JSON Schema calls equal: the order of keys does not count. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`;
};

/** JSON would write NaN, Infinity and null alike; and -0 equals 0. */
const scalar = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined');
