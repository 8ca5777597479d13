/** Says in plain words what the schema of flows has found, and what was probably meant. */
import type { FlowFault } from '../../contract/flow-data.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { flowFieldsAt } from './flow-schema.ts';
import { FOREIGN_FIELDS } from './foreign-fields.ts';
import type { FlowPath } from './step-tree.ts';

/** A fault of one field, before its line is known. */
export interface FieldFault extends Omit<FlowFault, 'line' | 'column'> {
  /** The fault is the name of the field, and not what it holds. */
  readonly isName?: boolean;
}

export interface SchemaIssue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** The words of YAML and of this project for types that the schema library names. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields with values',
  record: 'fields with values',
  null: 'nothing',
  nonoptional: 'a value',
};

const word = (type: string): string => TYPE_WORDS[type] ?? type;

const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;

const wrongType = (expected: string, received: string): string => {
  if (received === 'undefined') return `is missing; expected ${word(expected)}`;
  const isQuotable = expected === 'string' && (received === 'number' || received === 'boolean');
  const hint = isQuotable ? '; put it in quotes' : '';
  return `expected ${word(expected)}, received ${word(received)}${hint}`;
};

const lowerFirst = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** What is too small because there is nothing in it. */
const EMPTY: Readonly<Record<string, string>> = {
  'Too small: expected string to have >=1 characters': 'is empty; expected a text',
  'Too small: expected array to have >=1 items': 'is empty; expected at least one entry',
};

const explain = (message: string): string => {
  const empty = ownValue(EMPTY, message);
  if (empty !== undefined) return empty;
  const [, expected, received] = WRONG_TYPE.exec(message) ?? [];
  if (expected !== undefined && received !== undefined) return wrongType(expected, received);
  const choices = /^Invalid option: expected one of (.*)$/.exec(message)?.[1];
  if (choices !== undefined) return `expected one of ${choices.replaceAll('|', ', ')}`;
  return lowerFirst(message.replace(/^Invalid input: /, ''));
};

const plainPath = (path: readonly PropertyKey[]): FlowPath =>
  path.map((part) => (typeof part === 'symbol' ? part.toString() : part));

/** The field that was probably meant: one that is spelt like it, or is called so elsewhere. */
const meantField = (path: FlowPath, name: string): string => {
  const fields = flowFieldsAt(path);
  const other = ownValue(FOREIGN_FIELDS, name.toLowerCase().replaceAll(/[-_]/g, ''));
  if (other !== undefined && fields.includes(other)) return `; did you mean ${other}?`;
  return didYouMean(name, fields);
};

const unknownField = (path: FlowPath, name: string): FieldFault => ({
  path: [...path, name],
  message: `there is no field ${name} here${meantField(path, name)}`,
  severity: 'error',
  isName: true,
});

/** How fields look of which people often write only a part. */
const SAMPLES: Readonly<Record<string, string>> = {
  retry: '{ attempts: 3 }',
  forEach: '{ items: { from: input.list } }',
  after: '[first_step]',
  sleepMs: '5000',
  timeoutMs: '60000',
  delayMs: '1000',
  steps: '[{ id: first, call: tool }]',
  items: '{ from: input.list }',
  limits: '{ maxUsd: 2 }',
  undoOnFailure: 'true',
  input: '{ type: object }',
};

const sampleOf = (path: FlowPath): string => {
  const name = path.at(-1);
  const sample = typeof name === 'string' ? ownValue(SAMPLES, name) : undefined;
  return sample === undefined ? '' : `, as in ${name}: ${sample}`;
};

const withSample = (message: string, path: FlowPath): string =>
  / received |^is missing/.test(message) ? message + sampleOf(path) : message;

/** Turns one issue of the schema into faults: one for each field that is not known, else one. */
export const explainIssue = (issue: SchemaIssue): readonly FieldFault[] => {
  const { code, message, keys = [] } = issue;
  const path = plainPath(issue.path);
  return code === 'unrecognized_keys'
    ? keys.map((name) => unknownField(path, name))
    : [{ path, message: withSample(explain(message), path), severity: 'error' }];
};
