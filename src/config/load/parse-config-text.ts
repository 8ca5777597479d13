/**
 * A configuration file's text to plain data, with the place of every key and value kept, so that
 * whatever is found wrong later can be pointed at.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import { type Position, readYaml } from '../../kit/text/strict-yaml.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import type { Tree } from '../document/config-tree.ts';
import { CONFIG_YAML, problemOf, type TextProblem } from './compose-yaml.ts';

export interface ParsedText {
  readonly value: Tree;
  readonly problems: readonly TextProblem[];
  position(path: ConfigPath, part: 'key' | 'value'): Position | undefined;
}

const NO_MAPPING = 'expected a mapping of sections, e.g. "tools:"';

/** Never throws for bad text. An empty file is an empty mapping. */
export const parseConfigText = async (text: string): Promise<ParsedText> => {
  const { value: read, faults, placeOf } = readYaml(await import('yaml'), text, CONFIG_YAML);
  const value = read ?? {};
  const problems = faults.map(problemOf);
  if (!isRecord(value)) problems.push({ line: 1, column: 1, path: '', message: NO_MAPPING });
  return {
    value: isRecord(value) ? value : {},
    problems,
    position: (path, part) => {
      const place = path.length === 0 ? undefined : placeOf(path);
      return part === 'key' ? (place?.key ?? place?.value) : (place?.value ?? place?.key);
    },
  };
};
