/** Layers, weakest first, to one checked configuration, or to every problem in any of them. */
import type { ConfigProblem } from '../config-error.ts';
import type { ConfigPath, ShapeNode } from '../document/config-shape.ts';
import { dropEmptyMappings, mergeTrees, type Tree, valueAt } from '../document/config-tree.ts';
import { type Config, configSchema, PARSED_ONCE } from '../schema.ts';
import { explainIssues, type Finding } from './explain-issues.ts';
import type { Layer } from './layer.ts';

export interface Resolution {
  /** `undefined` when there are problems. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** The strongest layer that holds the path, or failing that the closest part of it. */
const blame = (
  layers: readonly Layer[],
  path: ConfigPath,
): { layer: Layer; path: ConfigPath } | undefined => {
  for (let length = path.length; length >= 0; length -= 1) {
    const part = path.slice(0, length);
    const layer = layers.findLast(({ value }) => valueAt(value, part).found);
    if (layer) return { layer, path: part };
  }
  return undefined;
};

const problemOf = (layers: readonly Layer[], finding: Finding): ConfigProblem => {
  const held = blame(layers, finding.path);
  return {
    file: held?.layer.path ?? 'configuration',
    ...held?.layer.position(held.path, finding.part),
    path: finding.path.join('.'),
    message: finding.message,
  };
};

interface Judgement {
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

const judge = (value: Tree, shape: ShapeNode): Judgement => {
  const parsed = configSchema.safeParse(value, PARSED_ONCE);
  return parsed.success
    ? { config: parsed.data, findings: [] }
    : {
        config: undefined,
        findings: explainIssues(parsed.error.issues, [], { root: value, shape }),
      };
};

/** What is wrong with a layer by itself, whatever others may hide or complete. */
export const layerProblems = (layer: Layer, shape: ShapeNode): readonly ConfigProblem[] =>
  judge(dropEmptyMappings(layer.value, shape), shape)
    .findings.filter((finding) => !finding.whole)
    .map((finding) => problemOf([layer], finding));

export const resolveLayers = (layers: readonly Layer[], shape: ShapeNode): Resolution => {
  const filled = layers.map((layer) => ({
    ...layer,
    value: dropEmptyMappings(layer.value, shape),
  }));
  const merged = filled.reduce<Tree>((weak, { value }) => mergeTrees(weak, value, shape), {});
  const { config, findings } = judge(merged, shape);
  const problems = [
    ...filled.flatMap((layer) => layerProblems(layer, shape)),
    ...findings.map((finding) => problemOf(filled, finding)),
  ];
  return { config: problems.length > 0 ? undefined : config, problems };
};
