/** The text of a policy file to a document that can be put in force, or all that is wrong with it. */

import { conditionCompiler } from '../condition/compile-condition.ts';
import { checkDocument } from './check-document.ts';
import { invalidDocument, type Problem, subjectOf } from './document-problems.ts';
import type { PolicyDocument } from './policy-document.ts';
import type { PolicySource } from './policy-source.ts';
import { type Place, readPolicyYaml, type YamlReading } from './read-policy-yaml.ts';

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
