/** The names of all tools, by what they look like, so that one that passes for another is found. */
import { foldLetters } from './fold-text.ts';

export interface NamedTool {
  readonly name: string;
  /** The label of its source. */
  readonly origin: string;
  /** Aliases, and the name it had before it was renamed. */
  readonly others: readonly string[];
}

export interface NameIndex {
  /** Tools of other sources whose names look like this one and are not it. */
  lookingLike(name: string, origin: string): readonly NamedTool[];
  /** Tools of other sources that are called just so, unless its own source has one as well. */
  called(name: string, origin: string): readonly NamedTool[];
}

/** What is left of a name when case, separators and look-alike signs no longer count. */
export const nameSkeleton = (name: string): string =>
  foldLetters(name.normalize('NFKD').toLowerCase())
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l');

const lastPart = (name: string): string => /[^.:]+$/.exec(name)?.[0] ?? name;

const add = (map: Map<string, NamedTool[]>, key: string, tool: NamedTool): void => {
  const held = map.get(key);
  if (held) held.push(tool);
  else map.set(key, [tool]);
};

export const createNameIndex = (tools: Iterable<NamedTool>): NameIndex => {
  const bySkeleton = new Map<string, NamedTool[]>();
  const byName = new Map<string, NamedTool[]>();
  const ownNames = new Map<string, Set<string>>();
  for (const tool of tools) {
    const own = ownNames.get(tool.origin) ?? new Set();
    ownNames.set(tool.origin, own);
    for (const name of [tool.name, ...tool.others]) {
      add(bySkeleton, nameSkeleton(name), tool);
      add(byName, name.toLowerCase(), tool);
      own.add(name.toLowerCase()).add(lastPart(name).toLowerCase());
    }
  }
  const strangers = (found: readonly NamedTool[] | undefined, origin: string) =>
    (found ?? []).filter((tool) => tool.origin !== origin);
  return {
    lookingLike: (name, origin) =>
      strangers(bySkeleton.get(nameSkeleton(name)), origin).filter((tool) => tool.name !== name),
    called(name, origin) {
      const key = name.toLowerCase();
      return ownNames.get(origin)?.has(key) ? [] : strangers(byName.get(key), origin);
    },
  };
};
