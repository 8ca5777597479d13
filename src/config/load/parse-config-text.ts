/** Parses the text of a configuration file to plain data, with the position of every key and value. */
import type { Document } from 'yaml';
import { isRecord } from '../../kit/data/is-record.ts';
import {
  composeYaml as compose,
  type Position,
  readYaml,
  type YamlFault,
  type YamlRules,
} from '../../kit/text/strict-yaml.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import type { Tree } from '../document/config-tree.ts';

export const MAX_BYTES = 256 * 1024;
const CONFIG_YAML: YamlRules = { maxDepth: 32, maxNodes: 50_000, aliases: 'follow' };

interface TextProblem extends Position {
  readonly path: string;
  readonly message: string;
}

const problemOf = ({ line, column, path, message }: YamlFault): TextProblem => ({
  line,
  column,
  path: path.join('.'),
  message,
});

type Composed =
  | { readonly document: Document; readonly problems: readonly [] }
  | { readonly document: undefined; readonly problems: readonly TextProblem[] };

/** Parses YAML. Never throws for invalid text: returns problems and no document. */
export const composeYaml = async (text: string): Promise<Composed> => {
  const { document, faults } = compose(await import('yaml'), text, CONFIG_YAML);
  return document ? { document, problems: [] } : { document, problems: faults.map(problemOf) };
};

export interface ParsedText {
  readonly value: Tree;
  readonly problems: readonly TextProblem[];
  position(path: ConfigPath, part: 'key' | 'value'): Position | undefined;
}

const NO_MAPPING = 'expected a mapping of sections, e.g. "tools:"';

/**
 * Parses a configuration file. Never throws for invalid text. An empty file is an empty mapping.
 */
export const parseConfigText = async (text: string): Promise<ParsedText> => {
  const { value: parsed, faults, placeOf } = readYaml(await import('yaml'), text, CONFIG_YAML);
  const value = parsed ?? {};
  const problems = faults.map(problemOf);
  if (!isRecord(value)) problems.push({ line: 1, column: 1, path: '', message: NO_MAPPING });
  return {
    value: isRecord(value) ? value : {},
    problems,
    position: (path, part) => {
      const position = path.length === 0 ? undefined : placeOf(path);
      return part === 'key'
        ? (position?.key ?? position?.value)
        : (position?.value ?? position?.key);
    },
  };
};
