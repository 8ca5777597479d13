/** Bounds the work of one validation, so that a hostile schema or value cannot hang the process. */
import { _, type Ajv, type CodeKeywordDefinition } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';

interface StepBudget {
  used: number;
  readonly limit: number;
}

const MIN_STEPS = 20_000;
const MAX_STEPS = 1_000_000;
const MAX_WORK = 100_000_000;

/**
 * Bounds how often one validation may follow a reference, the only way in which a small schema can
 * cause exponential work. A validation beyond the limit throws; set `used` to 0 before each.
 */
export const boundReferences = (ajv: Ajv | Ajv2020, nodes: number): StepBudget => {
  const limit = Math.min(MAX_STEPS, Math.max(MIN_STEPS, Math.floor(MAX_WORK / nodes)));
  const budget: StepBudget = { used: 0, limit };
  const step = (): void => {
    budget.used += 1;
    if (budget.used > limit) throw new RangeError('Too many references followed.');
  };
  for (const keyword of ['$ref', '$dynamicRef']) {
    const definition = ajv.getKeyword(keyword);
    if (typeof definition !== 'object' || !('code' in definition)) continue;
    const { code } = definition as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...(definition as CodeKeywordDefinition),
      code(cxt, ruleType) {
        cxt.gen.code(_`${cxt.gen.scopeValue('func', { ref: step })}()`);
        code(cxt, ruleType);
      },
    });
  }
  return budget;
};

/** Checks `uniqueItems` by hashing: the validator compares every pair, which takes minutes for a long array. */
export const linearUniqueItems = (ajv: Ajv | Ajv2020): void => {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must not have duplicate items' },
    validate: (isRequired: boolean, items: readonly unknown[]) => !isRequired || allDistinct(items),
  });
};

const allDistinct = (items: readonly unknown[]): boolean => {
  const keys = new Set<string>();
  for (const item of items) {
    const key = canonical(item);
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
};

/** Writes equal texts for values that JSON Schema calls equal: the order of keys does not count. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`;
};

/** Writes a scalar. JSON alone writes NaN, Infinity and null alike; -0 equals 0. */
const scalar = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined');
