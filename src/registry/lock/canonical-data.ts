/**
 * Plain data with its keys in order and everything else left out, so that two spellings of one
 * definition are the same text. Bounded: whoever wrote the data may be hostile.
 */

const DEEPEST = 100;
const MAX_VALUES = 50_000;
const MAX_CHARACTERS = 1_000_000;

interface Budget {
  values: number;
  characters: number;
}

const spend = (budget: Budget, characters: number): void => {
  budget.values -= 1;
  budget.characters -= characters;
  if (budget.values < 0 || budget.characters < 0) throw new RangeError('too large');
};

const members = (value: object, depth: number, budget: Budget): unknown => {
  if (Array.isArray(value)) return value.map((item) => ordered(item, depth, budget) ?? null);
  const pairs: [string, unknown][] = [];
  for (const key of Object.keys(value).sort()) {
    spend(budget, key.length);
    const member = ordered((value as Record<string, unknown>)[key], depth, budget);
    if (member !== undefined) pairs.push([key, member]);
  }
  // `fromEntries` defines each key; assigning would run the setter of `__proto__`.
  return Object.fromEntries(pairs);
};

const ordered = (value: unknown, depth: number, budget: Budget): unknown => {
  switch (typeof value) {
    case 'string':
      spend(budget, value.length);
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (depth >= DEEPEST) throw new RangeError('nested too deep');
      spend(budget, 0);
      return members(value, depth + 1, budget);
    default:
      return undefined;
  }
};

/** Throws RangeError for data that is too large, too deep or circular. */
export const canonicalData = (value: unknown): unknown =>
  ordered(value, 0, { values: MAX_VALUES, characters: MAX_CHARACTERS });
