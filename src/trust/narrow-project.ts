/**
 * Takes from a project's configuration what narrows the user's, and reports the rest. Nothing here
 * stops the start.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigPath,
  childShape,
  isMapping,
  type ShapeNode,
} from '../config/document/config-shape.ts';
import { dropEmptyMappings, type Tree, valueAt } from '../config/document/config-tree.ts';
import { describeOrigin, type Layer } from '../config/load/layer.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { isInsideProject } from './inside-project.ts';
import { judgeProjectSetting, type Ruling } from './judge-project-setting.ts';

/** A setting of the project of which not all was taken. */
export interface NarrowedSetting {
  readonly path: string;
  /** `file:line`. */
  readonly origin: string;
  readonly message: string;
}

/** A setting that is different because of the project. */
export interface ProjectChange {
  readonly path: string;
  /** `undefined` when there was no value. */
  readonly from: unknown;
  readonly to: unknown;
  readonly meaning: string;
}

export interface NarrowedProject {
  readonly layer: Layer;
  readonly narrowed: readonly NarrowedSetting[];
  readonly changes: readonly ProjectChange[];
}

interface Walk {
  readonly layer: Layer;
  readonly user: Tree;
  readonly projectDir: string;
  readonly narrowed: NarrowedSetting[];
  readonly changes: ProjectChange[];
}

interface SettingPosition {
  readonly path: ConfigPath;
  readonly shape: ShapeNode;
  /** The entry that this lies in, where the user chose the name; the outermost one. */
  readonly entry: ConfigPath | undefined;
}

const ENFORCED = ['enforcement', 'enforcedTools'];

const comparisonAt = (walk: Walk, { path, shape, entry }: SettingPosition, given: unknown) => {
  const held = valueAt(walk.user, path);
  const enforced = valueAt(walk.user, ENFORCED).value;
  return {
    given,
    user: held.isSet ? held.value : shape.default,
    entryTaken: entry !== undefined && valueAt(walk.user, entry).isSet,
    enforced: Array.isArray(enforced) && enforced.includes(entry?.at(-1)),
  };
};

const rulingAt = async (walk: Walk, position: SettingPosition, given: unknown): Promise<Ruling> => {
  const rule = position.shape.project ?? 'user';
  const comparison = comparisonAt(walk, position, given);
  if (isDeepStrictEqual(given, comparison.user)) return { taken: { value: given } };
  if (typeof rule === 'string' || 'order' in rule) return judgeProjectSetting(rule, comparison);
  const yours = rule.belowUser ? [String(comparison.user)] : [];
  const folders = { projectDir: walk.projectDir, inside: [rule.inside, ...yours] };
  return (await isInsideProject(String(given), folders))
    ? { taken: { value: given } }
    : { message: 'a project can only name a place inside its own folder, and not by a link' };
};

const narrowSetting = async (
  walk: Walk,
  position: SettingPosition,
  given: unknown,
): Promise<Ruling['taken'] | undefined> => {
  const { taken, message } = await rulingAt(walk, position, given);
  const { path, shape } = position;
  if (message !== undefined) {
    const origin = describeOrigin(walk.layer, path);
    walk.narrowed.push({ path: path.join('.'), origin, message: `${message}; yours stays` });
  }
  const { user: from } = comparisonAt(walk, position, given);
  if (taken && !isDeepStrictEqual(taken.value, from)) {
    const meaning = shape.description ?? '';
    walk.changes.push({ path: path.join('.'), from, to: taken.value, meaning });
  }
  return taken;
};

const narrowMapping = async (walk: Walk, tree: Tree, at: SettingPosition): Promise<Tree> => {
  const narrowed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    const shape = childShape(at.shape, key);
    const path = [...at.path, key];
    if (!shape || (isMapping(shape) && !isRecord(value))) {
      // A mistake, which the schema reports.
      narrowed[key] = value;
      continue;
    }
    const named = at.shape.properties && Object.hasOwn(at.shape.properties, key);
    const position = { path, shape, entry: at.entry ?? (named ? undefined : path) };
    if (isMapping(shape) && isRecord(value)) {
      const below = await narrowMapping(walk, value, position);
      // A section of which nothing is left must not stand there as one that lacks something.
      const emptied = Object.keys(below).length === 0 && Object.keys(value).length > 0;
      if (!emptied) narrowed[key] = below;
      continue;
    }
    const taken = await narrowSetting(walk, position, value);
    if (taken) narrowed[key] = taken.value;
  }
  return narrowed;
};

/** Narrows a project's layer. `user` is the user's own tree; defaults count as the user's. */
export const narrowProject = async (
  layer: Layer,
  user: Tree,
  { shape, projectDir }: { readonly shape: ShapeNode; readonly projectDir: string },
): Promise<NarrowedProject> => {
  const walk: Walk = {
    layer,
    user: dropEmptyMappings(user, shape),
    projectDir,
    narrowed: [],
    changes: [],
  };
  const root = { path: [], shape, entry: undefined };
  const value = await narrowMapping(walk, dropEmptyMappings(layer.value, shape), root);
  return { layer: { ...layer, value }, narrowed: walk.narrowed, changes: walk.changes };
};
