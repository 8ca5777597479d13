/** The text of a policy file to plain data, with the place of everything in it. */
import * as yaml from 'yaml';
import {
  type Position,
  positionAt,
  readYaml,
  type YamlRules,
} from '../../../kit/text/strict-yaml.ts';
import type { PolicyPath } from './policy-source.ts';
import { offsetInScalar } from './scalar-offset.ts';

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
    if (!place) return path.length === 0 ? START : placeOf(path.slice(0, -1));
    if (offset !== undefined && yaml.isScalar(place.node)) {
      const inside = offsetInScalar(text, place.node as yaml.Scalar.Parsed, offset);
      return positionAt(lines, inside);
    }
    return place.key ?? place.value ?? START;
  };
  return { value: faults.length > 0 ? undefined : value, problems: faults, placeOf };
};
