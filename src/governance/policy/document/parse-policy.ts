/** The text of a policy file to a document that can be put in force, or all that is wrong with it. */

import type { Scalar } from 'yaml';
import * as yaml from 'yaml';
import {
  type Position,
  positionAt,
  readYaml,
  type YamlRules,
} from '../../../kit/text/strict-yaml.ts';
import { conditionCompiler } from '../condition/compile-condition.ts';
import { checkDocument } from './check-document.ts';
import { invalidDocument, type Problem, subjectOf } from './document-problems.ts';
import type { PolicyDocument, PolicyPath, PolicySource } from './policy-document.ts';

/** In a literal block each line keeps its text, behind the indentation that the first one has. */
const offsetInBlock = (raw: string, value: string, offset: number): number => {
  const before = value.slice(0, offset).split('\n');
  const inLine = offset - (value.lastIndexOf('\n', offset - 1) + 1);
  const first = raw.indexOf('\n') + 1;
  const indent = raw.slice(first).search(/[^ ]|$/);
  let at = first;
  for (const _line of before.slice(1)) at = raw.indexOf('\n', at) + 1;
  return at + indent + inLine;
};

/** The beginning of the string where the place inside cannot be told. */
const offsetInScalar = (text: string, scalar: Scalar.Parsed, offset: number): number => {
  const [start, end] = scalar.range;
  const raw = text.slice(start, end);
  if (raw === scalar.value) return start + offset;
  if (raw.slice(1, -1) === scalar.value) return start + 1 + offset;
  if (scalar.type !== 'BLOCK_LITERAL') return start;
  return start + offsetInBlock(raw, String(scalar.value), offset);
};

const MAX_CHARACTERS = 512 * 1024;
const RULES: YamlRules = { maxDepth: 32, maxNodes: 50_000, aliases: 'refuse' };

export type Place = Position;

export interface YamlProblem extends Place {
  readonly message: string;
}

export interface YamlReading {
  /** `undefined` when there are problems. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Where the thing at a path begins, or the nearest around it; `offset` counts inside its text. */
  placeOf(path: PolicyPath, offset?: number): Place;
}

const START: Place = { line: 1, column: 1 };

const tooLong = (): YamlReading => ({
  value: undefined,
  problems: [{ ...START, message: `longer than ${MAX_CHARACTERS} characters` }],
  placeOf: () => START,
});

/** Never throws for bad text: what is wrong comes back as problems. */
export const readPolicyYaml = (text: string): YamlReading => {
  if (text.length > MAX_CHARACTERS) return tooLong();
  const { value, faults, lines, placeOf: found } = readYaml(yaml, text, RULES);
  const placeOf = (path: PolicyPath, offset?: number): Place => {
    const place = found(path);
    const begin = place?.key ?? place?.value;
    if (!begin) return path.length === 0 ? START : placeOf(path.slice(0, -1));
    if (offset !== undefined && yaml.isScalar(place?.node)) {
      const inside = offsetInScalar(text, place.node as yaml.Scalar.Parsed, offset);
      return positionAt(lines, inside);
    }
    return begin;
  };
  return { value: faults.length > 0 ? undefined : value, problems: faults, placeOf };
};

const byPlace = (left: Place, right: Place): number =>
  left.line - right.line || left.column - right.column;

/** The lines of an error message, from the top of the file to its end. */
export const locate = (
  problems: readonly Problem[],
  reading: YamlReading,
  file: string,
): readonly string[] =>
  problems
    .map(({ path, message, offset }) => {
      const subject = subjectOf(reading.value, path);
      const text = subject === '' ? message : `${subject}: ${message}`;
      return { ...reading.placeOf(path, offset), text };
    })
    .sort(byPlace)
    .map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`);

/** Throws when the text is no YAML that can be trusted to mean one thing. */
export const readDocument = (text: string, file: string): YamlReading => {
  const reading = readPolicyYaml(text);
  if (reading.problems.length === 0) return reading;
  throw invalidDocument(
    reading.problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
  );
};

/** Throws `CONFIG_INVALID` with every problem and its place. */
export const parsePolicy = (
  text: string,
  file: string,
  kind: PolicySource['kind'] = 'user',
): PolicySource => {
  const reading = readDocument(text, file);
  const problems = checkDocument(reading.value, conditionCompiler());
  if (problems.length > 0) throw invalidDocument(locate(problems, reading, file));
  return {
    origin: file,
    kind,
    document: reading.value as PolicyDocument,
    lineOf: (path) => reading.placeOf(path).line,
  };
};
