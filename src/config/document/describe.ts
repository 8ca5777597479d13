/** Every setting as a row of text, for `--help` and the documentation. */

import { ruleText } from '../project-rule.ts';
import { configFields, environmentName } from './config-fields.ts';
import type { ShapeNode } from './config-shape.ts';

export interface SettingDescription {
  /** Dotted; `<name>` stands for a name of the user's choice. */
  readonly path: string;
  readonly type: string;
  /** `undefined` when the setting is simply absent. */
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

/** The kind of value a setting holds, in a few words. */
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
    default:
      return 'text';
  }
};

/** In the order of the schema. */
export const describeConfig = (): readonly SettingDescription[] =>
  configFields().map(({ path, shape }) => ({
    path: path.join('.'),
    type: typeText(shape),
    default: shape.default,
    description: shape.description ?? '',
    env: environmentName(path),
    project: ruleText(shape.project),
  }));
