/** Merges layers, weakest first, into one checked configuration, or reports every problem in them. */
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

/** Finds the strongest layer that has the path, or else the longest part of it. */
const findOrigin = (
  layers: readonly Layer[],
  path: ConfigPath,
): { layer: Layer; path: ConfigPath } | undefined => {
  for (let length = path.length; length >= 0; length -= 1) {
    const part = path.slice(0, length);
    const layer = layers.findLast(({ value }) => valueAt(value, part).isSet);
    if (layer) return { layer, path: part };
  }
  return undefined;
};

const problemOf = (layers: readonly Layer[], finding: Finding): ConfigProblem => {
  const origin = findOrigin(layers, finding.path);
  return {
    file: origin?.layer.path ?? 'configuration',
    ...origin?.layer.position(origin.path, finding.part),
    path: finding.path.join('.'),
    message: finding.message,
  };
};

interface CheckResult {
  readonly config: Config | undefined;
  readonly findings: readonly Finding[];
}

const check = (value: Tree, shape: ShapeNode): CheckResult => {
  const parsed = configSchema.safeParse(value, PARSED_ONCE);
  return parsed.success
    ? { config: parsed.data, findings: [] }
    : {
        config: undefined,
        findings: explainIssues(parsed.error.issues, [], { root: value, shape }),
      };
};

/** Lists the problems of a layer by itself, whatever other layers override or complete. */
export const layerProblems = (layer: Layer, shape: ShapeNode): readonly ConfigProblem[] =>
  check(dropEmptyMappings(layer.value, shape), shape)
    .findings.filter((finding) => !finding.whole)
    .map((finding) => problemOf([layer], finding));

export const resolveLayers = (layers: readonly Layer[], shape: ShapeNode): Resolution => {
  const filled = layers.map((layer) => ({
    ...layer,
    value: dropEmptyMappings(layer.value, shape),
  }));
  const merged = filled.reduce<Tree>((weak, { value }) => mergeTrees(weak, value, shape), {});
  const { config, findings } = check(merged, shape);
  const problems = [
    ...filled.flatMap((layer) => layerProblems(layer, shape)),
    ...findings.map((finding) => problemOf(filled, finding)),
  ];
  return { config: problems.length > 0 ? undefined : config, problems };
};
