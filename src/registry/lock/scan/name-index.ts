/** Indexes the names of all tools by their look, to find names that imitate others. */
import { foldLetters } from './fold-text.ts';

export interface NamedTool {
  readonly name: string;
  /** The label of its source. */
  readonly origin: string;
  /** Aliases, and the name it had before it was renamed. */
  readonly others: readonly string[];
}

export interface NameIndex {
  /** Finds tools of other sources whose names look like this one but differ. */
  lookingLike(name: string, origin: string): readonly NamedTool[];
  /** Finds tools of other sources with exactly this name, unless its own source has one as well. */
  called(name: string, origin: string): readonly NamedTool[];
}

/** Reduces a name to its look: without case, separators and differences between similar characters. */
const nameSkeleton = (name: string): string =>
  foldLetters(name.normalize('NFKD').toLowerCase())
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l');

const lastPart = (name: string): string => /[^.:]+$/.exec(name)?.[0] ?? name;

const add = (map: Map<string, NamedTool[]>, key: string, tool: NamedTool): void => {
  const tools = map.get(key);
  if (tools) tools.push(tool);
  else map.set(key, [tool]);
};

export const createNameIndex = (allTools: Iterable<NamedTool>): NameIndex => {
  const bySkeleton = new Map<string, NamedTool[]>();
  const byName = new Map<string, NamedTool[]>();
  const ownNames = new Map<string, Set<string>>();
  for (const tool of allTools) {
    const own = ownNames.get(tool.origin) ?? new Set();
    ownNames.set(tool.origin, own);
    for (const name of [tool.name, ...tool.others]) {
      add(bySkeleton, nameSkeleton(name), tool);
      add(byName, name.toLowerCase(), tool);
      own.add(name.toLowerCase()).add(lastPart(name).toLowerCase());
    }
  }
  const fromOthers = (tools: readonly NamedTool[] | undefined, origin: string) =>
    (tools ?? []).filter((tool) => tool.origin !== origin);
  return {
    lookingLike: (name, origin) =>
      fromOthers(bySkeleton.get(nameSkeleton(name)), origin).filter((tool) => tool.name !== name),
    called(name, origin) {
      const key = name.toLowerCase();
      return ownNames.get(origin)?.has(key) ? [] : fromOthers(byName.get(key), origin);
    },
  };
};
