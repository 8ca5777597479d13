/**
 * The files that `toolcrib init` writes: a short one, and with `--full` every setting that something
 * reads, with its meaning and default, commented out except for a few. It is made from the schema.
 * A setting is commented as `#key:`, prose as `# text`, so removing one "#" switches a setting on.
 */

import { flowText } from '../edit/flow-text.ts';
import { ANY_NAME, configFields, isPlanned } from './config-fields.ts';
import { isMapping, type ShapeNode } from './config-shape.ts';
import { typeText } from './describe.ts';
import { configShape } from './read-config-shape.ts';

/** Editors look for the schema from the directory of the file, which is `.toolcrib`. */
const MODELINE = '# yaml-language-server: $schema=../node_modules/toolcrib/docs/config.schema.json';

const INTRODUCTION = [
  '# Configuration of Toolcrib. Every setting is listed with its default; remove the "#" in front of',
  '# one to change it. Stronger than this file is the environment (TOOLCRIB_*), weaker is the file of',
  '# the user. All settings are explained in docs/configuration.md.',
];

/** What most projects change first. */
const LIVE: ReadonlySet<string> = new Set([
  'workspace.root',
  'budget.dailyUsd',
  'observation.logLevel',
]);

const WIDTH = 100;

const prose = (text: string, indent: string): readonly string[] => {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line !== `${indent}#`) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
};

interface Place {
  readonly path: readonly string[];
  readonly indent: string;
}

/** Settings under a name of the user's choice have no default; they are told, not listed. */
const entryLines = (shape: ShapeNode, { path, indent }: Place): readonly string[] => {
  if (!shape.additionalProperties) return [];
  const own = path.at(-1) ?? '';
  return configFields(shape.additionalProperties).flatMap((field) => {
    const path = [own, ANY_NAME, ...field.path].join('.');
    return prose(`${path} (${typeText(field.shape)}): ${field.shape.description}`, indent);
  });
};

const settingLines = (shape: ShapeNode, place: Place): readonly string[] => {
  const fields = configFields(shape);
  if (fields.length > 0 && fields.every((field) => isPlanned(field.shape))) return [];
  const { path, indent } = place;
  const key = path.at(-1) ?? '';
  const description = shape.description ?? '';
  if (isMapping(shape) && shape.properties) return mappingLines(shape, place);
  if (shape.default === undefined) {
    return prose(`${key} (${typeText(shape)}, not set): ${description}`, indent);
  }
  const mark = LIVE.has(path.join('.')) ? '' : '#';
  return [
    ...prose(description, indent),
    ...entryLines(shape, place),
    `${indent}${mark}${key}: ${flowText(shape.default)}`,
  ];
};

const mappingLines = (shape: ShapeNode, { path, indent }: Place): readonly string[] => [
  ...prose(shape.description ?? '', indent),
  `${indent}${path.at(-1)}:`,
  ...Object.entries(shape.properties ?? {}).flatMap(([key, node]) =>
    settingLines(node, { path: [...path, key], indent: `${indent}  ` }),
  ),
  ...entryLines(shape, { path, indent: `${indent}  ` }),
];

/** What `toolcrib init` writes: the settings that most projects change first, and where the others are. */
export const shortTemplate = (): string => `${MODELINE}
# Configuration of Toolcrib for this project. docs/configuration.md explains every setting;
# \`toolcrib init --full\` writes all of them, with their defaults.

workspace:
  # The folder that file tools work in, relative to the project.
  root: .

budget:
  # US dollars that calls may cost in a day, for each user.
  dailyUsd: 10
`;

/** Valid as it stands, and with every setting uncommented: both give the defaults. */
export const configTemplate = (): string => {
  const sections = Object.entries(configShape().properties ?? {})
    .map(([key, shape]) => settingLines(shape, { path: [key], indent: '' }).join('\n'))
    .filter((text) => text !== '');
  return `${[[MODELINE, ...INTRODUCTION].join('\n'), ...sections].join('\n\n')}\n`;
};
