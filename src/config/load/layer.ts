/** One source of settings, weaker or stronger than others, with the position of each setting. */
import { isRecord } from '../../kit/data/is-record.ts';
import type { Position } from '../../kit/text/strict-yaml.ts';
import {
  type ConfigPath,
  childShape,
  isMapping,
  type ShapeNode,
  shapeAt,
} from '../document/config-shape.ts';
import type { Tree } from '../document/config-tree.ts';

export interface ConfigSource {
  /** The file, or the name of the environment variable. */
  readonly path: string;
  readonly kind: 'user' | 'project' | 'environment';
}

export interface Layer {
  readonly path: string;
  readonly value: Tree;
  position(path: ConfigPath, part: 'key' | 'value'): Position | undefined;
}

/** Writes the origin of a setting as `file:line`, or the name of the variable. */
export const describeOrigin = (layer: Layer, path: ConfigPath): string => {
  const line = layer.position(path, 'value')?.line;
  return line === undefined ? layer.path : `${layer.path}:${line}`;
};

type Shape = ShapeNode | undefined;

/**
 * Splits a dotted path into the keys of a tree. Names of tools may contain dots, so the existing keys
 * decide where it is split. A value that is not merged key by key ends the search: it replaces all
 * settings below it.
 */
const findKeys = (value: unknown, dotted: string, shape: Shape): ConfigPath | undefined => {
  if (dotted === '' || !isRecord(value) || !isMapping(shape)) return [];
  for (const key of Object.keys(value)) {
    if (dotted !== key && !dotted.startsWith(`${key}.`)) continue;
    const below = findKeys(value[key], dotted.slice(key.length + 1), childShape(shape, key));
    if (below) return [key, ...below];
  }
  return undefined;
};

/** Names the layers that a setting comes from, the strongest first: a mapping may come from several. */
export const originOf = (layers: readonly Layer[], dotted: string, shape: ShapeNode): string => {
  const origins: string[] = [];
  for (const layer of layers.toReversed()) {
    const path = findKeys(layer.value, dotted, shape);
    if (!path || path.length === 0) continue;
    origins.push(describeOrigin(layer, path));
    if (!isMapping(shapeAt(shape, path))) break;
  }
  return origins.length > 0 ? origins.join(', ') : 'default';
};
