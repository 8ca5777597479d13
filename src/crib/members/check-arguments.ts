/**
 * Checks what programs hand to the public methods: JavaScript has no types, and a missing id must not
 * mean somebody's newest call. Each failure is a VALIDATION_ERROR that names the argument.
 */
import { ToolFailure } from '../../contract/errors.ts';

/** What one argument has to be: says what is wrong with a value, or nothing. */
type ArgumentCheck = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: ArgumentCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'has to be a text that is not empty';

/** A name to look up: an empty one is the name of nothing. */
export const name: ArgumentCheck = (value) =>
  typeof value === 'string' ? undefined : 'has to be a text';

export const object: ArgumentCheck = (value) =>
  isObject(value) ? undefined : 'has to be an object';

export const list: ArgumentCheck = (value) =>
  Array.isArray(value) ? undefined : 'has to be a list';

export const callback: ArgumentCheck = (value) =>
  typeof value === 'function' ? undefined : 'has to be a function';

export const flag: ArgumentCheck = (value) =>
  typeof value === 'boolean' ? undefined : 'has to be true or false';

const amount: ArgumentCheck = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? undefined
    : 'has to be a whole number that is not negative';

/** A tool as `defineTool` makes it. */
export const tool: ArgumentCheck = (value) =>
  isObject(value) && typeof value.name === 'string' && typeof value.run === 'function'
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

/** An object whose named fields are checked; other fields are left to whoever reads them. */
export const fields =
  (checks: Readonly<Record<string, ArgumentCheck>>): ArgumentCheck =>
  (value) => {
    if (!isObject(value)) return 'has to be an object';
    for (const [name, check] of Object.entries(checks)) {
      const problem = check(value[name]);
      if (problem) return `${name} ${problem}`;
    }
    return undefined;
  };

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
export const assertArguments = (checks: ArgumentChecks, values: readonly unknown[]): void => {
  for (const [at, [name, check]] of Object.entries(checks).entries()) {
    const problem = problemOf(check, values[at]);
    if (problem === undefined) continue;
    const issues = [{ path: [name], message: problem }];
    throw new ToolFailure('VALIDATION_ERROR', `${name} ${problem}.`, { issues });
  }
};
