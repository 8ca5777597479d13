/**
 * The schema as a tree of plain nodes, named as in JSON Schema. Environment names, merging, suggestions,
 * help, template and documentation are derived from this tree.
 */
import type { ProjectRule } from '../project-rule.ts';

export interface ShapeNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, ShapeNode>>;
  readonly additionalProperties?: ShapeNode | false;
  readonly items?: ShapeNode;
  readonly anyOf?: readonly ShapeNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  /** What a project may do with the setting. */
  readonly project?: ProjectRule;
}

export type ConfigPath = readonly (string | number)[];

/** Recognises a node with named settings, or with entries under names that the user chooses. */
export const isMapping = (node: ShapeNode | undefined): boolean => node?.type === 'object';

/** Finds the node of one key of a mapping or list. */
export const childShape = (
  node: ShapeNode | undefined,
  key: string | number,
): ShapeNode | undefined => {
  if (typeof key === 'number') return node?.items;
  if (node?.properties && Object.hasOwn(node.properties, key)) return node.properties[key];
  return node?.additionalProperties || undefined;
};

export const shapeAt = (root: ShapeNode, path: ConfigPath): ShapeNode | undefined =>
  path.reduce<ShapeNode | undefined>(childShape, root);
