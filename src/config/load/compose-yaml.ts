/** The bounds of configuration files, and their text as a YAML document. */
import type { Document } from 'yaml';
import {
  composeYaml as compose,
  type Position,
  type YamlFault,
  type YamlRules,
} from '../../kit/text/strict-yaml.ts';

export const MAX_BYTES = 256 * 1024;
export const CONFIG_YAML: YamlRules = { maxDepth: 32, maxNodes: 50_000, aliases: 'follow' };

export interface TextProblem extends Position {
  readonly path: string;
  readonly message: string;
}

export const problemOf = ({ line, column, path, message }: YamlFault): TextProblem => ({
  line,
  column,
  path: path.join('.'),
  message,
});

export type Composed =
  | { readonly document: Document; readonly problems: readonly [] }
  | { readonly document: undefined; readonly problems: readonly TextProblem[] };

/** Never throws for bad text: what is wrong comes back as problems, and then there is no document. */
export const composeYaml = async (text: string): Promise<Composed> => {
  const { document, faults } = compose(await import('yaml'), text, CONFIG_YAML);
  return document ? { document, problems: [] } : { document, problems: faults.map(problemOf) };
};
