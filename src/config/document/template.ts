/**
 * Writes the files of `toolcrib init`: a short one, and with `--full` every setting that something reads,
 * with its meaning and default, commented out except for a few. It is made from the schema. A setting
 * is commented as `#key:`, prose as `# text`, so that deleting one character activates a setting.
 */
import { flowText } from '../edit/splice-setting.ts';
import { ANY_NAME, configFields, isPlanned } from './config-fields.ts';
import { isMapping, type ShapeNode } from './config-shape.ts';
import { typeText } from './describe.ts';
import { configShape } from './read-config-shape.ts';

/** Relative to the directory of the file, which is `.toolcrib`. */
const MODELINE = '# yaml-language-server: $schema=../node_modules/toolcrib/docs/config.schema.json';

const INTRODUCTION = [
  '# Configuration of Toolcrib. Every setting is listed with its default; remove the "#" in front of',
  '# one to change it. Stronger than this file is the environment (TOOLCRIB_*), weaker is the file of',
  '# the user. All settings are explained in docs/configuration.md.',
];

/** What most projects change first. */
const ACTIVE: ReadonlySet<string> = new Set(['workspace.root', 'observation.logLevel']);

const MAX_WIDTH = 100;

const prose = (text: string, indent: string): readonly string[] => {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > MAX_WIDTH && line !== `${indent}#`) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
};

interface Position {
  readonly path: readonly string[];
  readonly indent: string;
}

/** Describes settings under a name that the user chooses in prose: they have no default. */
const entryLines = (shape: ShapeNode, { path, indent }: Position): readonly string[] => {
  if (!shape.additionalProperties) return [];
  const own = path.at(-1) ?? '';
  return configFields(shape.additionalProperties).flatMap((field) => {
    const path = [own, ANY_NAME, ...field.path].join('.');
    return prose(`${path} (${typeText(field.shape)}): ${field.shape.description}`, indent);
  });
};

/** Describes a mapping inside another in prose where nothing of it has a default: its key alone would set it. */
const unsetLines = (shape: ShapeNode, { path, indent }: Position): readonly string[] => {
  const key = path.at(-1) ?? '';
  return configFields(shape).flatMap((field) =>
    prose(
      `${[key, ...field.path].join('.')} (${typeText(field.shape)}, not set): ${field.shape.description}`,
      indent,
    ),
  );
};

const settingLines = (shape: ShapeNode, position: Position): readonly string[] => {
  const fields = configFields(shape);
  if (fields.length > 0 && fields.every((field) => isPlanned(field.shape))) return [];
  const { path, indent } = position;
  const key = path.at(-1) ?? '';
  const description = shape.description ?? '';
  const isUnset = path.length > 1 && fields.every((field) => field.shape.default === undefined);
  if (isMapping(shape) && shape.properties) {
    return isUnset ? unsetLines(shape, position) : mappingLines(shape, position);
  }
  if (shape.default === undefined) {
    return prose(`${key} (${typeText(shape)}, not set): ${description}`, indent);
  }
  const mark = ACTIVE.has(path.join('.')) ? '' : '#';
  return [
    ...prose(description, indent),
    ...entryLines(shape, position),
    `${indent}${mark}${key}: ${flowText(shape.default)}`,
  ];
};

const mappingLines = (shape: ShapeNode, { path, indent }: Position): readonly string[] => [
  ...prose(shape.description ?? '', indent),
  `${indent}${path.at(-1)}:`,
  ...Object.entries(shape.properties ?? {}).flatMap(([key, node]) =>
    settingLines(node, { path: [...path, key], indent: `${indent}  ` }),
  ),
  ...entryLines(shape, { path, indent: `${indent}  ` }),
];

/** Writes the short file: the settings that most projects change first, and where to find the others. */
export const shortTemplate = (): string => `${MODELINE}
# Configuration of Toolcrib for this project. docs/configuration.md explains every setting;
# \`toolcrib init --full\` writes all of them, with their defaults.

workspace:
  # The folder that file tools work in, relative to the project.
  root: .

# budget:
#   # US dollars that calls of a user may cost in a day: 10 unless you set less.
#   dailyUsd: 10
`;

/** Writes the full file. It gives the defaults as it is, and with every setting uncommented. */
export const configTemplate = (): string => {
  const sections = Object.entries(configShape().properties ?? {})
    .map(([key, shape]) => settingLines(shape, { path: [key], indent: '' }).join('\n'))
    .filter((text) => text !== '');
  return `${[[MODELINE, ...INTRODUCTION].join('\n'), ...sections].join('\n\n')}\n`;
};
