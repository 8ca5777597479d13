/** Turns the validator's errors into issues: path and message, without the value that was sent. */
import type { ErrorObject } from 'ajv';
import type { Issue } from '../../contract/errors.ts';

/** How many issues one validation reports: enough to correct an input, too few to fill a prompt. */
export const MAX_ISSUES = 100;

export const ajvIssues = (errors: readonly ErrorObject[], value: unknown): readonly Issue[] => {
  const issues = new Map<string, Issue>();
  for (const error of errors) {
    const issue = issueOf(error, value);
    // The branches of a union often report the same issue.
    issues.set(`${issue.path.join('/')} ${issue.message}`, issue);
    if (issues.size === MAX_ISSUES) break;
  }
  return [...issues.values()];
};

const issueOf = (error: ErrorObject, value: unknown): Issue => {
  const { params, keyword } = error;
  const path = pathOf(error.instancePath, value);
  const at = (key: unknown, message: string): Issue => ({ path: [...path, String(key)], message });
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return at(params.missingProperty, 'is required');
    case 'additionalProperties':
      return at(params.additionalProperty, 'is not a known field');
    case 'unevaluatedProperties':
      return at(params.unevaluatedProperty, 'is not a known field');
    case 'propertyNames':
      return at(params.propertyName, 'is not an allowed field name');
    case 'enum':
      return { path, message: `must be one of ${list(params.allowedValues)}` };
    case 'const':
      return { path, message: `must be ${list([params.allowedValue])}` };
    case 'false schema':
      return { path, message: 'is not allowed' };
    default:
      return { path, message: error.message ?? `does not satisfy "${keyword}"` };
  }
};

/** Quotes values of the schema, never of the input. */
const list = (allowed: readonly unknown[]): string => {
  const shown = allowed.slice(0, 20).map((value) => JSON.stringify(value));
  return allowed.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
};

/** Splits a JSON Pointer into keys; a step into an array is a number. */
const pathOf = (pointer: string, value: unknown): readonly (string | number)[] => {
  let at = value;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const key = Array.isArray(at) ? Number(name) : name;
      at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
      return key;
    });
};
