/** The text of a tool's file to plain data. Aliases are refused: a definition says what it says, once. */
import type { Scalar } from 'yaml';
import { readYaml, type YamlPath, type YamlRules } from '../../kit/text/strict-yaml.ts';
import { BadToolFile, type Place, START } from './file-problem.ts';

const RULES: YamlRules = { maxDepth: 40, maxNodes: 50_000, aliases: 'refuse' };

export interface StrictYaml {
  readonly value: unknown;
  /** Of a value, or of the nearest one around it that is there. */
  place(path: readonly PropertyKey[]): Place;
  /** The node of a value that is text, with where it starts and ends in the file. */
  scalar(path: readonly PropertyKey[]): Scalar | undefined;
}

/** Throws `BadToolFile` with everything that is wrong. */
export const readStrictYaml = async (file: string, text: string): Promise<StrictYaml> => {
  const library = await import('yaml');
  const { value, faults, placeOf } = readYaml(library, text, RULES);
  if (faults.length > 0) {
    throw new BadToolFile(
      faults.map(({ line, column, message }) => ({ file, line, column, message })),
    );
  }
  const at = (path: readonly PropertyKey[]) => placeOf(path as YamlPath);
  const place = (path: readonly PropertyKey[]): Place =>
    at(path)?.value ?? (path.length === 0 ? START : place(path.slice(0, -1)));
  return {
    value,
    place,
    scalar: (path) => {
      const node = at(path)?.node;
      return library.isScalar(node) ? node : undefined;
    },
  };
};
