/** The text of a policy file to plain data, with the place of everything in it. */

import type { Scalar } from 'yaml';
import * as yaml from 'yaml';
import {
  type Position,
  positionAt,
  readYaml,
  type YamlRules,
} from '../../../kit/text/strict-yaml.ts';
import type { PolicyPath } from './policy-source.ts';

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
