/** Parses the text of a policy file to a document that can be put in force, or to all its problems. */
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

/** Finds an offset in a literal block, where each line follows the indentation of the first. */
const offsetInBlock = (raw: string, value: string, offset: number): number => {
  const before = value.slice(0, offset).split('\n');
  const inLine = offset - (value.lastIndexOf('\n', offset - 1) + 1);
  const first = raw.indexOf('\n') + 1;
  const indent = raw.slice(first).search(/[^ ]|$/);
  let at = first;
  for (const _line of before.slice(1)) at = raw.indexOf('\n', at) + 1;
  return at + indent + inLine;
};

/** Finds an offset in a scalar; its beginning where the position inside is unknown. */
const offsetInScalar = (text: string, scalar: yaml.Scalar.Parsed, offset: number): number => {
  const [start, end] = scalar.range;
  const raw = text.slice(start, end);
  if (raw === scalar.value) return start + offset;
  if (raw.slice(1, -1) === scalar.value) return start + 1 + offset;
  if (scalar.type !== 'BLOCK_LITERAL') return start;
  return start + offsetInBlock(raw, String(scalar.value), offset);
};

const MAX_CHARACTERS = 512 * 1024;
const RULES: YamlRules = { maxDepth: 32, maxNodes: 50_000, aliases: 'refuse' };

export interface YamlProblem extends Position {
  readonly message: string;
}

export interface YamlReading {
  /** `undefined` when there are problems. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Finds the position of a path, or of what is around it; `offset` counts inside its text. */
  positionOf(path: PolicyPath, offset?: number): Position;
}

const START: Position = { line: 1, column: 1 };

const tooLong = (): YamlReading => ({
  value: undefined,
  problems: [{ ...START, message: `longer than ${MAX_CHARACTERS} characters` }],
  positionOf: () => START,
});

/** Reads the YAML of a policy file. Never throws for bad text, but returns its problems. */
export const readPolicyYaml = (text: string): YamlReading => {
  if (text.length > MAX_CHARACTERS) return tooLong();
  const { value, faults, lines, placeOf: yamlPositionOf } = readYaml(yaml, text, RULES);
  const positionOf = (path: PolicyPath, offset?: number): Position => {
    const entry = yamlPositionOf(path);
    const begin = entry?.key ?? entry?.value;
    if (!begin) return path.length === 0 ? START : positionOf(path.slice(0, -1));
    if (offset !== undefined && yaml.isScalar(entry?.node)) {
      const inside = offsetInScalar(text, entry.node as yaml.Scalar.Parsed, offset);
      return positionAt(lines, inside);
    }
    return begin;
  };
  return { value: faults.length > 0 ? undefined : value, problems: faults, positionOf };
};

const byPosition = (left: Position, right: Position): number =>
  left.line - right.line || left.column - right.column;

/** Formats problems as lines of an error message, in the order of the file. */
export const locate = (
  problems: readonly Problem[],
  reading: YamlReading,
  file: string,
): readonly string[] =>
  problems
    .map(({ path, message, offset }) => {
      const subject = subjectOf(reading.value, path);
      const text = subject === '' ? message : `${subject}: ${message}`;
      return { ...reading.positionOf(path, offset), text };
    })
    .sort(byPosition)
    .map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`);

/** Reads a document. Throws when the text is not valid YAML, or can be read in several ways. */
export const readDocument = (text: string, file: string): YamlReading => {
  const reading = readPolicyYaml(text);
  if (reading.problems.length === 0) return reading;
  throw invalidDocument(
    reading.problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
  );
};

/** Parses a policy file. Throws `CONFIG_INVALID` with every problem and its position. */
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
    lineOf: (path) => reading.positionOf(path).line,
  };
};
