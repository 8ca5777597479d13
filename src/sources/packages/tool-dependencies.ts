/** What the tools of packages need of each other: what is missing, and which versions do not fit. */
import { intersects, satisfies, validRange } from 'semver';
import type { PackagedTool } from '../../contract/packages.ts';
import type { Dependency } from '../../contract/tool.ts';

export interface ToolsOf {
  readonly name: string;
  readonly tools: readonly PackagedTool[];
}

/** Gives the version of a tool that no package brings, e.g. one that ships. */
export type OtherTool = (name: string) => string | undefined;

export interface DependencyReport {
  /** Needs that no tool meets; they may be installed later. */
  readonly missing: readonly string[];
  /** Versions that do not fit, each with the packages by name. Nothing is chosen between them. */
  readonly conflicts: readonly string[];
}

export const dependencyText = ({ tool, range }: Dependency): string =>
  range === undefined ? tool : `${tool}@${range}`;

interface Need extends Dependency {
  readonly package: string;
  readonly by: string;
}

/** A tool that no package brings, such as one of the project. */
export interface LocalTool {
  readonly name: string;
  readonly dependencies: readonly Dependency[];
}

const needsOf = (packages: readonly ToolsOf[]): readonly Need[] =>
  packages.flatMap(({ name, tools }) =>
    tools.flatMap((tool) =>
      tool.dependencies.map((need) => ({ ...need, package: name, by: tool.name })),
    ),
  );

const fits = (version: string, { range }: Dependency): boolean =>
  range === undefined ||
  range === version ||
  satisfies(version, range, { includePrerelease: true });

/** Finds pairs of needs that no version of a tool can meet. */
const disjoint = (needs: readonly Need[]): readonly string[] =>
  needs.flatMap((one, at) =>
    needs.slice(at + 1).flatMap((other) => {
      if (one.tool !== other.tool || one.package === other.package) return [];
      const [a, b] = [validRange(one.range ?? '*'), validRange(other.range ?? '*')];
      if (a === null || b === null || intersects(a, b)) return [];
      return [
        `${one.by} of ${one.package} needs ${dependencyText(one)}, ${other.by} of ${other.package} needs ${dependencyText(other)}: no version is both`,
      ];
    }),
  );

/** Names the tools of the first circle: none of them could be called, and no package be uninstalled. */
const circles = (needs: readonly Need[]): readonly string[] => {
  let open = needs;
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const needy = new Set(open.map(({ by }) => by));
    open = open.filter(({ tool }) => needy.has(tool));
  }
  const names: string[] = [];
  let next = open[0]?.by;
  while (next !== undefined && !names.includes(next)) {
    names.push(next);
    const from: string = next;
    next = open.find(({ by }) => by === from)?.tool;
  }
  if (next === undefined) return [];
  return [`${[...names.slice(names.indexOf(next)), next].join(' needs ')}, in a circle`];
};

/** Judges packages as they would be installed side by side. */
export const judgeDependencies = (
  packages: readonly ToolsOf[],
  otherTool: OtherTool,
): DependencyReport => {
  const versions = new Map(
    packages.flatMap(({ name, tools }) =>
      tools.map((tool) => [tool.name, { version: tool.version, from: ` of ${name}` }] as const),
    ),
  );
  const missing: string[] = [];
  const conflicts: string[] = [];
  const needs = needsOf(packages);
  for (const need of needs) {
    const other = otherTool(need.tool);
    const there =
      versions.get(need.tool) ?? (other === undefined ? undefined : { version: other, from: '' });
    const who = `${need.by} of ${need.package} needs ${dependencyText(need)}`;
    if (!there) missing.push(`${who}, which is not installed`);
    else if (!fits(there.version, need)) {
      conflicts.push(`${who}, but ${need.tool}${there.from} is ${there.version}`);
    }
  }
  return { missing, conflicts: [...conflicts, ...disjoint(needs), ...circles(needs)] };
};

/** Names the tools of other packages, and those that no package brings, that need a tool of this one. */
export const dependants = (
  name: string,
  packages: readonly ToolsOf[],
  localTools: readonly LocalTool[],
): readonly string[] => {
  const own = new Set(packages.find((one) => one.name === name)?.tools.map((tool) => tool.name));
  const others = packages.filter((one) => one.name !== name);
  const elsewhere = new Set(
    [...others.flatMap(({ tools }) => tools), ...localTools].map((tool) => tool.name),
  );
  const isLost = ({ tool }: Dependency): boolean => own.has(tool) && !elsewhere.has(tool);
  const packaged = needsOf(others)
    .filter(isLost)
    .map((need) => `${need.by} of ${need.package} needs ${dependencyText(need)}`);
  const local = localTools.flatMap((tool) =>
    tool.dependencies.filter(isLost).map((need) => `${tool.name} needs ${dependencyText(need)}`),
  );
  return [...packaged, ...local];
};
