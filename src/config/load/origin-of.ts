/** Which layer a setting of the merged configuration comes from. */

import { isRecord } from '../../kit/data/is-record.ts';
import {
  type ConfigPath,
  childShape,
  isMapping,
  type ShapeNode,
  shapeAt,
} from '../document/config-shape.ts';
import { describeOrigin, type Layer } from './layer.ts';

type Shape = ShapeNode | undefined;

/**
 * The keys that a dotted path stands for in a tree. Names of tools may hold dots themselves, so the
 * keys that are there decide where the path is cut. Whatever is not merged key by key ends the
 * search: it decides all that would be below it.
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

/** Layers are weakest first. A mapping may come from several; each is named, strongest first. */
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
