/** Reads and merges configuration as plain data, before it is checked. */
import { isRecord } from '../../kit/data/is-record.ts';
import { type ConfigPath, childShape, isMapping, type ShapeNode } from './config-shape.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** Reads the value at a path; `isSet` distinguishes an absent value from an empty one. */
export const valueAt = (root: unknown, path: ConfigPath): { isSet: boolean; value: unknown } => {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return { isSet: false, value: undefined };
    }
    value = (value as Record<string | number, unknown>)[key];
  }
  return { isSet: true, value };
};

/**
 * Merges the stronger tree over the weaker: mappings are merged, everything else is replaced. A setting
 * that allows several types is replaced as a whole, so that two policies are not mixed.
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
 * Drops keys without a value where a mapping belongs: a section whose lines are all commented out is
 * empty, not a mistake.
 */
export const dropEmptyMappings = (tree: Tree, shape: ShapeNode | undefined): Tree => {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    const below = childShape(shape, key);
    if (value === null && isMapping(below)) continue;
    result[key] = isRecord(value) && isMapping(below) ? dropEmptyMappings(value, below) : value;
  }
  return result;
};
