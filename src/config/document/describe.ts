/** Describes every setting as a row of text, for `--help` and the documentation. */
import { ruleText } from '../project-rule.ts';
import { configFields, environmentName } from './config-fields.ts';
import type { ShapeNode } from './config-shape.ts';

export interface SettingDescription {
  /** Dotted; `<name>` is a name that the user chooses. */
  readonly path: string;
  readonly type: string;
  /** `undefined` for a setting that is absent by default. */
  readonly default: unknown;
  readonly description: string;
  /** The environment variable that sets it. */
  readonly env: string;
  /** What a project's configuration can do with it: "a project …". */
  readonly project: string;
}

const atLeast = ({ minimum, exclusiveMinimum }: ShapeNode): string => {
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`;
  return minimum === undefined ? '' : ` ≥ ${minimum}`;
};

const mappingText = ({ properties = {}, required = [] }: ShapeNode): string => {
  const keys = Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`));
  return `{ ${keys.join(', ')} }`;
};

/** Describes the type of a setting in a few words. */
export const typeText = (shape: ShapeNode): string => {
  const kinds = shape.anyOf;
  if (kinds) return kinds.map(typeText).join(' | ');
  if (shape.enum) return shape.enum.join(' | ');
  if ('const' in shape) return String(shape.const);
  switch (shape.type) {
    case 'integer':
      return `whole number${atLeast(shape)}`;
    case 'number':
      return `number${atLeast(shape)}`;
    case 'boolean':
      return 'true | false';
    case 'array':
      return `list of ${shape.items ? typeText(shape.items) : 'values'}`;
    case 'object':
      return mappingText(shape);
    case undefined:
      return 'any value';
    default:
      return 'text';
  }
};

/** Describes all settings in the order of the schema. */
export const describeConfig = (): readonly SettingDescription[] =>
  configFields().map(({ path, shape }) => ({
    path: path.join('.'),
    type: typeText(shape),
    default: shape.default,
    description: shape.description ?? '',
    env: environmentName(path),
    project: ruleText(shape.project),
  }));
