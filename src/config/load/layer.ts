/** One source of settings, weaker or stronger than the others, that can say where each came from. */

import type { Position } from '../../kit/text/strict-yaml.ts';
import type { ConfigPath } from '../document/config-shape.ts';
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

/** `file:line` or the variable: short enough for a table. */
export const describeOrigin = (layer: Layer, path: ConfigPath): string => {
  const line = layer.position(path, 'value')?.line;
  return line === undefined ? layer.path : `${layer.path}:${line}`;
};
