/** Says in plain words what the schema of flows has found, and what was probably meant. */
import type { FlowFault } from '../../contract/flow-data.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { flowFieldsAt } from './flow-schema.ts';
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

const explain = (message: string): string => {
  const [, expected, received] = WRONG_TYPE.exec(message) ?? [];
  if (expected !== undefined && received !== undefined) return wrongType(expected, received);
  const choices = /^Invalid option: expected one of (.*)$/.exec(message)?.[1];
  if (choices !== undefined) return `expected one of ${choices.replaceAll('|', ', ')}`;
  return lowerFirst(message.replace(/^Invalid input: /, ''));
};

const plainPath = (path: readonly PropertyKey[]): FlowPath =>
  path.map((part) => (typeof part === 'symbol' ? part.toString() : part));

const unknownField = (path: FlowPath, name: string): FieldFault => ({
  path: [...path, name],
  message: `there is no field ${name} here${didYouMean(name, flowFieldsAt(path))}`,
  severity: 'error',
  isName: true,
});

/** Turns one issue of the schema into faults: one for each field that is not known, else one. */
export const explainIssue = (issue: SchemaIssue): readonly FieldFault[] => {
  const { code, message, keys = [] } = issue;
  const path = plainPath(issue.path);
  return code === 'unrecognized_keys'
    ? keys.map((name) => unknownField(path, name))
    : [{ path, message: explain(message), severity: 'error' }];
};
