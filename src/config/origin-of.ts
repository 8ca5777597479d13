/** Which layer a setting of the merged configuration comes from. */
import type { ConfigPath } from './config-shape.ts';
import { isTree } from './config-tree.ts';
import { describeOrigin, type Layer } from './layer.ts';

/**
 * The keys that a dotted path stands for in a tree. Names of tools may hold dots themselves, so the
 * keys that are there decide where the path is cut. Whatever is no mapping ends the search: it
 * decides all that would be below it.
 */
const findKeys = (value: unknown, dotted: string): ConfigPath | undefined => {
  if (dotted === '' || !isTree(value)) return [];
  for (const key of Object.keys(value)) {
    if (dotted !== key && !dotted.startsWith(`${key}.`)) continue;
    const below = findKeys(value[key], dotted.slice(key.length + 1));
    if (below) return [key, ...below];
  }
  return undefined;
};

const endsInMapping = (layer: Layer, path: ConfigPath): boolean =>
  isTree(path.reduce<unknown>((value, key) => (isTree(value) ? value[key] : value), layer.value));

/** Layers are weakest first. A mapping may come from several; each is named, strongest first. */
export const originOf = (layers: readonly Layer[], dotted: string): string => {
  const origins: string[] = [];
  for (const layer of layers.toReversed()) {
    const path = findKeys(layer.value, dotted);
    if (!path || path.length === 0) continue;
    origins.push(describeOrigin(layer, path));
    if (!endsInMapping(layer, path)) break;
  }
  return origins.length > 0 ? origins.join(', ') : 'default';
};
