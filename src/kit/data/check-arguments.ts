/**
 * Checks arguments of public methods and of the context that tools are handed: JavaScript has no types,
 * and a missing id must not mean somebody's newest call. Each failure is a VALIDATION_ERROR that names
 * the argument.
 */
import { type ErrorExtras, ToolFailure } from '../../contract/errors.ts';
import { sentence } from '../../contract/sentence.ts';
import { unknownNameText } from '../text/did-you-mean.ts';
import { isRecord } from './is-record.ts';
import { jsonValue } from './json-value.ts';
import { foreignKindFault } from './object-kind.ts';

/** What one argument has to be: says what is wrong with a value, or nothing. */
export type ArgumentCheck = (value: unknown) => string | undefined;

export const text: ArgumentCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'has to be a text that is not empty';

/** Checks a name to look up, which may be empty: it then names nothing. */
export const name: ArgumentCheck = (value) =>
  typeof value === 'string' ? undefined : 'has to be a text';

export const object: ArgumentCheck = (value) => {
  if (!isRecord(value)) return 'has to be an object';
  const foreign = foreignKindFault(value);
  return foreign && `has to be ${foreign}`;
};

/** Checks for an object that JSON can hold; one with a field that throws when it is read is refused. */
export const data: ArgumentCheck = (value) => {
  const problem = object(value);
  if (problem !== undefined) return problem;
  try {
    return jsonValue(value) === undefined ? 'has to be plain data' : undefined;
  } catch {
    return 'has to be plain data, as JSON can hold it';
  }
};

export const list: ArgumentCheck = (value) =>
  Array.isArray(value) ? undefined : 'has to be a list';

/** Checks for a list of which every entry passes. */
export const listOf =
  (check: ArgumentCheck): ArgumentCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'has to be a list';
    const fault = value.map(check).find((problem) => problem !== undefined);
    return fault && `has an entry that ${fault}`;
  };

export const callback: ArgumentCheck = (value) =>
  typeof value === 'function' ? undefined : 'has to be a function';

export const flag: ArgumentCheck = (value) =>
  typeof value === 'boolean' ? undefined : 'has to be true or false';

export const amount: ArgumentCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? undefined
    : 'has to be a whole number that is not negative';

/** Checks for an amount above zero. */
export const atLeastOne: ArgumentCheck = (value) =>
  amount(value) ?? (value === 0 ? 'has to be above zero' : undefined);

/** Checks a point in time, or another number that may be anything but NaN. */
export const moment: ArgumentCheck = (value) =>
  typeof value === 'number' && !Number.isNaN(value) ? undefined : 'has to be a number';

export const anything: ArgumentCheck = () => undefined;

/** Checks for a tool as `defineTool` makes it. */
export const tool: ArgumentCheck = (value) =>
  isRecord(value) && typeof value.name === 'string' && typeof value.run === 'function'
    ? undefined
    : 'has to be a tool as defineTool makes it';

export const optional =
  (check: ArgumentCheck): ArgumentCheck =>
  (value) =>
    value === undefined ? undefined : check(value);

export const either =
  (...checks: readonly ArgumentCheck[]): ArgumentCheck =>
  (value) => {
    const problems = checks.map((check) => check(value));
    return problems.includes(undefined) ? undefined : problems.join(', or ');
  };

/** Checks for one of a few texts. */
export const oneOf =
  (...values: readonly string[]): ArgumentCheck =>
  (value) =>
    values.includes(value as string) ? undefined : `has to be ${values.join(', ')}`;

export const texts: ArgumentCheck = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? undefined
    : 'has to be a list of texts';

/** Checks for an object with these methods, whatever else it has. */
export const withMethods =
  (...names: readonly string[]): ArgumentCheck =>
  (value) => {
    const missing = names.find((each) => typeof Reflect.get(Object(value), each) !== 'function');
    return isRecord(value) && missing === undefined
      ? undefined
      : `has to be an object with the method ${missing ?? names.join(' and ')}`;
  };

/** Checks the named fields of an object; other fields are left to the code that reads them. */
export const someFields =
  (checks: Readonly<Record<string, ArgumentCheck>>): ArgumentCheck =>
  (value) => {
    if (!isRecord(value)) return 'has to be an object';
    for (const [name, check] of Object.entries(checks)) {
      const problem = check(value[name]);
      if (problem) return `${name} ${problem}`;
    }
    return undefined;
  };

/**
 * Checks for an object that has these fields and no other: a misspelt one would be ignored in
 * silence.
 */
export const fields = (checks: Readonly<Record<string, ArgumentCheck>>): ArgumentCheck => {
  const names = new Set(Object.keys(checks));
  const check = someFields(checks);
  return (value) => {
    const problem = object(value);
    if (problem !== undefined || !isRecord(value)) return problem;
    for (const each of Object.keys(value)) {
      if (names.has(each) || value[each] === undefined) continue;
      return `${each} ${unknownNameText(each, names)}`;
    }
    return check(value);
  };
};

const log = withMethods('debug', 'info', 'warn', 'error');

/** A whole runtime; it may be able to do more. */
export const runtime = someFields({ now: callback, after: callback, log });

/** What a program puts in the place of parts of the runtime. */
export const runtimeParts = someFields({
  now: optional(callback),
  elapsed: optional(callback),
  random: optional(callback),
  after: optional(callback),
  log: optional(log),
});

/** A crib, or what acts as one: methods of a class count as well. */
export const crib = withMethods('execute');

/** A request of the web's own kind; those of other realms are no instances of this one. */
export const webRequest = someFields({ method: text, url: text, headers: withMethods('get') });

export const signal: ArgumentCheck = (value) =>
  isRecord(value) && typeof value.aborted === 'boolean' ? undefined : 'has to be an AbortSignal';

export const range = fields({ offset: optional(amount), limit: optional(amount) });

/** Says what is wrong; an object that throws when it is read is wrong, too. */
const problemOf = (check: ArgumentCheck, value: unknown): string | undefined => {
  try {
    return check(value);
  } catch {
    return 'cannot be read';
  }
};

export interface ArgumentChecks {
  readonly [argument: string]: ArgumentCheck;
}

/** Throws a ToolFailure for the first argument that is not what it has to be. */
export const assertArguments = (
  checks: ArgumentChecks,
  values: readonly unknown[],
  extras?: ErrorExtras,
): void => {
  for (const [at, [name, check]] of Object.entries(checks).entries()) {
    const problem = problemOf(check, values[at]);
    if (problem === undefined) continue;
    const issues = [{ path: [name], message: problem }];
    throw new ToolFailure('VALIDATION_ERROR', sentence(`${name}: ${problem}`), {
      ...extras,
      issues,
    });
  }
};
