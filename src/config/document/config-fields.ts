/** Lists the settings, each with its path and the environment variable that sets it. */
import type { ShapeNode } from './config-shape.ts';
import { configShape } from './read-config-shape.ts';

/** A placeholder in a path for a name that the user chooses: a tool, a server, a variable. */
export const ANY_NAME = '<name>';

export interface ConfigField {
  readonly path: readonly string[];
  readonly shape: ShapeNode;
}

const fieldsBelow = (shape: ShapeNode, path: readonly string[]): readonly ConfigField[] => {
  if (shape.type !== 'object') return [{ path, shape }];
  const named = Object.entries(shape.properties ?? {}).flatMap(([key, node]) =>
    fieldsBelow(node, [...path, key]),
  );
  const free = shape.additionalProperties
    ? fieldsBelow(shape.additionalProperties, [...path, ANY_NAME])
    : [];
  return [...named, ...free];
};

/** Lists every setting in the order of the schema. */
export const configFields = (shape: ShapeNode = configShape()): readonly ConfigField[] =>
  fieldsBelow(shape, []);

/**
 * Tells whether a setting belongs to a part that does not exist yet: the schema accepts it, nothing
 * reads it.
 */
export const isPlanned = ({ description = '' }: ShapeNode): boolean =>
  description.endsWith('Not built yet.');

const upperSnake = (key: string): string =>
  key.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();

/**
 * Names the variable of a setting: `execution.maxCallDepth` → `TOOLCRIB_EXECUTION_MAX_CALL_DEPTH`;
 * `__` surrounds chosen names.
 */
export const environmentName = (path: readonly string[]): string => {
  let name = 'TOOLCRIB';
  path.forEach((key, index) => {
    const separator = key === ANY_NAME || path[index - 1] === ANY_NAME ? '__' : '_';
    name += separator + (key === ANY_NAME ? key : upperSnake(key));
  });
  return name;
};
