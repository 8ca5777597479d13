/** Configuration as plain data before it is checked: reading, merging and the keys that are refused. */

import { isRecord } from '../../kit/data/is-record.ts';
import { type ConfigPath, childShape, isMapping, type ShapeNode } from './config-shape.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** The value at a path; `found` tells an absent value from one that is empty. */
export const valueAt = (root: unknown, path: ConfigPath): { found: boolean; value: unknown } => {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return { found: false, value: undefined };
    }
    value = (value as Record<string | number, unknown>)[key];
  }
  return { found: true, value };
};

/**
 * The stronger over the weaker: mappings are merged, everything else is replaced. A setting that
 * allows several kinds of value is replaced as a whole, or two policies would be mixed into none.
 */
export const mergeTrees = (weak: Tree, strong: Tree, shape: ShapeNode | undefined): Tree => {
  const merged: Record<string, unknown> = { ...weak };
  for (const [key, value] of Object.entries(strong)) {
    const below = childShape(shape, key);
    const old = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] =
      isRecord(value) && isRecord(old) && isMapping(below) ? mergeTrees(old, value, below) : value;
  }
  return merged;
};

/**
 * Drops keys with nothing behind them where a mapping belongs: a section of which every line is
 * commented out is an empty one, not a mistake.
 */
export const dropEmptyMappings = (tree: Tree, shape: ShapeNode | undefined): Tree => {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    const below = childShape(shape, key);
    if (value === null && isMapping(below)) continue;
    kept[key] = isRecord(value) && isMapping(below) ? dropEmptyMappings(value, below) : value;
  }
  return kept;
};
